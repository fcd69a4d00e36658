// `npm run manifests`: renders the Helm chart into deploy/kubernetes, for `kubectl apply --kustomize`. Requires helm.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const DEPLOY = join(import.meta.dirname, "../deploy");
const HEADER =
	"# Rendered from deploy/helm/latchkey by `npm run manifests`; kustomization.yaml says what to edit.\n";
/** Kustomize generates both, with a digest in the name, and replaces the references. */
const SETTINGS = [{ configMapRef: { name: "latchkey" } }, { secretRef: { name: "latchkey" } }];
/** What belongs to a release: kustomization.yaml replaces the version, and no release manages the objects. */
const OF_RELEASE = /^ +(?:helm\.sh\/\S+|app\.kubernetes\.io\/(?:instance|version|managed-by)): .*\n/gm;

if (import.meta.main)
	for (const [file, text] of renderManifests()) writeFileSync(join(DEPLOY, "kubernetes", file), text);

/** @returns the text of each file in deploy/kubernetes that has a template in the chart. */
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
	return files.set("deployment.yaml", withFirstSelector(files.get("deployment.yaml") ?? ""));
}

/** The selector of a Deployment is immutable, and that of 0.2.0 has no component. */
function withFirstSelector(deployment: string): string {
	return deployment.replace(
		/(?<=\n {2}selector:\n(?: {4}.*\n)*?) {6}app\.kubernetes\.io\/component: .*\n/,
		"",
	);
}
