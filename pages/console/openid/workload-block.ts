// The lines that a workload needs, from docs/no-secret-in-your-pipeline.md, with the values of one client.

import { type Platform, type WorkloadRow, workloadOf } from "./workload-rows.ts";

/** The values of the guide. */
const GUIDE = {
	issuer: "https://auth.example.com",
	clientId: "01980000-0000-7000-8000-000000000000",
	resource: "https://billing.example",
} as const;

const FILES: Readonly<Record<Platform, readonly string[]>> = {
	github: [".github/workflows/deploy.yml"],
	gitlab: [".gitlab-ci.yml"],
	kubernetes: ["pod.yaml", "call.sh"],
	other: ["call.sh"],
};

export interface BlockValues {
	/** The URL of this service. */
	readonly issuer: string;
	/** The `aud` that its tokens need. */
	readonly audience: string;
	readonly clientId: string;
	readonly resource: string;
}

/** @param files the samples of the guide by name */
export function blocksOf(
	row: WorkloadRow,
	files: Readonly<Record<string, string>>,
	values: BlockValues,
): readonly { readonly file: string; readonly code: string }[] {
	return FILES[row.platform].map((file) => {
		const code = files[file];
		if (code === undefined) throw new Error(`docs/no-secret-in-your-pipeline.md holds no ${file}`);
		return { file, code: filled(shaped(code, row), values) };
	});
}

/** A value in YAML, which reads JSON. */
const quoted = (text: string): string => JSON.stringify(text.trim());
/** URLs of usual characters, and ids, stay as they are in the guide. */
const PLAIN = /^(?:https?:\/\/[\w.~%+:/-]*[\w/]|[0-9a-f]{8}-[0-9a-f-]{27})$/;
const inYaml = (text: string): string => (PLAIN.test(text) ? text : quoted(text));
const inShell = (text: string): string => (PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** As the workload is restricted. */
function shaped(code: string, row: WorkloadRow): string {
	const { branch, environment, namespace } = row;
	switch (row.platform) {
		case "github":
			return replaceEach(code, [
				["branches: [main]", branch === "" ? "" : `branches: [${quoted(branch)}]`],
				["environment: production", environment === "" ? "" : `environment: ${quoted(environment)}`],
			]);
		case "gitlab":
			return replaceEach(code, [
				[`- if: $CI_COMMIT_BRANCH == "main"`, branch === "" ? "" : `- if: ${isBranch(branch)}`],
				["environment: production", environment === "" ? "" : `environment: ${quoted(environment)}`],
			]);
		case "kubernetes": {
			const account = workloadOf(row).subject.split(":").at(-1) ?? "";
			return replaceEach(code, [
				["namespace: prod", `namespace: ${quoted(namespace)}`],
				["serviceAccountName: shop", `serviceAccountName: ${quoted(account === "*" ? "default" : account)}`],
			]);
		}
		case "other":
			return code;
	}
}

/** A condition of GitLab, as a value in YAML: ` #` and `: ` would end it. */
function isBranch(branch: string): string {
	const condition = `$CI_COMMIT_BRANCH == ${quoted(branch)}`;
	return /^[\w./-]+$/.test(branch.trim()) ? condition : `'${condition.replaceAll("'", "''")}'`;
}

function filled(code: string, { issuer, audience, clientId, resource }: BlockValues): string {
	return replaceEach(code, [
		// First, because the URL of the service is in them.
		[`"audience=$LK_BASE_URL"`, inShell(`audience=${audience}`)],
		[`aud: ${GUIDE.issuer}`, `aud: ${inYaml(audience)}`],
		[`audience: ${GUIDE.issuer}`, `audience: ${inYaml(audience)}`],
		...placesOf(GUIDE.issuer, issuer),
		...placesOf(GUIDE.clientId, clientId),
		...placesOf(GUIDE.resource, resource),
	]);
}

function placesOf(guide: string, value: string): readonly (readonly [text: string, value: string])[] {
	return [
		[`: ${guide}`, `: ${inYaml(value)}`],
		[`:-${guide}}`, `:-${inShell(value)}}`],
	];
}

/** A line whose value is empty goes; so does a parent that has no other line. */
function replaceEach(code: string, values: readonly (readonly [text: string, value: string])[]): string {
	return values.reduce((before, [text, value]) => {
		if (value !== "") return before.replaceAll(text, () => value);
		return before
			.split("\n")
			.filter((line, index, lines) => line.trim() !== text && !isParentOf(line, lines[index + 1], text))
			.join("\n");
	}, code);
}

function isParentOf(line: string, next: string | undefined, text: string): boolean {
	return line.trim() === "rules:" && next?.trim() === text;
}
