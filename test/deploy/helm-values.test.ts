// Values of the Helm chart: their effects, validation and documentation.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { ALL_SETTINGS } from "../../src/config/settings.ts";
import { bare, readDocument, tableRows } from "../docs/document.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { readEnvFile, readYaml, type Yaml } from "./delivered.ts";
import { CHART, EXAMPLE_VALUES, helm, ofKind, renderChart } from "./rendered.ts";

const skip = skippedWithout("helm");
/** Set by the image or the chart, or impossible in a pod (docs/decisions/commands.md#94). */
const NOT_IN_CONFIG = ["LATCHKEY_CONFIG", "LATCHKEY_DATA_DIR", "LATCHKEY_HOST", "LATCHKEY_MASTER_KEY_FILE"];
const [values] = readYaml("helm/latchkey/values.yaml");
const schema = JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8"));
const set = (...pairs: readonly string[]): string[] => pairs.flatMap((pair) => ["--set", pair]);
const server = (objects: readonly Yaml[]): Yaml => ofKind(objects, "Deployment").spec.template.spec;

/** Paths such as `image.tag` and `replicas`. An object with free keys counts as one value. */
function leaves(part: Yaml, path: readonly string[] = []): string[] {
	const isOpen = ["config", "resources", "ingress.annotations"].includes(path.join("."));
	const entries = typeof part === "object" && !Array.isArray(part) ? Object.entries(part) : [];
	if (isOpen || entries.length === 0) return [path.join(".")];
	return entries.flatMap(([name, value]) => leaves(value, [...path, name]));
}

describe("the documentation of the values", () => {
	test("README.md has a row for each", () => {
		const rows = tableRows(readDocument("deploy/helm/latchkey/README.md")).map(([name = ""]) => bare(name));
		assert.deepEqual(rows.filter((name) => !name.startsWith("LATCHKEY_")).sort(), leaves(values).sort());
	});

	test("values.schema.json has every setting of the service", () => {
		const settings = ALL_SETTINGS.map(({ name }) => name).filter((name) => !NOT_IN_CONFIG.includes(name));
		assert.deepEqual(Object.keys(schema.properties.config.properties).sort(), settings.sort());
	});

	test("values.schema.json has every value and allows no other", () => {
		assert.deepEqual(Object.keys(schema.properties).sort(), [...Object.keys(values), "global"].sort());
		for (const [name, part] of Object.entries<Yaml>(schema.properties))
			if (part.properties !== undefined && name !== "config") {
				assert.deepEqual(Object.keys(part.properties).sort(), Object.keys(values[name]).sort());
				assert.equal(part.additionalProperties, false, name);
			}
	});
});

describe("values", { skip }, () => {
	test("produce a valid configuration", async () => {
		const folder = mkdtempSync(join(tmpdir(), "latchkey-chart-"));
		try {
			const objects = await renderChart();
			const secrets = { ...readEnvFile("kustomize/secret.env.example") };
			secrets.LATCHKEY_MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
			for (const [name, value] of Object.entries(secrets)) writeFileSync(join(folder, name), `${value}\n`);
			const env = server(objects).containers[0].env.map(({ name, value }: Yaml) => [
				name,
				value?.replace("/etc/latchkey/secrets", folder) ?? secrets[name],
			]);
			const config = loadConfig(Object.fromEntries(env));
			assert.equal(config.databaseUrl, secrets.LATCHKEY_DATABASE_URL);
			assert.deepEqual([config.port, config.httpsPort, config.metricsPort], [8080, null, 9464]);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	test("of ports and numbers are passed unchanged", async () => {
		const numbers = ["config.LATCHKEY_PORT=8081", "config.LATCHKEY_MAX_CONNECTIONS=1000000"];
		const objects = await renderChart(...set(...numbers, "config.LATCHKEY_METRICS_PORT=0"));
		const { env, ports } = server(objects).containers[0];
		assert.deepEqual(ports, [{ name: "http", containerPort: 8081 }]);
		assert.deepEqual(
			env.find(({ name }: Yaml) => name === "LATCHKEY_MAX_CONNECTIONS"),
			{ name: "LATCHKEY_MAX_CONNECTIONS", value: "1000000" },
		);
		assert.equal(ofKind(objects, "NetworkPolicy").spec.ingress.length, 1);
	});

	test("extend the termination grace period with draining", async () => {
		const objects = await renderChart(...set("config.LATCHKEY_DRAIN_SECONDS=40"));
		assert.equal(server(objects).terminationGracePeriodSeconds, 55);
	});

	test("use an existing Gateway, claim and image", async () => {
		const digest = `sha256:${"0".repeat(64)}`;
		const objects = await renderChart(
			...set("gateway.parentRefs[0].name=shared", "backup.existingClaim=kept", `image.digest=${digest}`),
		);
		const kinds = objects.map(({ kind }) => kind);
		assert.ok(!kinds.includes("Gateway") && !kinds.includes("PersistentVolumeClaim"));
		assert.deepEqual(ofKind(objects, "HTTPRoute").spec.parentRefs, [{ name: "shared" }]);
		const { volumes } = ofKind(objects, "CronJob").spec.jobTemplate.spec.template.spec;
		assert.equal(volumes.at(-1).persistentVolumeClaim.claimName, "kept");
		assert.equal(server(objects).containers[0].image, `latchkey@${digest}`);
	});

	test("omit disabled objects", async () => {
		const off = ["gateway", "networkPolicy", "backup"].map((name) => `${name}.enabled=false`);
		const objects = await renderChart(...set(...off));
		assert.deepEqual(objects.map(({ kind }) => kind).sort(), [
			"Deployment",
			"PodDisruptionBudget",
			"Service",
		]);
	});

	test("for placement and volumes apply to every pod", async () => {
		const objects = await renderChart(
			...set(
				"migration.enabled=true",
				"nodeSelector.disk=ssd",
				"tolerations[0].key=a",
				"affinity.podAffinity=null",
			),
			...set(
				"image.pullSecrets[0]=pull",
				"extraVolumes[0].name=texts",
				"extraVolumes[0].configMap.name=texts",
			),
			...set(
				"extraVolumeMounts[0].name=texts",
				"extraVolumeMounts[0].mountPath=/texts",
				"podAnnotations.a=b",
			),
		);
		const pods = [
			ofKind(objects, "Deployment").spec.template,
			ofKind(objects, "Job").spec.template,
			ofKind(objects, "CronJob").spec.jobTemplate.spec.template,
		];
		for (const { spec } of pods) {
			assert.deepEqual([spec.nodeSelector, spec.tolerations], [{ disk: "ssd" }, [{ key: "a" }]]);
			assert.deepEqual(spec.imagePullSecrets, [{ name: "pull" }]);
			assert.ok(spec.volumes.some(({ name }: Yaml) => name === "texts"));
			assert.ok(spec.containers[0].volumeMounts.some(({ mountPath }: Yaml) => mountPath === "/texts"));
		}
		assert.deepEqual(pods[0].metadata.annotations, { a: "b" });
		assert.equal(ofKind(objects, "Job").metadata.annotations["helm.sh/hook"], "pre-upgrade");
	});
});

describe("the notes after an installation", { skip }, () => {
	test("explain how to find the first password, and warn about disabled features", async () => {
		const off = set("networkPolicy.enabled=false", "backup.enabled=false");
		const install = ["install", "latchkey", CHART, "--dry-run=client", "--values", EXAMPLE_VALUES];
		const { stdout } = await helm(...install, "--namespace", "accounts", ...off);
		assert.match(stdout, /kubectl logs --namespace accounts .*component=server \| grep 'first admin'/);
		assert.match(stdout, /The NetworkPolicy is disabled\. Any pod in 10\.244\.0\.0\/16 /);
		assert.match(stdout, /The nightly backup is disabled\./);
	});
});

describe("refused values", { skip }, () => {
	test("without any value, the message names the required ones", () =>
		assert.rejects(helm("template", "latchkey", CHART), ({ stderr }: { stderr: string }) => {
			for (const name of ["LATCHKEY_PUBLIC_URL", "LATCHKEY_TRUSTED_PROXIES", "existingSecret"])
				assert.ok(stderr.includes(name), stderr);
			return true;
		}));

	const secrets = ALL_SETTINGS.filter(({ secret }) => secret).map(({ name }) => name);
	for (const [pair, message] of [
		["replica=3", /additional properties 'replica' not allowed/],
		["replicas=0", /'\/replicas': minimum: got 0, want 1/],
		["config.LATCHKEY_PUBLC_URL=x", /'\/config': additional properties 'LATCHKEY_PUBLC_URL' not allowed/],
		["config.LATCHKEY_PUBLIC_URL=auth.test", /'\/config\/LATCHKEY_PUBLIC_URL': .*does not match/],
		["config.LATCHKEY_DATA_DIR=/data", /additional properties 'LATCHKEY_DATA_DIR' not allowed/],
		["config.LATCHKEY_DRAIN_SECONDS=5", /LATCHKEY_DRAIN_SECONDS is 5; it must be at least 15/],
		["secretSettings[0]=LATCHKEY_X", /'\/secretSettings\/0': value must be one of/],
		["backup.keepDays=0", /'\/backup\/keepDays': minimum: got 0, want 1/],
		...secrets.map(
			(name) =>
				[`config.${name}=x`, new RegExp(`config\\.${name} is a secret; put it into the Secret`)] as const,
		),
	] as const)
		test(pair, () =>
			assert.rejects(renderChart(...set(pair)), ({ stderr }: { stderr: string }) => {
				assert.match(stderr, message);
				return true;
			}),
		);
});
