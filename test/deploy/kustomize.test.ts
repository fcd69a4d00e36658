// The manifests as kustomize renders them: selectors and references must match after it replaces names, images and
// labels.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { skippedWithout } from "../harness/processes/server-process.ts";
import type { Yaml } from "./delivered.ts";
import { ofKind, renderKustomization, selects } from "./rendered.ts";

describe("the rendered kustomization", { skip: skippedWithout("helm", "kubectl") }, () => {
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

	// A budget that counts the pod of a Job, which has no scale, allows no disruption.
	test("excludes the pods of backups from the disruption budget", () => {
		const { matchLabels } = ofKind(objects, "PodDisruptionBudget").spec.selector;
		assert.ok(!selects(matchLabels, labels().backup));
	});

	test("references the generated ConfigMap and Secret and the same image in every pod", () => {
		const generated = [ofKind(objects, "ConfigMap"), ofKind(objects, "Secret")].map(
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
				generated,
			);
		}
		assert.equal(images.size, 1);
		assert.match([...images].join(), /^latchkey:\d+\.\d+\.\d+$/);
	});
});
