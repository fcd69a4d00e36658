// Renders deploy/ with kustomize and Helm to the objects that a cluster receives.

import { execFile } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { writeManifests } from "../../scripts/write-manifests.ts";
import { findProgram } from "../harness/processes/server-process.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { DEPLOY, type Yaml } from "./delivered.ts";

export const CHART = join(DEPLOY, "helm/latchkey");
export const EXAMPLE_VALUES = join(DEPLOY, "helm/values.yaml.example");

const run = promisify(execFile);

/** The kustomization with its example settings. */
export async function renderKustomization(): Promise<Yaml[]> {
	using folder = temporaryFolder();
	const copy = join(folder.path, "kubernetes");
	writeManifests(copy);
	for (const name of ["config.env", "secret.env"])
		renameSync(join(copy, `${name}.example`), join(copy, name));
	const { stdout } = await run(findProgram("kubectl") ?? "kubectl", ["kustomize", copy]);
	return parse(stdout);
}

/** The chart with its example values. @throws Error whose `stderr` contains Helm's message. */
export async function renderChart(...options: readonly string[]): Promise<Yaml[]> {
	const { stdout } = await helm("template", "latchkey", CHART, "--values", EXAMPLE_VALUES, ...options);
	return parse(stdout);
}

export function helm(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
	return run(findProgram("helm") ?? "helm", args);
}

/** The only object of a kind. */
export function ofKind(objects: readonly Yaml[], kind: string): Yaml {
	const [found, ...others] = objects.filter((object) => object.kind === kind);
	if (found === undefined || others.length > 0) throw new Error(`${others.length + 1} objects ${kind}`);
	return found;
}

/** Whether a label selector, which must not be empty, matches the labels. */
export function selects(
	selector: Readonly<Record<string, string>>,
	labels: Readonly<Record<string, string>>,
): boolean {
	const pairs = Object.entries(selector);
	return pairs.length > 0 && pairs.every(([name, value]) => labels[name] === value);
}

/** Helm uses YAML 1.1, where 0440 is octal. */
function parse(text: string): Yaml[] {
	return parseAllDocuments(text, { strict: true, uniqueKeys: true, version: "1.1" }).map((document) => {
		const [trouble] = [...document.errors, ...document.warnings];
		if (trouble !== undefined) throw trouble;
		return document.toJS();
	});
}
