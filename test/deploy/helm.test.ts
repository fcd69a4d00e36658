// The Helm chart is the manifests with values: the same objects, settings that the program takes, refusals that name the value.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { skippedWithout } from "../harness/server-process.ts";
import { readEnvFile, readYaml, type Yaml } from "./delivered.ts";
import { CHART, EXAMPLE_VALUES, helm, ofKind, renderChart, selects } from "./rendered.ts";

const skip = skippedWithout("helm");
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
/** Every kind, with those that are off in the default values. */
const ALL_KINDS = ["--set", "ingress.enabled=true", "--set", "migration.enabled=true"];

const podOf = ({ spec }: Yaml): Yaml => (spec.jobTemplate?.spec ?? spec).template;

/** What both deliver in the same way. Settings and labels have tests of their own. */
function comparable(object: Yaml): Yaml {
	const { kind, metadata, spec } = structuredClone(object);
	if (kind === "PersistentVolumeClaim" || kind === "Ingress") return { kind, name: metadata.name, spec };
	for (const key of ["selector", "podSelector"]) delete spec[key];
	const pod = podOf({ spec })?.spec;
	if (pod !== undefined) {
		delete podOf({ spec }).metadata;
		delete pod.topologySpreadConstraints?.[0].labelSelector;
		pod.volumes = pod.volumes.filter(({ name }: Yaml) => name !== "secrets");
		for (const container of pod.containers) {
			container.image = container.image.replace(/:.*/, "");
			container.volumeMounts = container.volumeMounts.filter(({ name }: Yaml) => name !== "secrets");
			for (const key of ["env", "envFrom", "imagePullPolicy"]) delete container[key];
		}
	}
	return { kind, name: metadata.name, spec };
}

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

	const manifests = [
		"deployment",
		"service",
		"pod-disruption-budget",
		"network-policy",
		"gateway",
		"backup-cronjob",
		"ingress",
		"migrate-job",
	].flatMap((file) => readYaml(`kubernetes/${file}.yaml`));
	for (const manifest of manifests)
		test(`renders the manifests' ${manifest.kind}`, () => {
			const object = ofKind(objects, manifest.kind);
			assert.equal(object.apiVersion, manifest.apiVersion);
			assert.deepEqual(comparable(object), comparable(manifest));
		});

	test("renders nothing else", () =>
		assert.deepEqual(objects.map(({ kind }) => kind).sort(), manifests.map(({ kind }) => kind).sort()));

	test("selects the pods that serve, and no others where that matters", () => {
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

	test("gives every pod the settings of the example files, secrets as files", () => {
		const config = readEnvFile("kubernetes/config.env.example");
		const secrets = Object.keys(readEnvFile("kubernetes/secret.env.example"));
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

	test("keeps the backups when the release is uninstalled", () =>
		assert.deepEqual(ofKind(objects, "PersistentVolumeClaim").metadata.annotations, {
			"helm.sh/resource-policy": "keep",
		}));
});
