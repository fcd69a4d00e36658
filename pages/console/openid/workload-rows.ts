// The workloads of a client as a form asks for them: by platform, instead of subject and claims.

import type { Schemas } from "../../api/routes.ts";

export type Workload = Schemas["OAuthClient"]["workloads"][number];

export const PLATFORMS = ["github", "gitlab", "kubernetes", "other"] as const;
export type Platform = (typeof PLATFORMS)[number];

/** As typed. Fields of other platforms are kept, and ignored. */
export type WorkloadRow = Readonly<typeof NEW_ROW>;

export const NEW_ROW = {
	issuer_id: "",
	platform: "github" as Platform,
	/** `acme/shop`, or `acme/*` for every repository or project. */
	project: "",
	/** Of GitHub: what the subject begins with, if not with `repo:` and the repository. */
	prefix: "",
	branch: "",
	environment: "",
	/** Of GitLab. */
	is_protected: false,
	namespace: "",
	/** `*` for every one of the namespace. */
	service_account: "",
	subject: "",
	/** `name=value` lines. */
	claims: "",
};

const EVERY = "/*";

/** What the API stores. Call only without `rowProblems`. */
export function workloadOf(typed: WorkloadRow): Workload {
	const row = trimmed(typed);
	return { issuer_id: row.issuer_id, ...PLATFORM_WORKLOADS[row.platform](row) };
}

type Identity = Pick<Workload, "subject" | "claims">;

const PLATFORM_WORKLOADS: Readonly<Record<Platform, (row: WorkloadRow) => Identity>> = {
	github({ project, prefix, branch, environment }) {
		const isEvery = project.endsWith(EVERY);
		const start = prefix === "" ? `repo:${withoutStar(project)}` : withoutStar(prefix);
		const claims = {
			...(isEvery ? { repository_owner: withoutStar(project) } : { repository: project }),
			...(environment !== "" && { environment }),
			...(branch !== "" && { ref: `refs/heads/${branch}` }),
		};
		if (isEvery) return { subject: `${start}/*`, claims };
		// GitHub replaces the separator in the names of environments.
		if (environment !== "")
			return { subject: `${start}:environment:${environment.replaceAll(":", "%3A")}`, claims };
		return { subject: branch === "" ? `${start}:*` : `${start}:ref:refs/heads/${branch}`, claims };
	},
	gitlab({ project, branch, environment, is_protected }) {
		const isEvery = project.endsWith(EVERY);
		const claims = {
			...(!isEvery && { project_path: project }),
			...(environment !== "" && { environment }),
			...(branch !== "" && { ref_type: "branch", ref: branch }),
			...(is_protected && { ref_protected: "true" }),
		};
		if (isEvery) return { subject: `project_path:${project}`, claims };
		const rest = branch === "" ? "*" : `ref_type:branch:ref:${branch}`;
		return { subject: `project_path:${project}:${rest}`, claims };
	},
	kubernetes: ({ namespace, service_account }) => ({
		subject: `system:serviceaccount:${namespace}:${service_account}`,
		claims: {},
	}),
	other: ({ subject, claims }) => ({
		subject,
		claims: Object.fromEntries(
			claims
				.split("\n")
				.filter((line) => line.trim() !== "")
				.map(pairOf),
		),
	}),
};

/** The row that gives the same workload; subject and claims themselves if no platform does. */
export function rowOf(workload: Workload): WorkloadRow {
	const { issuer_id, subject, claims } = workload;
	const guesses = [githubRow(workload), gitlabRow(workload), kubernetesRow(workload)];
	const found = guesses
		.map((guess) => ({ ...NEW_ROW, issuer_id, ...guess }))
		.find((row) => isSame(workloadOf(row), workload));
	const lines = Object.entries(claims).map(([name, value]) => `${name}=${value}`);
	return found ?? { ...NEW_ROW, issuer_id, platform: "other", subject, claims: lines.join("\n") };
}

function githubRow({ subject, claims }: Workload): Partial<WorkloadRow> {
	const { repository, repository_owner: owner, environment = "", ref = "" } = claims;
	const project = repository ?? `${owner ?? ""}${EVERY}`;
	const [scheme = "", named = ""] = subject.split(":");
	const start = `${scheme}:${named}`;
	return {
		platform: "github",
		project,
		prefix: start === `repo:${project}` ? "" : start,
		environment,
		branch: ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : "",
	};
}

function gitlabRow({ subject, claims }: Workload): Partial<WorkloadRow> {
	const { project_path, environment = "", ref = "", ref_protected } = claims;
	return {
		platform: "gitlab",
		project: project_path ?? subject.slice("project_path:".length),
		environment,
		branch: ref,
		is_protected: ref_protected === "true",
	};
}

function kubernetesRow({ subject }: Workload): Partial<WorkloadRow> {
	const [, , namespace = "", service_account = ""] = subject.split(":");
	return { platform: "kubernetes", namespace, service_account };
}

/** What `rowProblems` says. */
type Words = Readonly<
	Record<
		| "issuerMissing"
		| "projectMalformed"
		| "nameMalformed"
		| "labelMalformed"
		| "subjectMissing"
		| "claimsMalformed",
		string
	>
>;

const PROJECT = /^[\w.-]+(?:\/[\w.-]+)+$/;
/** A DNS label (RFC 1123), as the names of namespaces and service accounts. */
const LABEL = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;
const REF = /^[^\s"'\\:*?[\]^~$\u0060]+$/;

/** What is missing or malformed, by the name of the field, before the API checks it. */
export function problemsIn(rows: readonly WorkloadRow[], t: Words): Record<string, string> {
	return Object.assign({}, ...rows.map((row, index) => rowProblems(row, index, t)));
}

export function rowProblems(typed: WorkloadRow, index: number, t: Words): Record<string, string> {
	const row = trimmed(typed);
	const found: Record<string, string> = {};
	const say = (field: string, message: string) => {
		found[`workloads.${index}.${field}`] ??= message;
	};
	if (row.issuer_id === "") say("issuer_id", t.issuerMissing);
	if (row.platform === "github" || row.platform === "gitlab") {
		if (!PROJECT.test(withoutStar(row.project, "/x"))) say("subject", t.projectMalformed);
		if (row.branch !== "" && !REF.test(row.branch)) say("branch", t.nameMalformed);
		if (/["\\$\u0060]/.test(row.environment)) say("environment", t.nameMalformed);
	}
	if (row.platform === "kubernetes") {
		if (!LABEL.test(row.namespace)) say("subject", t.labelMalformed);
		if (row.service_account !== "*" && !LABEL.test(row.service_account))
			say("service_account", t.labelMalformed);
	}
	if (row.platform === "other") {
		if (row.subject === "") say("subject", t.subjectMissing);
		const lines = row.claims.split("\n").filter((line) => line.trim() !== "");
		if (lines.some((line) => line.indexOf("=") < 1)) say("claims", t.claimsMalformed);
	}
	return found;
}

export type Admitted =
	| "repositories"
	| "branches"
	| "pullRequests"
	| "forks"
	| "projects"
	| "refs"
	| "mergeRequests"
	| "environmentJobs"
	| "protectedRefs"
	| "serviceAccounts"
	| "beginning";

/** Who the `*` of the subject admits; empty without one. */
export function admittedBy(typed: WorkloadRow): readonly Admitted[] {
	const { platform, project, branch, environment, is_protected } = trimmed(typed);
	const { subject } = workloadOf(typed);
	if (!subject.endsWith("*")) return [];
	const isEvery = project.endsWith(EVERY);
	const isFree = branch === "" && environment === "";
	if (platform === "github")
		return [
			...(isEvery ? (["repositories"] as const) : []),
			...(isFree ? (["branches", "pullRequests"] as const) : []),
			// `pull_request_target` runs for forks, with the branch that they ask to change.
			...(environment === "" ? (["forks"] as const) : []),
		];
	if (platform === "gitlab")
		return [
			...(isEvery ? (["projects"] as const) : []),
			...(isFree && !is_protected ? (["refs", "mergeRequests"] as const) : []),
			// Any job may name an environment that GitLab does not protect.
			...(branch === "" && environment !== "" && !is_protected ? (["environmentJobs"] as const) : []),
			...(branch === "" && is_protected ? (["protectedRefs"] as const) : []),
		];
	return platform === "kubernetes" ? ["serviceAccounts"] : ["beginning"];
}

function pairOf(line: string): [string, string] {
	const at = line.indexOf("=");
	return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

function withoutStar(text: string, replacement = ""): string {
	return text.endsWith(EVERY) ? text.slice(0, -EVERY.length) + replacement : text;
}

function trimmed(row: WorkloadRow): WorkloadRow {
	const texts = Object.entries(row).map(([name, value]) => [
		name,
		typeof value === "string" ? value.trim() : value,
	]);
	return Object.fromEntries(texts) as unknown as WorkloadRow;
}

function isSame(one: Workload, other: Workload): boolean {
	const sorted = ({ issuer_id, subject, claims }: Workload) =>
		JSON.stringify([issuer_id, subject, Object.entries(claims).sort()]);
	return sorted(one) === sorted(other);
}
