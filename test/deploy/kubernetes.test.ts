// The manifests hold together, and each probe asks what it should: liveness never asks the database.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { untilHealth } from "../harness/ledger.ts";
import { OWN_POSTGRES_SKIPPED, type OwnPostgres, startOwnPostgres } from "../harness/own-postgres.ts";
import { startTestService, type TestService } from "../harness/service.ts";
import { DEPLOY, readDelivered, readEnvFile, readYaml, type Yaml } from "./delivered.ts";

/** The service's own, in src/cli/serve.ts. */
const STOP_SECONDS = 10;
const FOLDER = join(DEPLOY, "kubernetes");
const one = (file: string): Yaml => {
	const documents = readYaml(`kubernetes/${file}`);
	assert.equal(documents.length, 1, file);
	return documents[0];
};
const kustomization = one("kustomization.yaml");
const deployment = one("deployment.yaml");
const pod = deployment.spec.template.spec;
const [container] = pod.containers;

describe("the manifests", () => {
	test("are all in the kustomization, or say why not", () => {
		const files = readdirSync(FOLDER).filter((file) => file.endsWith(".yaml"));
		const outside = ["kustomization.yaml", "migrate-job.yaml"];
		assert.deepEqual([...kustomization.resources, ...outside].sort(), files.sort());
		for (const { envs } of [...kustomization.configMapGenerator, ...kustomization.secretGenerator])
			for (const file of envs) assert.ok(existsSync(join(FOLDER, `${file}.example`)), file);
		for (const file of files) {
			const { apiVersion, kind } = one(file);
			assert.ok(typeof apiVersion === "string" && typeof kind === "string", file);
		}
	});

	test("name ports, ConfigMaps, Secrets, volumes and pods there are", () => {
		const ports = container.ports.map(({ name }: Yaml) => name);
		const service = one("service.yaml");
		for (const { targetPort } of service.spec.ports) assert.ok(ports.includes(targetPort));
		const { backend } = one("ingress.yaml").spec.rules[0].http.paths[0];
		assert.equal(backend.service.name, service.metadata.name);
		assert.equal(backend.service.port.name, service.spec.ports[0].name);
		for (const { ports: allowed } of one("network-policy.yaml").spec.ingress)
			for (const { port } of allowed) assert.ok(ports.includes(port), port);
		const made = [...kustomization.configMapGenerator, ...kustomization.secretGenerator].map(
			({ name }) => name,
		);
		for (const spec of [pod, one("migrate-job.yaml").spec.template.spec])
			for (const { envFrom, volumeMounts } of spec.containers) {
				for (const { configMapRef, secretRef } of envFrom)
					assert.ok(made.includes((configMapRef ?? secretRef).name));
				for (const mount of volumeMounts)
					assert.ok(
						spec.volumes.some(({ name }: Yaml) => name === mount.name),
						mount.name,
					);
			}
	});

	test("have the ports of the settings, and allow the connections that the settings need", () => {
		const config = readEnvFile("kubernetes/config.env.example");
		const port = (name: string): number =>
			container.ports.find((candidate: Yaml) => candidate.name === name).containerPort;
		assert.equal(port("http"), Number(config.LATCHKEY_PORT ?? 8080));
		assert.equal(port("metrics"), Number(config.LATCHKEY_METRICS_PORT));
		const out = one("network-policy.yaml").spec.egress.flatMap(({ ports }: Yaml) =>
			ports.map((p: Yaml) => p.port),
		);
		const urls = Object.values(readEnvFile("kubernetes/secret.env.example")).filter((value) =>
			value.includes("://"),
		);
		for (const url of urls)
			for (const [, named] of url.matchAll(/:(\d{2,5})(?=[,/]|$)/g))
				assert.ok(out.includes(Number(named)), url);
	});

	test("run as the image's user, with nothing it does not need", () => {
		const user = /^USER (\d+):(\d+)$/m.exec(readDelivered("Dockerfile"));
		for (const spec of [pod, one("migrate-job.yaml").spec.template.spec]) {
			const { runAsNonRoot, runAsUser, runAsGroup, seccompProfile } = spec.securityContext;
			assert.deepEqual([runAsNonRoot, runAsUser, runAsGroup], [true, Number(user?.[1]), Number(user?.[2])]);
			assert.equal(seccompProfile.type, "RuntimeDefault");
			// A Service of that name would put LATCHKEY_PORT into the pods.
			assert.deepEqual([spec.enableServiceLinks, spec.automountServiceAccountToken], [false, false]);
			const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } =
				spec.containers[0].securityContext;
			assert.deepEqual(
				[allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities.drop],
				[false, true, ["ALL"]],
			);
			const mounted = spec.containers[0].volumeMounts.map(({ mountPath }: Yaml) => mountPath);
			assert.deepEqual(mounted, ["/var/lib/latchkey", "/tmp"]);
		}
	});

	test("give a pod the time it takes to stop, and take one at a time", () => {
		const drain = Number(readEnvFile("kubernetes/config.env.example").LATCHKEY_DRAIN_SECONDS);
		const { periodSeconds, failureThreshold } = container.readinessProbe;
		assert.ok(drain >= periodSeconds * failureThreshold + 5);
		assert.ok(pod.terminationGracePeriodSeconds > drain + STOP_SECONDS);
		assert.deepEqual(deployment.spec.strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 });
		assert.ok(deployment.spec.replicas >= 2);
		assert.equal(one("pod-disruption-budget.yaml").spec.maxUnavailable, 1);
	});
});

describe("the probes", { skip: OWN_POSTGRES_SKIPPED }, () => {
	let postgres: OwnPostgres;
	let service: TestService;
	before(async () => {
		postgres = await startOwnPostgres();
		service = await startTestService({
			env: {
				LATCHKEY_DATABASE_URL: postgres.url,
				LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
				LATCHKEY_LOG_LEVEL: "fatal",
				LATCHKEY_RATE_LIMIT_PER_MINUTE: "100",
			},
		});
	});
	after(async () => {
		await service?.stop();
		await postgres?.remove();
	});
	const ask = async (probe: Yaml): Promise<number> => (await service.call("GET", probe.httpGet.path)).status;

	test("with the database away a pod gets no requests and is not killed", async () => {
		const { startupProbe, readinessProbe, livenessProbe } = container;
		for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
			assert.equal(probe.httpGet.port, "http");
			assert.equal(await ask(probe), 200);
		}
		postgres.signal("SIGKILL");
		await untilHealth(service, 503, 2_000);
		assert.deepEqual([await ask(readinessProbe), await ask(livenessProbe)], [503, 200]);
	});

	test("never use up the rate limit of their caller", async () => {
		const { readinessProbe, livenessProbe } = container;
		for (let times = 0; times < 200; times++) assert.equal(await ask(livenessProbe), 200);
		assert.ok(60 / readinessProbe.periodSeconds <= 20);
	});

	test("of the image asks the same as liveness", () => {
		const { path } = container.livenessProbe.httpGet;
		assert.ok(/^HEALTHCHECK .*\\\n +CMD (.*)$/m.exec(readDelivered("Dockerfile"))?.[1]?.includes(path));
	});
});
