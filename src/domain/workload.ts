// A workload: a pod, job, or pipeline that authenticates an OAuth client with the token of its platform.

import { type Problem, problem } from "../kernel/field-reason.ts";
import { isMembers, isText, listOf, type Shape } from "../kernel/shape.ts";

export const WORKLOADS_MAX = 20;
export const WORKLOAD_SUBJECT_MAX = 512;
export const WORKLOAD_CLAIMS_MAX = 10;
export const WORKLOAD_CLAIM_MAX = 512;

/** The longest time from `iat` to `exp` of an accepted token. */
export const WORKLOAD_TOKEN_SECONDS_MAX = 3_600;

export interface Workload {
	/** The issuer with the use `workloads`. */
	readonly issuerId: string;
	/** The `sub` of its tokens; a `*` at the end matches any text that is not empty. */
	readonly subject: string;
	/** Further claims that must have exactly these values. */
	readonly claims: Readonly<Record<string, string>>;
}

const isWorkload = (value: unknown): value is Workload =>
	isMembers(value) &&
	isText(value.issuerId) &&
	isText(value.subject) &&
	isMembers(value.claims) &&
	Object.values(value.claims).every(isText);

export const areWorkloads: Shape<readonly Workload[]> = listOf(isWorkload);

/**
 * A `*` follows at least two segments: one segment names a platform (`repo:*`) or nothing (`spiffe://*`), so it would
 * admit workloads of strangers.
 */
export function subjectProblem(subject: string): Problem | undefined {
	const star = subject.indexOf("*");
	if (star === -1) return undefined;
	if (star !== subject.length - 1 || !/[/:]\*$/.test(subject)) return problem("workload_wildcard");
	// `spiffe:` and `https:` are schemes, which name no organization.
	const segments = subject
		.slice(0, -1)
		.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\//, "")
		.split(/[/:]/);
	const named = segments.slice(0, -1);
	return named.length < 2 || named.includes("") ? problem("workload_wildcard") : undefined;
}

export function matchesSubject(subject: string, sub: string): boolean {
	if (!subject.endsWith("*")) return sub === subject;
	const start = subject.slice(0, -1);
	return sub.length > start.length && sub.startsWith(start);
}
