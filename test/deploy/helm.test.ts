// The objects that the Helm chart renders.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { readEnvFile, readYaml, type Yaml } from "./delivered.ts";
import { CHART, EXAMPLE_VALUES, helm, ofKind, renderChart, selects } from "./rendered.ts";

const skip = skippedWithout("helm");
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
/** Enables every kind, including those that are disabled by default. */
const ALL_KINDS = ["--set", "ingress.enabled=true", "--set", "migration.enabled=true"];

const podOf = ({ spec }: Yaml): Yaml => (spec.jobTemplate?.spec ?? spec).template;

describe("the Helm chart", { skip }, () => {
	let objects: Yaml[];
	before(async () => {
		objects = await renderChart(...ALL_KINDS);
	});

	test("passes helm lint", async () => {
		const { stdout } = await helm("lint", "--strict", "--values", EXAMPLE_VALUES, CHART);
		assert.match(stdout, /1 chart\(s\) linted, 0 chart\(s\) failed/);
	});

	test("has the version of the package, and renders its image", () => {
		const [chart] = readYaml("helm/latchkey/Chart.yaml");
		assert.deepEqual([chart.version, chart.appVersion], [version, version]);
		for (const kind of ["Deployment", "CronJob", "Job"])
			assert.equal(podOf(ofKind(objects, kind)).spec.containers[0].image, `latchkey:${version}`);
	});

	test("selects only the pods that serve", () => {
		const labels = (kind: string): Record<string, string> => podOf(ofKind(objects, kind)).metadata.labels;
		const { selector, template } = ofKind(objects, "Deployment").spec;
		const ofServer = [
			selector.matchLabels,
			template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
			ofKind(objects, "Service").spec.selector,
			ofKind(objects, "PodDisruptionBudget").spec.selector.matchLabels,
		];
		for (const found of ofServer) {
			assert.ok(selects(found, labels("Deployment")));
			for (const kind of ["CronJob", "Job"]) assert.ok(!selects(found, labels(kind)), kind);
		}
		const { podSelector } = ofKind(objects, "NetworkPolicy").spec;
		for (const kind of ["Deployment", "CronJob", "Job"])
			assert.ok(selects(podSelector.matchLabels, labels(kind)), kind);
	});

	test("passes the settings of the example files to every pod, and secrets as files", () => {
		const config = readEnvFile("kustomize/config.env.example");
		const secrets = Object.keys(readEnvFile("kustomize/secret.env.example"));
		for (const kind of ["Deployment", "CronJob", "Job"]) {
			const { containers, volumes } = podOf(ofKind(objects, kind)).spec;
			const env: readonly Yaml[] = containers[0].env;
			const plain = env.filter(({ name }) => name in config);
			assert.deepEqual(Object.fromEntries(plain.map(({ name, value }) => [name, value])), config);
			const others = env.filter(({ name }) => !(name in config)).map(({ name }) => name);
			assert.deepEqual(others.map((name) => name.replace(/_FILE$/, "")).sort(), secrets.sort());
			const mounted = volumes.find(({ name }: Yaml) => name === "secrets").secret;
			assert.equal(mounted.defaultMode, 0o440);
			const mountPath = containers[0].volumeMounts.find(({ name }: Yaml) => name === "secrets").mountPath;
			for (const { name, value, valueFrom } of env.filter(({ name }) => others.includes(name)))
				if (valueFrom !== undefined)
					assert.deepEqual(valueFrom.secretKeyRef, { name: mounted.secretName, key: name });
				else {
					const { path } = mounted.items.find(({ key }: Yaml) => `${key}_FILE` === name);
					assert.equal(value, `${mountPath}/${path}`);
				}
		}
	});

	test("keeps the backups after an uninstall", () =>
		assert.deepEqual(ofKind(objects, "PersistentVolumeClaim").metadata.annotations, {
			"helm.sh/resource-policy": "keep",
		}));
});
