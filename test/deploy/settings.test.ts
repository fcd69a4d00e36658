// Every setting in deploy/ exists and has a valid value.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadConfig } from "../../src/config/load.ts";
import { ALL_SETTINGS } from "../../src/config/settings.ts";
import { readDelivered, readEnvFile, readYaml } from "./delivered.ts";

const MASTER_KEY = Buffer.alloc(32, 7).toString("base64");
const names = new Set(ALL_SETTINGS.map(({ name }) => name));

/** Loads the settings as a node does. */
function check(values: Record<string, string>): ReturnType<typeof loadConfig> {
	const settings = Object.entries(values).filter(([name]) => name.startsWith("LATCHKEY_"));
	assert.ok(settings.length > 0);
	for (const [name] of settings) assert.ok(names.has(name), name);
	const { LATCHKEY_MASTER_KEY_FILE: _, ...rest } = Object.fromEntries(settings);
	return loadConfig({ ...rest, ...("LATCHKEY_MASTER_KEY" in rest && { LATCHKEY_MASTER_KEY: MASTER_KEY }) });
}

/** The environment variables of the image. */
function imageSettings(): Record<string, string> {
	const found = readDelivered("Dockerfile").matchAll(/^(?:ENV)? +(LATCHKEY_[A-Z_]+)=(\S+)/gm);
	return Object.fromEntries([...found].map(([, name, value]) => [name, value as string]));
}

describe("the settings in deploy/ are valid", () => {
	test("for the image", () => {
		const { host, dataDir } = check(imageSettings());
		assert.deepEqual([host, dataDir], ["0.0.0.0", "/var/lib/latchkey"]);
		const exposed = /^EXPOSE (.+)$/m.exec(readDelivered("Dockerfile"))?.[1]?.split(" ").map(Number);
		const { port, httpsPort } = check(imageSettings());
		assert.deepEqual(exposed, [port, httpsPort]);
	});

	test("for Compose", () => {
		const [compose] = readYaml("compose/compose.yaml");
		const shared = readEnvFile("compose/latchkey.env.example");
		for (const name of ["latchkey-1", "latchkey-2"]) {
			const config = check({ ...imageSettings(), ...shared, ...compose.services[name].environment });
			assert.equal(config.httpsPort, null);
			const database = new URL(shared.LATCHKEY_DATABASE_URL ?? "");
			assert.equal(database.password, readEnvFile("compose/postgres.env.example").POSTGRES_PASSWORD);
			const { POSTGRES_USER, POSTGRES_DB } = compose.services.postgres.environment;
			assert.deepEqual([database.username, database.pathname], [POSTGRES_USER, `/${POSTGRES_DB}`]);
			for (const url of [database, new URL(compose.services[name].environment.LATCHKEY_REDIS_URL)])
				assert.ok(url.hostname in compose.services, url.hostname);
		}
	});

	test("for the production set of Compose", () => {
		const [compose] = readYaml("compose/production/compose.yaml");
		const shared = readEnvFile("compose/production/latchkey.env.example");
		const secrets = ALL_SETTINGS.filter(({ secret }) => secret).map(({ name }) => name);
		for (const name of Object.keys(shared)) assert.ok(!secrets.includes(name), name);
		const urls = readDelivered("compose/production/make-secrets.sh");
		const deliveredSecret = (secret: string): string =>
			new RegExp(`^put ${secret} \\d+ "(.+)"$`, "m").exec(urls)?.[1]?.replace(/\$\(cat [^)]+\)/, "secret") ??
			"";
		for (const name of ["latchkey-1", "latchkey-2"]) {
			const entries = Object.entries<string>(compose.services[name].environment).map(([setting, value]) =>
				value.startsWith("/run/secrets/")
					? [setting.replace(/_FILE$/, ""), deliveredSecret(value.replace("/run/secrets/", ""))]
					: [setting, value],
			);
			const config = check({ ...imageSettings(), ...shared, ...Object.fromEntries(entries) });
			assert.deepEqual([config.httpsPort, config.databaseStandby], [null, "synchronous"]);
			for (const url of [deliveredSecret("database_url"), deliveredSecret("redis_url")])
				for (const [, host = ""] of url.matchAll(/([a-z]+-\d):\d+/g))
					assert.ok(host in compose.services, host);
		}
	});

	test("for Kubernetes", () => {
		const files = ["kustomize/config.env.example", "kustomize/secret.env.example"];
		for (const file of files) assert.doesNotMatch(readDelivered(file), /^[A-Z_]+=["']/m);
		check({ ...imageSettings(), ...readEnvFile(files[0] as string), ...readEnvFile(files[1] as string) });
		const secrets = ALL_SETTINGS.filter(({ secret }) => secret).map(({ name }) => name);
		for (const name of Object.keys(readEnvFile(files[0] as string))) assert.ok(!secrets.includes(name), name);
	});

	test("for systemd", () => {
		check(readEnvFile("systemd/latchkey.env.example"));
		const { trustedProxies } = check({
			...readEnvFile("systemd/latchkey.env.example", { commented: true }),
			LATCHKEY_MASTER_KEY: MASTER_KEY,
		});
		assert.equal(trustedProxies.length, 2);
		const unit = readDelivered("systemd/latchkey.service");
		for (const [name] of unit.matchAll(/\bLATCHKEY_[A-Z_]+/g)) assert.ok(names.has(name), name);
	});
});
