// The manifests as kustomize renders them: it changes names, images and labels, and selectors must still match.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { skippedWithout } from "../harness/server-process.ts";
import type { Yaml } from "./delivered.ts";
import { ofKind, renderKustomization, selects } from "./rendered.ts";

describe("the rendered kustomization", { skip: skippedWithout("kubectl") }, () => {
	let objects: Yaml[];
	before(async () => {
		objects = await renderKustomization();
	});
	const labels = (): Record<"server" | "backup", Record<string, string>> => ({
		server: ofKind(objects, "Deployment").spec.template.metadata.labels,
		backup: ofKind(objects, "CronJob").spec.jobTemplate.spec.template.metadata.labels,
	});

	test("selects the pods of the service", () => {
		const { server } = labels();
		assert.ok(selects(ofKind(objects, "Service").spec.selector, server));
		const { selector, template } = ofKind(objects, "Deployment").spec;
		assert.ok(selects(selector.matchLabels, server));
		const [{ labelSelector }] = template.spec.topologySpreadConstraints;
		assert.ok(selects(labelSelector.matchLabels, server));
		assert.ok(selects(ofKind(objects, "PodDisruptionBudget").spec.selector.matchLabels, server));
	});

	// A budget that counts the pod of a Job allows no disruption: a Job has no scale.
	test("leaves the pods of backups out of the disruption budget", () => {
		const { matchLabels } = ofKind(objects, "PodDisruptionBudget").spec.selector;
		assert.ok(!selects(matchLabels, labels().backup));
	});

	test("names the generated ConfigMap and Secret in every pod, and one image", () => {
		const made = [ofKind(objects, "ConfigMap"), ofKind(objects, "Secret")].map(
			({ metadata }) => metadata.name,
		);
		const pods = [
			ofKind(objects, "Deployment").spec.template.spec,
			ofKind(objects, "CronJob").spec.jobTemplate.spec.template.spec,
		];
		const images = new Set<string>();
		for (const { containers } of pods) {
			const [{ image, envFrom }] = containers;
			images.add(image);
			assert.deepEqual(
				envFrom.map(({ configMapRef, secretRef }: Yaml) => (configMapRef ?? secretRef).name),
				made,
			);
		}
		assert.equal(images.size, 1);
		assert.match([...images].join(), /^latchkey:\d+\.\d+\.\d+$/);
	});
});
