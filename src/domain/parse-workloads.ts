// Validates the workloads of an OAuth client or an admin key.

import { invalidField, invalidFields } from "../kernel/error.ts";
import { problem } from "../kernel/field-reason.ts";
import { type IdentityProviderStore, isTrustedFor } from "./identity-provider.ts";
import type { ClientAuthMethod } from "./oauth-client.ts";
import { subjectProblem, WORKLOADS_MAX, type Workload } from "./workload.ts";

/** Claims that `subject`, the issuer, and the lifetime already decide. */
const DECIDED = ["iss", "sub", "aud", "exp", "iat", "nbf", "jti"];

/** @throws AppError `request.invalid` (`workloads`). */
export function parseWorkloads(
	method: ClientAuthMethod,
	workloads: readonly Workload[] = [],
): readonly Workload[] {
	if (method !== "workload") {
		if (workloads.length > 0) throw invalidField("workloads", "absent_without_workload");
		return [];
	}
	if (workloads.length === 0) throw invalidField("workloads", "workloads_count", { max: WORKLOADS_MAX });
	const problems = workloads.flatMap(({ subject, claims }, index) => {
		const wrong = subjectProblem(subject);
		const claim = Object.keys(claims).find((name) => DECIDED.includes(name));
		return [
			...(wrong === undefined ? [] : [{ field: `workloads.${index}.subject`, ...wrong }]),
			...(claim === undefined
				? []
				: [{ field: `workloads.${index}.claims`, ...problem("workload_claim", { claim }) }]),
		];
	});
	if (problems.length > 0) throw invalidFields(problems);
	return workloads;
}

/**
 * Call inside a transaction. Locks the issuers until its end, so that none is deleted meanwhile.
 *
 * @throws AppError `request.invalid` (`workloads`) if an issuer is missing, foreign, or not trusted for workloads.
 */
export async function checkWorkloadIssuers(
	identityProviders: IdentityProviderStore,
	tenantId: string,
	workloads: readonly Workload[],
): Promise<void> {
	const trusted = new Set<string>();
	// In one order, so that two changes cannot wait for each other.
	for (const id of [...new Set(workloads.map(({ issuerId }) => issuerId))].sort()) {
		if (!(await identityProviders.hold(tenantId, id))) continue;
		const issuer = await identityProviders.findById(tenantId, id);
		if (issuer !== undefined && isTrustedFor(issuer, "workloads")) trusted.add(id);
	}
	const problems = workloads.flatMap(({ issuerId }, index) =>
		trusted.has(issuerId) ? [] : [{ field: `workloads.${index}.issuer_id`, ...problem("not_an_issuer") }],
	);
	if (problems.length > 0) throw invalidFields(problems);
}
