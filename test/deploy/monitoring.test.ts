// Alert rules, dashboard and runbook: each metric that they reference is served, and each alert has a runbook entry.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { readDocument, sections } from "../docs/document.ts";
import { findProgram, skippedWithout } from "../harness/processes/server-process.ts";
import { testService } from "../harness/runs/fixture.ts";
import { DEPLOY, readDelivered, readYaml } from "./delivered.ts";

const RULES = "prometheus/latchkey.rules.yaml";
const run = promisify(execFile);
const METRIC = /\b(?:latchkey|nodejs|process)_\w+/g;

interface Rule {
	readonly alert: string;
	readonly expr: string;
	readonly labels: { readonly severity: string };
	readonly annotations: { readonly summary: string; readonly runbook: string };
}

interface Panel {
	readonly id: number;
	readonly title: string;
	readonly targets: readonly { readonly expr: string }[];
}

const rules: readonly Rule[] = readYaml(RULES)[0].groups.flatMap(
	(group: { readonly rules: readonly Rule[] }) => group.rules,
);
const { panels }: { readonly panels: readonly Panel[] } = JSON.parse(readDelivered("grafana/latchkey.json"));

describe("the metrics in alerts, dashboard and runbook", () => {
	const service = testService({ metrics: true });
	const served = new Set<string>();
	before(async () => {
		const response = await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`);
		for (const [, name = "", type] of (await response.text()).matchAll(/^# TYPE (\w+) (\w+)$/gm))
			for (const ending of type === "histogram" ? ["_bucket", "_count", "_sum"] : [""])
				served.add(name + ending);
	});

	const named = (text: string): string[] => [...text.matchAll(METRIC)].map(([name]) => name);

	for (const { alert, expr } of rules)
		test(`exist: alert ${alert}`, () => {
			for (const name of named(expr)) assert.ok(served.has(name), name);
			assert.ok(named(expr).length > 0 || expr.startsWith('up{job="latchkey"}'), expr);
		});

	for (const { title, targets } of panels)
		test(`exist: panel ${title}`, () => {
			assert.ok(targets.length > 0);
			for (const { expr } of targets) {
				assert.ok(named(expr).length > 0, expr);
				for (const name of named(expr)) assert.ok(served.has(name), name);
			}
		});

	test("exist: runbook", () => {
		for (const name of named(readDocument("docs/runbook.md"))) assert.ok(served.has(name), name);
	});
});

describe("the dashboard", () => {
	test("has a panel for every metric", () => {
		const documented = [...readDocument("docs/monitoring.md").matchAll(/^\| `(latchkey_\w+)`/gm)];
		const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join("\n");
		const missing = documented.map(([, name = ""]) => name).filter((name) => !shown.includes(name));
		assert.ok(documented.length > 20);
		assert.deepEqual(missing, []);
	});

	test("gives every panel a unique id", () => {
		assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
	});
});

describe("docs/runbook.md", () => {
	const entries = sections(readDocument("docs/runbook.md"));

	test("has one entry per alert and no other", () => {
		assert.ok(rules.length > 10);
		assert.deepEqual([...entries.keys()].sort(), rules.map(({ alert }) => alert).sort());
	});

	for (const { alert, labels, annotations } of rules)
		test(`explains ${alert}`, () => {
			for (const part of ["**Means:**", "**Look:**", "**Do:**"])
				assert.ok(entries.get(alert)?.includes(part), part);
			assert.equal(annotations.runbook, `docs/runbook.md#${alert.toLowerCase()}`);
			assert.ok(annotations.summary.length > 0);
			assert.ok(["critical", "warning"].includes(labels.severity));
		});
});

describe("promtool", { skip: skippedWithout("promtool") }, () => {
	test("accepts the rules", async () => {
		const program = findProgram("promtool") ?? "promtool";
		const { stdout } = await run(program, ["check", "rules", "--lint-fatal", join(DEPLOY, RULES)]);
		assert.match(stdout, new RegExp(`SUCCESS: ${rules.length} rules found`));
	});
});
