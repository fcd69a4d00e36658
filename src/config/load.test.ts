// Defaults, refusals, and conflicts of settings.

import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { refusalOf } from "../../test/harness/processes/refused-settings.ts";
import { loadConfig } from "./load.ts";

const KEY = Buffer.alloc(32, 0xfb).toString("base64");

describe("loadConfig", () => {
	it("allows passkeys on the public host, or on a parent domain with listed origins", () => {
		const env = { LATCHKEY_PUBLIC_URL: "https://id.example.com" };
		const wider = { ...env, LATCHKEY_PASSKEY_DOMAIN: "Example.com" };
		const origins = "https://app.example.com, https://example.com:444";
		assert.deepEqual(loadConfig({ ...wider, LATCHKEY_PASSKEY_ORIGINS: origins }).passkeys, {
			rpId: "example.com",
			origins: ["https://id.example.com", "https://app.example.com", "https://example.com:444"],
		});
		for (const [more, line] of [
			[
				{ LATCHKEY_PASSKEY_DOMAIN: "other.com" },
				/LATCHKEY_PASSKEY_DOMAIN is other\.com; it must be id\.example\.com/,
			],
			[{ LATCHKEY_PASSKEY_DOMAIN: "d.example.com" }, /LATCHKEY_PASSKEY_DOMAIN is d\.example\.com/],
			[
				{ LATCHKEY_PASSKEY_ORIGINS: "https://app.example.com" },
				/LATCHKEY_PASSKEY_ORIGINS contains https:\/\/app\./,
			],
			[{ LATCHKEY_PASSKEY_DOMAIN: "https://example.com" }, /must be a domain such as/],
			[{ LATCHKEY_PASSKEY_DOMAIN: "10.0.0.1" }, /must be a domain such as/],
			[{ LATCHKEY_PASSKEY_ORIGINS: "app.example.com" }, /must be a comma-separated list/],
		] as const)
			assert.throws(() => loadConfig({ ...env, ...more }), line);
	});

	it("has the documented defaults", () => {
		assert.deepEqual(loadConfig({}), {
			source: { file: null, environment: [], isLocationSet: false, isPublicUrlSet: false },
			host: "127.0.0.1",
			port: 8080,
			httpsPort: 8443,
			acme: null,
			tls: null,
			publicUrl: "https://localhost:8443",
			passkeys: { rpId: "localhost", origins: ["https://localhost:8443"] },
			dataDir: resolve("data"),
			databaseUrl: null,
			databaseStandby: "asynchronous",
			redisUrl: null,
			masterKey: {},
			smtpUrl: null,
			mailFrom: { name: "Latchkey", address: "no-reply@localhost" },
			mailTexts: null,
			brand: { productName: "Latchkey", logoUrl: "", accentColor: "#1f4fd8", supportEmail: "" },
			trustedProxies: [],
			plainHttpNetworks: [],
			webhookAllowedNetworks: [],
			providerAllowedNetworks: [],
			drainSeconds: 0,
			rateLimitPerMinute: 100,
			clientLimitPerMinute: 1000,
			gateLimitPerMinute: 60_000,
			gateSample: "on",
			maxConnections: 4096,
			maxConnectionsPerAddress: 256,
			mailsPerHour: 100,
			bcryptCost: 12,
			hashLanes: "on",
			breachedPasswords: null,
			admin: { username: "admin", email: "admin@localhost" },
			logLevel: "info",
			metricsPort: null,
			otlp: null,
		});
	});

	it("is deeply frozen", () => {
		const config = loadConfig({
			LATCHKEY_TRUSTED_PROXIES: "10.0.0.0/8",
			LATCHKEY_TLS_CERT: "c",
			LATCHKEY_TLS_KEY: "k",
		});
		const parts = [
			config,
			config.tls,
			config.admin,
			config.masterKey,
			config.mailFrom,
			config.trustedProxies,
			config.trustedProxies[0],
		];
		for (const part of parts) assert.ok(Object.isFrozen(part));
	});

	it("ignores variables of other programs", () => {
		assert.deepEqual(
			loadConfig({ PATH: "/bin", PORT: "x", MY_LATCHKEY_PORT: "x", LATCHKEY_HOST: undefined }),
			loadConfig({}),
		);
	});

	it("refuses an unknown name without showing its value", () => {
		assert.equal(
			refusalOf({ LATCHKEY_PROT: "hunter2" }),
			"LATCHKEY_PROT is not a setting; did you mean LATCHKEY_PORT?",
		);
		assert.equal(
			refusalOf({ LATCHKEY_ADMIN_PASSWD: "hunter2" }),
			"LATCHKEY_ADMIN_PASSWD is not a setting; did you mean LATCHKEY_ADMIN_PASSWORD?",
		);
		assert.equal(
			refusalOf({ latchkey_port: "1" }),
			"latchkey_port is not a setting; did you mean LATCHKEY_PORT?",
		);
		assert.equal(
			refusalOf({ LATCHKEY_PORT_8080_TCP_ADDR: "10.0.0.1" }),
			"LATCHKEY_PORT_8080_TCP_ADDR is not a setting; docs/configuration.md lists all",
		);
		assert.equal(
			refusalOf({ LATCHKEY_HSOT: "" }),
			"LATCHKEY_HSOT is not a setting; did you mean LATCHKEY_HOST?",
		);
	});

	it("names the variable, its value, and the allowed values", () => {
		assert.equal(
			refusalOf({ LATCHKEY_PORT: "80x" }),
			'LATCHKEY_PORT is "80x"; it must be a whole number from 0 to 65535 (0 = off)',
		);
		assert.equal(
			refusalOf({ LATCHKEY_TRUSTED_PROXIES: "::1, 10.0.0.1/8" }),
			'LATCHKEY_TRUSTED_PROXIES is "::1, 10.0.0.1/8"; it must be a comma-separated list of IP addresses and CIDR ranges, but "10.0.0.1/8" has host bits set; the range is 10.0.0.0/8',
		);
		assert.equal(
			refusalOf({ LATCHKEY_ADMIN_PASSWORD: "hunter2" }),
			"LATCHKEY_ADMIN_PASSWORD is not usable (not shown); it must be at least 8 characters and at most 72 bytes of UTF-8",
		);
	});

	it("refuses to trust every client as a proxy", () => {
		for (const range of ["0.0.0.0/0", "::/0", "::ffff:0.0.0.0/96"])
			assert.match(
				refusalOf({ LATCHKEY_TRUSTED_PROXIES: `10.0.0.1, ${range}` }),
				/^LATCHKEY_TRUSTED_PROXIES is ".*"; it must be a list of your proxies, but \S+ contains every client/,
			);
	});

	it("shows a value on one line, cut, and without the credentials in a URL", () => {
		assert.match(
			refusalOf({ LATCHKEY_HOST: `a\nb${"x".repeat(300)}` }),
			/^LATCHKEY_HOST is "a\\nbx{97}…"; it must be text without control characters/,
		);
		const line = refusalOf({ LATCHKEY_PUBLIC_URL: "https://me:hunter2@x" });
		assert.ok(line.includes('"https://…@x"') && !line.includes("hunter2"), line);
	});

	it("accepts PostgreSQL on one or several hosts if a master key is configured", () => {
		const key = { LATCHKEY_MASTER_KEY: Buffer.alloc(32, 1).toString("base64") };
		for (const url of [
			"postgres://u:p@h/db",
			"postgresql://u@h1:5432,h2:5433/db?sslmode=require&target_session_attrs=read-write",
			"postgres://u:p%40@[::1]:5432,db.example.com/name",
		]) {
			assert.equal(loadConfig({ ...key, LATCHKEY_DATABASE_URL: url }).databaseUrl, url);
			const line = refusalOf({ LATCHKEY_DATABASE_URL: url });
			assert.match(
				line,
				/^LATCHKEY_DATABASE_URL is set without LATCHKEY_MASTER_KEY or LATCHKEY_MASTER_KEY_FILE; all nodes need/,
			);
		}
		for (const text of [
			"mysql://h/db",
			"postgres:db",
			"postgres://",
			"postgres://h1,/db",
			"postgres://h1,h2:0/db",
		]) {
			assert.match(
				refusalOf({ ...key, LATCHKEY_DATABASE_URL: text }),
				/^LATCHKEY_DATABASE_URL is not usable \(not shown\); it must be postgres or postgresql and then :\/\//,
			);
		}
	});

	it("reads the URL of Redis, and refuses unsupported parts", () => {
		for (const url of [
			"redis://h",
			"rediss://u:p%40x@[::1]:6380/15",
			"redis://:hunter2@h:6379/",
			"redis://h/0",
			"redis+sentinel://h1,h2:26380,[::1]/main",
			"rediss+sentinel://u:p%40x@h1,h2/main.1/15",
			"redis+cluster://h1,h2:6380",
			"rediss+cluster://:hunter2@h1/",
		])
			assert.equal(loadConfig({ LATCHKEY_REDIS_URL: url }).redisUrl, url);
		for (const url of [
			"http://h",
			"redis://",
			"redis://h/first",
			"redis://h/01",
			"redis://h/0?tls=no",
			"redis://h#1",
			"redis://h1,h2",
			"redis+sentinel://h1,h2",
			"redis+sentinel://h1,/main",
			"redis+sentinel://h1:0/main",
			"redis+sentinel://h1/main/first",
			"redis+sentinel://h1/m%20ain",
			"redis+sentinel://u:%zz@h1/main",
			"redis+cluster://h1,h2/1",
			"redis+cluster://h1?x=1",
			"redis+other://h1",
		])
			assert.match(
				refusalOf({ LATCHKEY_REDIS_URL: url }),
				/^LATCHKEY_REDIS_URL is not usable \(not shown\); it must be redis or rediss and then :\/\//,
			);
	});
});

describe("the OTLP receiver", () => {
	const LATCHKEY_OTLP_ENDPOINT = "http://127.0.0.1:4318";

	it("is off while no endpoint is set", () => {
		assert.equal(loadConfig({}).otlp, null);
		assert.equal(
			refusalOf({ LATCHKEY_OTLP_HEADERS: "a=b" }),
			"LATCHKEY_OTLP_HEADERS is set without LATCHKEY_OTLP_ENDPOINT",
		);
	});

	it("receives every trace and no headers by default", () => {
		const { otlp } = loadConfig({ LATCHKEY_OTLP_ENDPOINT });
		assert.deepEqual(otlp, { endpoint: LATCHKEY_OTLP_ENDPOINT, headers: {}, tracePercent: 100 });
		assert.equal(
			loadConfig({ LATCHKEY_OTLP_ENDPOINT, LATCHKEY_OTLP_TRACE_PERCENT: "7" }).otlp?.tracePercent,
			7,
		);
	});

	it("receives headers with decoded values", () => {
		const headersOf = (LATCHKEY_OTLP_HEADERS: string) =>
			loadConfig({ LATCHKEY_OTLP_ENDPOINT, LATCHKEY_OTLP_HEADERS }).otlp?.headers;
		assert.deepEqual(headersOf("Authorization=Bearer%20a=b%2Cc, x-scope=1"), {
			authorization: "Bearer a=b,c",
			"x-scope": "1",
		});
		assert.deepEqual(Object.keys(headersOf("__proto__=polluted") ?? {}), ["__proto__"]);
		for (const text of [
			"authorization",
			"=secret-value",
			"a=",
			"a b=secret-value",
			"a=secret-value%0d%0ax: y",
			"a=secret-value%zz",
			"a=secret-val\u00fce",
			"a=1,A=secret-value",
			"Host=secret-value",
			"content-type=secret-value",
			"a=secret-value,",
		]) {
			const line = refusalOf({ LATCHKEY_OTLP_ENDPOINT, LATCHKEY_OTLP_HEADERS: text });
			assert.match(line, /^LATCHKEY_OTLP_HEADERS is not usable \(not shown\); it must be /);
			assert.ok(!line.includes("secret-val"), line);
		}
	});
});

describe("conflicting settings", () => {
	it("both listeners off", () => {
		assert.equal(
			refusalOf({ LATCHKEY_PORT: "0", LATCHKEY_HTTPS_PORT: "0" }),
			"LATCHKEY_PORT and LATCHKEY_HTTPS_PORT are both 0 (off); one listener is needed",
		);
		assert.equal(loadConfig({ LATCHKEY_PORT: "0" }).httpsPort, 8443);
		assert.equal(loadConfig({ LATCHKEY_HTTPS_PORT: "0" }).port, 8080);
	});

	it("one port for two listeners", () => {
		const line = (one: string, other: string, port: number) =>
			`${one} and ${other} are both ${port}; each listener needs a port of its own`;
		assert.equal(refusalOf({ LATCHKEY_PORT: "8443" }), line("LATCHKEY_PORT", "LATCHKEY_HTTPS_PORT", 8443));
		assert.equal(
			refusalOf({ LATCHKEY_METRICS_PORT: "8080" }),
			line("LATCHKEY_PORT", "LATCHKEY_METRICS_PORT", 8080),
		);
		assert.equal(
			refusalOf({ LATCHKEY_METRICS_PORT: "8443" }),
			line("LATCHKEY_HTTPS_PORT", "LATCHKEY_METRICS_PORT", 8443),
		);
		assert.equal(loadConfig({ LATCHKEY_PORT: "0", LATCHKEY_METRICS_PORT: "0" }).metricsPort, null);
	});

	it("half a TLS pair", () => {
		assert.equal(
			refusalOf({ LATCHKEY_TLS_CERT: "c.pem" }),
			"LATCHKEY_TLS_CERT is set without LATCHKEY_TLS_KEY; set both, or neither",
		);
		assert.equal(
			refusalOf({ LATCHKEY_TLS_KEY: "k.pem" }),
			"LATCHKEY_TLS_KEY is set without LATCHKEY_TLS_CERT; set both, or neither",
		);
		assert.match(
			refusalOf({ LATCHKEY_TLS_CERT: "~/c.pem", LATCHKEY_TLS_KEY: "k" }),
			/^LATCHKEY_TLS_CERT is "~\/c\.pem"; it must be a path without ~/,
		);
		const { tls } = loadConfig({ LATCHKEY_TLS_CERT: "c.pem", LATCHKEY_TLS_KEY: "/k.pem" });
		assert.deepEqual(tls, { certFile: resolve("c.pem"), keyFile: "/k.pem" });
	});

	it("a secret and its file", () => {
		assert.equal(
			refusalOf({ LATCHKEY_SMTP_URL: "smtp://localhost", LATCHKEY_SMTP_URL_FILE: "/run/secrets/smtp" }),
			"LATCHKEY_SMTP_URL and LATCHKEY_SMTP_URL_FILE are both set; set one of them",
		);
	});

	it("two master keys", () => {
		const line = refusalOf({ LATCHKEY_MASTER_KEY: KEY, LATCHKEY_MASTER_KEY_FILE: "/key" });
		assert.equal(line, "LATCHKEY_MASTER_KEY and LATCHKEY_MASTER_KEY_FILE are both set; set one of them");
	});
});
