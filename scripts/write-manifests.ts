// `npm run manifests`: writes build/kubernetes, for `kubectl apply --kustomize`: the Helm chart rendered, and deploy/kustomize. Requires helm.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const DEPLOY = join(ROOT, "deploy");
const HEADER = "# Rendered from the Helm chart; kustomization.yaml says what to edit.\n";
/** Kustomize generates both, with a digest in the name, and replaces the references. */
const SETTINGS = [{ configMapRef: { name: "latchkey" } }, { secretRef: { name: "latchkey" } }];
/** What belongs to a release: kustomization.yaml replaces the version, and no release manages the objects. */
const OF_RELEASE = /^ +(?:helm\.sh\/\S+|app\.kubernetes\.io\/(?:instance|version|managed-by)): .*\n/gm;

if (import.meta.main) {
	const folder = join(ROOT, "build/kubernetes");
	writeManifests(folder);
	console.log(`wrote ${folder}: kustomization.yaml says what to edit`);
}

/** Replaces the folder. */
export function writeManifests(folder: string): void {
	rmSync(folder, { recursive: true, force: true });
	mkdirSync(folder, { recursive: true });
	for (const [file, text] of [...readKustomization(), ...renderManifests()])
		writeFileSync(join(folder, file), text);
}

/** @returns the text of each file that is the same in every release. */
export function readKustomization(): Map<string, string> {
	const folder = join(DEPLOY, "kustomize");
	return new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

/** @returns the text of each file that has a template in the chart. */
export function renderManifests(): Map<string, string> {
	const values = [
		"--values",
		join(DEPLOY, "helm/values.yaml.example"),
		"--set-json",
		`envFrom=${JSON.stringify(SETTINGS)}`,
	];
	const optional = ["--set", "ingress.enabled=true,migration.enabled=true"];
	const chart = join(DEPLOY, "helm/latchkey");
	const rendered = execFileSync("helm", ["template", "latchkey", chart, ...values, ...optional], {
		encoding: "utf8",
	});
	const files = new Map<string, string>();
	for (const object of rendered.split(/^---\n# Source: latchkey\/templates\//m).slice(1)) {
		const [, file = "", text = ""] = /^(.+)\n([\s\S]*)$/.exec(object) ?? [];
		const before = files.has(file) ? `${files.get(file)}---\n` : HEADER;
		files.set(file, before + text.replaceAll(OF_RELEASE, "").replaceAll(/^ +annotations:\n(?=\S)/gm, ""));
	}
	return files;
}
