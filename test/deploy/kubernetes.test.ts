// The manifests are consistent, and liveness probes never depend on the database.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { readKustomization, renderManifests } from "../../scripts/write-manifests.ts";
import { until } from "../harness/databases/ledger.ts";
import { OWN_POSTGRES_SKIPPED, startOwnPostgres } from "../harness/databases/own-postgres.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { makePlace } from "../harness/service/installation.ts";
import { DEPLOY, parseYaml, readDelivered, readEnvFile, type Yaml } from "./delivered.ts";

/** Time limit of the service, from src/cli/serve.ts. */
const STOP_SECONDS = 10;
const ROOT = join(DEPLOY, "..");
const run = promisify(execFile);
const skip = skippedWithout("helm");
const manifests =
	skip === false ? new Map([...readKustomization(), ...renderManifests()]) : new Map<string, string>();
const all = (file: string): Yaml[] => parseYaml(manifests.get(file) ?? "");
const one = (file: string, kind?: string): Yaml => {
	const documents = all(file).filter((document) => kind === undefined || document.kind === kind);
	assert.equal(documents.length, 1, file);
	return documents[0];
};
const { kustomization, deployment, migration, backup }: Yaml = skip === false ? readPods() : {};
const pod = deployment?.spec.template.spec;
const [container] = pod?.containers ?? [];

function readPods(): Yaml {
	return {
		kustomization: one("kustomization.yaml"),
		deployment: one("deployment.yaml"),
		migration: one("migrate-job.yaml").spec.template.spec,
		backup: one("backup-cronjob.yaml", "CronJob").spec.jobTemplate.spec.template.spec,
	};
}

describe("the manifests", { skip }, () => {
	test("are in the kustomization, except the optional ones", () => {
		const files = [...manifests.keys()].filter((file) => file.endsWith(".yaml"));
		const outside = ["kustomization.yaml", "migrate-job.yaml", "ingress.yaml"];
		assert.deepEqual([...kustomization.resources, ...outside].sort(), files.sort());
		for (const { envs } of [...kustomization.configMapGenerator, ...kustomization.secretGenerator])
			for (const file of envs) assert.ok(manifests.has(`${file}.example`), file);
		for (const file of files)
			for (const { apiVersion, kind } of all(file))
				assert.ok(typeof apiVersion === "string" && typeof kind === "string", file);
	});

	test("reference existing ports, Services, ConfigMaps, Secrets and volumes", () => {
		const ports = container.ports.map(({ name }: Yaml) => name);
		const service = one("service.yaml");
		for (const { targetPort } of service.spec.ports) assert.ok(ports.includes(targetPort));
		const { backend } = one("ingress.yaml").spec.rules[0].http.paths[0];
		assert.equal(backend.service.name, service.metadata.name);
		assert.equal(backend.service.port.name, service.spec.ports[0].name);
		const route = one("gateway.yaml", "HTTPRoute").spec;
		assert.equal(route.parentRefs[0].name, one("gateway.yaml", "Gateway").metadata.name);
		const [{ name, port }] = route.rules[0].backendRefs;
		assert.deepEqual([name, port], [service.metadata.name, service.spec.ports[0].port]);
		for (const { ports: allowed } of one("network-policy.yaml").spec.ingress)
			for (const { port } of allowed) assert.ok(ports.includes(port), port);
		const generated = [...kustomization.configMapGenerator, ...kustomization.secretGenerator].map(
			({ name }) => name,
		);
		for (const spec of [pod, migration, backup])
			for (const { envFrom, volumeMounts } of spec.containers) {
				for (const { configMapRef, secretRef } of envFrom)
					assert.ok(generated.includes((configMapRef ?? secretRef).name));
				for (const mount of volumeMounts)
					assert.ok(
						spec.volumes.some(({ name }: Yaml) => name === mount.name),
						mount.name,
					);
			}
	});

	test("match the ports of the settings, and allow the connections that the settings require", () => {
		const config = readEnvFile("kustomize/config.env.example");
		const port = (name: string): number =>
			container.ports.find((candidate: Yaml) => candidate.name === name).containerPort;
		assert.equal(port("http"), Number(config.LATCHKEY_PORT ?? 8080));
		assert.equal(port("metrics"), Number(config.LATCHKEY_METRICS_PORT));
		const out = one("network-policy.yaml").spec.egress.flatMap(({ ports }: Yaml) =>
			ports.map((p: Yaml) => p.port),
		);
		const urls = Object.values(readEnvFile("kustomize/secret.env.example")).filter((value) =>
			value.includes("://"),
		);
		for (const url of urls)
			for (const [, named] of url.matchAll(/:(\d{2,5})(?=[,/]|$)/g))
				assert.ok(out.includes(Number(named)), url);
	});

	test("run as the image's user with minimal privileges", () => {
		const user = /^USER (\d+):(\d+)$/m.exec(readDelivered("Dockerfile"));
		for (const spec of [pod, migration, backup]) {
			const { runAsNonRoot, runAsUser, runAsGroup, seccompProfile } = spec.securityContext;
			assert.deepEqual([runAsNonRoot, runAsUser, runAsGroup], [true, Number(user?.[1]), Number(user?.[2])]);
			assert.equal(seccompProfile.type, "RuntimeDefault");
			// Service links would set LATCHKEY_PORT in the pods.
			assert.deepEqual([spec.enableServiceLinks, spec.automountServiceAccountToken], [false, false]);
			const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } =
				spec.containers[0].securityContext;
			assert.deepEqual(
				[allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities.drop],
				[false, true, ["ALL"]],
			);
			const mounted = spec.containers[0].volumeMounts.map(({ mountPath }: Yaml) => mountPath);
			const backups = spec === backup ? ["/backups"] : [];
			const expected = ["/var/lib/latchkey", "/tmp", "/etc/latchkey/database-ca", ...backups];
			assert.deepEqual(mounted, expected);
		}
	});

	test("wait until a pod has stopped, and replace one at a time", () => {
		const drain = Number(readEnvFile("kustomize/config.env.example").LATCHKEY_DRAIN_SECONDS);
		const { periodSeconds, failureThreshold } = container.readinessProbe;
		assert.ok(drain >= periodSeconds * failureThreshold + 5);
		assert.ok(pod.terminationGracePeriodSeconds > drain + STOP_SECONDS);
		assert.deepEqual(deployment.spec.strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 });
		assert.ok(deployment.spec.replicas >= 2);
		assert.equal(one("pod-disruption-budget.yaml").spec.maxUnavailable, 1);
	});
});

describe("the gateway", { skip }, () => {
	test("serves the public host over TLS, and forwards plain HTTP without a redirect", () => {
		const { listeners } = one("gateway.yaml", "Gateway").spec;
		const { LATCHKEY_PUBLIC_URL = "" } = readEnvFile("kustomize/config.env.example");
		for (const { hostname } of listeners) assert.equal(hostname, new URL(LATCHKEY_PUBLIC_URL).hostname);
		assert.deepEqual(
			listeners.map(({ protocol }: Yaml) => protocol),
			["HTTP", "HTTPS"],
		);
		// Without a section name, the route serves both listeners.
		const { parentRefs, rules } = one("gateway.yaml", "HTTPRoute").spec;
		assert.equal(parentRefs[0].sectionName, undefined);
		assert.deepEqual(Object.keys(rules[0]).sort(), ["backendRefs", "timeouts"]);
	});
});

describe("the nightly backup", { skip: skip || POSTGRES_SKIPPED }, () => {
	test("writes a file that can be restored, and then deletes old ones", async () => {
		const [{ command, args }] = backup.containers;
		assert.deepEqual(command, ["sh", "-c"]);
		using folder = temporaryFolder();
		const place = await makePlace("postgres");
		try {
			const service = await place.serve();
			await service.addUser({ username: "kept", email: "kept@people.example", password: "a long password" });
			await service.stop();
			const old = join(folder.path, "old.gz");
			writeFileSync(old, "");
			utimesSync(old, 0, 0);
			const script = args[0].replaceAll("/backups", folder.path);
			const env = { ...process.env, ...place.env };
			await assert.rejects(
				run("sh", ["-c", script], {
					cwd: ROOT,
					env: { ...env, LATCHKEY_DATABASE_URL: "postgres://127.0.0.1:1/x" },
				}),
			);
			assert.deepEqual(readdirSync(folder.path), ["old.gz"]);
			await run("sh", ["-c", script], { cwd: ROOT, env });
			const [file = "", ...others] = readdirSync(folder.path);
			assert.deepEqual(others, []);
			assert.match(file, /^\d{4}-\d{2}-\d{2}T\d{6}Z\.gz$/);
			assert.equal(statSync(join(folder.path, file)).mode & 0o077, 0);
			const other = await makePlace("sqlite");
			const { code, stderr } = await other.run(["restore", join(folder.path, file)]);
			await other.remove();
			assert.equal(code, 0, stderr);
		} finally {
			await place.remove();
		}
	});
});

describe("the probes", { skip: skip || OWN_POSTGRES_SKIPPED }, () => {
	const postgres = fixture(() => startOwnPostgres(), "remove");
	const service = testService(() => ({
		env: {
			LATCHKEY_DATABASE_URL: postgres.url,
			LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
			LATCHKEY_LOG_LEVEL: "fatal",
			LATCHKEY_RATE_LIMIT_PER_MINUTE: "100",
		},
	}));
	const ask = async (probe: Yaml): Promise<number> => (await service.call("GET", probe.httpGet.path)).status;

	test("stop traffic to a pod without killing it while the database is unavailable", async () => {
		const { startupProbe, readinessProbe, livenessProbe } = container;
		for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
			assert.equal(probe.httpGet.port, "http");
			assert.equal(await ask(probe), 200);
		}
		postgres.signal("SIGKILL");
		// Connections that the killed server left open may work for a moment.
		await until("the readiness probe fails", async () => (await ask(readinessProbe)) === 503);
		assert.equal(await ask(livenessProbe), 200);
	});

	test("do not count against the rate limit of their caller", async () => {
		const { readinessProbe, livenessProbe } = container;
		for (let times = 0; times < 200; times++) assert.equal(await ask(livenessProbe), 200);
		assert.ok(60 / readinessProbe.periodSeconds <= 20);
	});

	test("of the image tests liveness", () => {
		const [, command = ""] = /^HEALTHCHECK .*\\\n +CMD (.*)$/m.exec(readDelivered("Dockerfile")) ?? [];
		assert.deepEqual(JSON.parse(command).slice(-2), ["health", "--live"]);
	});
});
