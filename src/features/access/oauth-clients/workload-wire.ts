// The wire form of workloads: of OAuth clients, and of admin keys.

import {
	WORKLOAD_CLAIM_MAX,
	WORKLOAD_CLAIMS_MAX,
	WORKLOAD_SUBJECT_MAX,
	WORKLOADS_MAX,
	type Workload,
} from "../../../domain/workload.ts";
import {
	exactText,
	type Infer,
	list,
	mapOf,
	object,
	optional,
	plain,
	uuid,
} from "../../../http/describe/schema.ts";
import { invalidField } from "../../../kernel/error.ts";

export const workloadSchema = object(
	{ issuer_id: plain({ format: "uuid" }), subject: plain(), claims: mapOf(plain()) },
	{ title: "Workload" },
);

export const givenWorkloads = list(
	object(
		{
			issuer_id: uuid(
				"The identity provider of the tenant, with the use `workloads`, that issues the tokens.",
			),
			subject: exactText({
				max: WORKLOAD_SUBJECT_MAX,
				description:
					"The `sub` of the tokens: exact, or with one `*` at the end, after at least two segments, for any text that is not empty. `repo:acme/*` also admits pull requests and every branch of these repositories.",
			}),
			claims: optional(
				mapOf(exactText({ max: WORKLOAD_CLAIM_MAX }), {
					description: `Up to ${WORKLOAD_CLAIMS_MAX} claims that the tokens must have with exactly these texts, such as \`ref\` of GitHub.`,
				}),
			),
		},
		{ title: "WorkloadInput" },
	),
	{ max: WORKLOADS_MAX },
);

/** @throws AppError `request.invalid` for too many claims. */
export function toWorkloads(
	given: Infer<typeof givenWorkloads> | undefined,
): readonly Workload[] | undefined {
	return given?.map(({ issuer_id, subject, claims = {} }, index) => {
		if (Object.keys(claims).length > WORKLOAD_CLAIMS_MAX)
			throw invalidField(`workloads.${index}.claims`, "items_max", { max: WORKLOAD_CLAIMS_MAX });
		return { issuerId: issuer_id, subject, claims };
	});
}

export function toWireWorkloads(workloads: readonly Workload[]) {
	return workloads.map(({ issuerId, subject, claims }) => ({ issuer_id: issuerId, subject, claims }));
}
