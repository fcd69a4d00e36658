// Access decisions over the OpenID AuthZEN Authorization API 1.0, for signed requests.

import { BATCH_MAX, DECISION_REASONS } from "../../../domain/access.ts";
import type { SignedCaller } from "../../../domain/signing-client.ts";
import { bare, endpoint } from "../../../http/endpoint.ts";
import {
	anyObject,
	boolean,
	choice,
	type Infer,
	integer,
	list,
	object,
	optional,
	plain,
	text,
} from "../../../http/schema.ts";
import { type FieldError, invalidFields } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import type { Platform } from "../../platform.ts";
import { otherApplicationForbidden } from "./check-access.ts";
import {
	ACCESS_ACTION,
	type Evaluation,
	type EvaluationResult,
	evaluateAccess,
	RESOURCE_TYPE,
	SEMANTICS,
	SUBJECT_TYPE,
} from "./evaluate-access.ts";
import { recordsFor } from "./signed-records.ts";

const ENTITY_MAX = 256;
const EXAMPLE_ID = "01980000-0000-7000-8000-000000000000";
const subject = object({
	type: text({ max: ENTITY_MAX, description: `Always \`${SUBJECT_TYPE}\`.`, examples: [SUBJECT_TYPE] }),
	id: text({ max: ENTITY_MAX, description: "The user's id.", examples: [EXAMPLE_ID] }),
});
const action = object({
	name: text({
		max: 128,
		description: `A permission, such as \`orders:read\`. \`${ACCESS_ACTION}\` tests whether the user may use the application at all.`,
		examples: ["orders:read"],
	}),
});
const resource = object({
	type: text({ max: ENTITY_MAX, description: `Always \`${RESOURCE_TYPE}\`.`, examples: [RESOURCE_TYPE] }),
	id: text({ max: ENTITY_MAX, description: "The application's id.", examples: [EXAMPLE_ID] }),
});
const context = optional(anyObject({ description: "Accepted and ignored." }));
const parts = { subject: optional(subject), action: optional(action), resource: optional(resource), context };
const evaluationsBody = object({
	...parts,
	evaluations: optional(list(object(parts), { max: BATCH_MAX })),
	options: optional(object({ evaluations_semantic: optional(choice(SEMANTICS)) })),
});

const responseContext = object({
	reason: optional(choice(DECISION_REASONS)),
	error: optional(object({ status: integer(), message: plain() })),
});
const decisionSchema = object({ decision: boolean(), context: responseContext }, { title: "Evaluation" });

const MAPPING = `The subject is the id of a \`${SUBJECT_TYPE}\`, the resource the id of an \`${RESOURCE_TYPE}\`, and the name of the action a permission. Unknown users and applications are denied with the reason \`user_not_found\` or \`app_not_found\`. As AuthZEN 1.0 requires, the response is not wrapped in \`data\`.`;

const metadataSchema = object(
	{
		policy_decision_point: plain({ format: "uri" }),
		access_evaluation_endpoint: plain({ format: "uri" }),
		access_evaluations_endpoint: plain({ format: "uri" }),
	},
	{ title: "AuthzenConfiguration" },
);

export function authzenEndpoints({ db, publicUrl }: Platform) {
	const one = async (caller: SignedCaller, question: readonly Evaluation[]): Promise<EvaluationResult> => {
		const [response] = await evaluateAccess(recordsFor(db, caller).accessFacts, caller, question);
		if (response === undefined || response.context.error !== undefined) throw otherApplicationForbidden();
		return response;
	};
	return {
		metadata: endpoint<undefined>()({
			name: "getAuthzenConfiguration",
			summary: "Get the access evaluation URLs (AuthZEN)",
			description:
				"The metadata of AuthZEN 1.0, section 9, not wrapped in `data`. Sign requests to these endpoints like requests to the open APIs.",
			response: bare(200, metadataSchema, "The URLs."),
			handle: () => ({
				policy_decision_point: publicUrl,
				access_evaluation_endpoint: `${publicUrl}/access/v1/evaluation`,
				access_evaluations_endpoint: `${publicUrl}/access/v1/evaluations`,
			}),
		}),

		evaluation: endpoint<SignedCaller>()({
			name: "evaluateAccess",
			summary: "Evaluate access (AuthZEN)",
			callerNamesRequest: true,
			description: `${MAPPING} Applications other than the client's own require the scope \`access:check:tenant\`.`,
			body: object({ subject, action, resource, context }),
			response: bare(200, decisionSchema, "The decision."),
			errors: ["scope.missing"],
			handle: ({ caller, body }) => one(caller, [body]),
		}),

		evaluations: endpoint<SignedCaller>()({
			name: "evaluateAccesses",
			summary: "Evaluate access in a batch (AuthZEN)",
			callerNamesRequest: true,
			description: `${MAPPING} \`subject\`, \`action\`, and \`resource\` beside \`evaluations\` are the defaults for each evaluation. Decisions are returned in the order of \`evaluations\`; \`deny_on_first_deny\` and \`permit_on_first_permit\` stop at the decision that settles the outcome. An evaluation for an application that the client may not query is denied, with an error in its context. Without \`evaluations\`, the request is a single evaluation.`,
			body: evaluationsBody,
			response: bare(
				200,
				object(
					{
						evaluations: optional(list(decisionSchema)),
						decision: optional(boolean()),
						context: optional(responseContext),
					},
					{ title: "Evaluations" },
				),
				"The decisions, or the single decision.",
			),
			errors: ["scope.missing"],
			async handle({ caller, body: { evaluations = [], options, ...defaults } }) {
				if (evaluations.length === 0) return one(caller, complete([defaults], ""));
				const questions = complete(
					evaluations.map((parts) => ({ ...defaults, ...parts })),
					"evaluations.",
				);
				const semantic = options?.evaluations_semantic;
				return {
					evaluations: await evaluateAccess(recordsFor(db, caller).accessFacts, caller, questions, semantic),
				};
			},
		}),
	};
}

type Parts = Pick<Infer<typeof evaluationsBody>, "subject" | "action" | "resource">;

const PARTS = ["subject", "action", "resource"] as const;

function hasParts(question: Parts): question is Evaluation {
	return PARTS.every((part) => question[part] !== undefined);
}

/** @throws AppError `request.invalid` unless every question has all three parts after the defaults are applied. */
function complete(questions: readonly Parts[], prefix: "" | "evaluations."): Evaluation[] {
	const fields: FieldError[] = [];
	for (const [index, question] of questions.entries())
		for (const part of PARTS)
			if (question[part] === undefined)
				fields.push({ field: `${prefix === "" ? "" : `${prefix}${index}.`}${part}`, ...problem("required") });
	if (fields.length > 0) throw invalidFields(fields);
	return questions.filter(hasParts);
}
