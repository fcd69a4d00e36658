// The compose file is consistent: everything that it references exists, and the nodes trust only nginx.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, test } from "node:test";
import { DEPLOY, readDelivered, readYaml, type Yaml } from "./delivered.ts";

/** Time limit of the service, from src/cli/serve.ts. */
const STOP_SECONDS = 10;
const FOLDER = resolve(DEPLOY, "compose");
/** Created by the steps in the first lines of the file. */
const CREATED = ["./tls", "latchkey.env", "postgres.env"];
const [compose] = readYaml("compose/compose.yaml");
const services: [string, Yaml][] = Object.entries(compose.services);
const nodes = services.filter(([name]) => name.startsWith("latchkey-"));

describe("compose.yaml", () => {
	test("refers to existing resources", () => {
		for (const [name, service] of services) {
			const networks = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks);
			for (const network of networks) assert.ok(network in compose.networks, `${name}: ${network}`);
			for (const other of Object.keys(service.depends_on ?? {})) assert.ok(other in compose.services, other);
			for (const volume of (service.volumes ?? []) as string[]) {
				const [source = ""] = volume.split(":");
				const exists = source.startsWith(".")
					? existsSync(resolve(FOLDER, source)) || CREATED.includes(source)
					: source in compose.volumes;
				assert.ok(exists, `${name}: ${volume}`);
			}
			if (service.env_file === undefined) continue;
			assert.ok(existsSync(resolve(FOLDER, `${service.env_file}.example`)), service.env_file);
			if (service.build === undefined) continue;
			const context = resolve(FOLDER, service.build.context);
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
