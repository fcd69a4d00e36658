import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, it } from "node:test";
import type { Config } from "./config.ts";
import { loadConfig } from "./load.ts";
import { ConfigError } from "./setting.ts";
import { SECRET_FILES } from "./settings.ts";

const KEY = Buffer.alloc(32, 0xfb).toString("base64");
const OTHER_KEY = Buffer.alloc(32, 1).toString("base64");

/** Boundary values of each setting: accepted ones with the parsed value, and refused ones. */
interface Case {
	readonly read: (config: Config) => unknown;
	readonly takes: readonly (readonly [text: string, value: unknown])[];
	readonly refuses: readonly string[];
}

function asIs(...texts: readonly string[]): readonly (readonly [string, string])[] {
	return texts.map((text) => [text, text] as const);
}

const LONG_LABEL = "a".repeat(63);
const LONG_DOMAIN = `${LONG_LABEL}.${LONG_LABEL}.${"a".repeat(61)}`;
const MAIL_254 = `${"a".repeat(64)}@${LONG_DOMAIN}`;
const HOST_253 = `${LONG_LABEL}.${LONG_LABEL}.${LONG_LABEL}.${"a".repeat(61)}`;
const PORTS = ["65536", "99999", "1e3", "0x10", "+80", "-1", "080", "80.0", "80x", "eight"];

const CASES: Record<string, Case> = {
	LATCHKEY_HOST: {
		read: (config) => config.host,
		takes: asIs("0.0.0.0", "::", "::1", "fe80::1%eth0", "localhost", "a-b.example", LONG_LABEL, HOST_253),
		refuses: [
			"[::1]",
			"127.0.0.256",
			"127.1",
			"a_b",
			"-a",
			"a b",
			"localhost:80",
			"http://x",
			"a..b",
			`${LONG_LABEL}a`,
			`${HOST_253}a`,
		],
	},
	LATCHKEY_PORT: {
		read: (config) => config.port,
		takes: [
			["0", null],
			["1", 1],
			["65535", 65_535],
		],
		refuses: PORTS,
	},
	LATCHKEY_HTTPS_PORT: {
		read: (config) => config.httpsPort,
		takes: [
			["0", null],
			["1", 1],
			["65535", 65_535],
		],
		refuses: PORTS,
	},
	LATCHKEY_METRICS_PORT: {
		read: (config) => config.metricsPort,
		takes: [
			["0", null],
			["1", 1],
			["65535", 65_535],
		],
		refuses: PORTS,
	},
	LATCHKEY_OTLP_ENDPOINT: {
		read: (config) => config.otlp?.endpoint,
		takes: [
			["http://127.0.0.1:4318", "http://127.0.0.1:4318"],
			["HTTPS://Collector.Example.com:443/", "https://collector.example.com"],
			["https://collector.example.com/otlp/", "https://collector.example.com/otlp"],
		],
		refuses: [
			"collector:4318",
			"collector.example.com",
			"grpc://collector:4317",
			"http://",
			"http:collector",
			"http://user:password@collector",
			"http://collector?token=1",
			"http://collector/#x",
			"http://collector/v1/traces",
			"http://collector/otlp/v1/metrics/",
		],
	},
	LATCHKEY_OTLP_TRACE_PERCENT: {
		read: ({ otlp }) => otlp,
		takes: [
			["0", null],
			["100", null],
		],
		refuses: ["101", "-1", "0.5", "50%", "half"],
	},
	LATCHKEY_PUBLIC_URL: {
		read: (config) => config.publicUrl,
		takes: [
			["https://auth.example.com", "https://auth.example.com"],
			["https://auth.example.com/", "https://auth.example.com"],
			["HTTPS://Auth.Example.com:443", "https://auth.example.com"],
			["http://localhost:8080", "http://localhost:8080"],
			["https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443"],
			["https://x:65535", "https://x:65535"],
		],
		refuses: [
			"auth.example.com",
			"ftp://x",
			"https:x",
			"https:/x",
			"https:\\\\x",
			"https://",
			"https:///x",
			"https://x/a",
			"https://x//",
			"https://x?",
			"https://x/?a",
			"https://x#",
			"https://u@x",
			"https://u:p@x",
			"https://x:65536",
			"https://a b",
			"https://x\\a",
		],
	},
	LATCHKEY_DATA_DIR: {
		read: (config) => config.dataDir,
		takes: [
			["/var/lib/latchkey", "/var/lib/latchkey"],
			["d", resolve("d")],
			["/a/../b/", "/b"],
			["/with space/x", "/with space/x"],
		],
		refuses: ["~", "~/data", "~me/data", "a\0b"],
	},
	LATCHKEY_MASTER_KEY: {
		read: (config) => config.masterKey.inline,
		takes: [
			[KEY, KEY],
			[`${KEY},${OTHER_KEY}`, `${KEY},${OTHER_KEY}`],
			[`${KEY} , ${OTHER_KEY}`, `${KEY},${OTHER_KEY}`],
		],
		refuses: [
			Buffer.alloc(31, 0xfb).toString("base64"),
			Buffer.alloc(33, 0xfb).toString("base64"),
			KEY.slice(0, -1),
			`${KEY},`,
			`${KEY},,${KEY}`,
			`${KEY} ${OTHER_KEY}`,
			`${KEY.slice(0, -2)}t=`,
			Buffer.alloc(32, 0xfb).toString("base64url"),
			Buffer.alloc(32, 0xfb).toString("hex"),
		],
	},
	LATCHKEY_MASTER_KEY_FILE: {
		read: (config) => config.masterKey.file,
		takes: [
			["/run/key", "/run/key"],
			["key", resolve("key")],
		],
		refuses: ["~/key"],
	},
	LATCHKEY_SMTP_URL: {
		read: (config) => config.smtpUrl,
		takes: asIs(
			"smtp://localhost",
			"smtps://u:p%40ss@mail.example.com:465",
			"smtp://[::1]:25/",
			"smtp://u@h",
			"smtp://h?tls=off",
			"smtp://h:2525?tls=opportunistic",
		),
		refuses: [
			"mail.example.com",
			"http://h",
			"smtp:h",
			"smtp://",
			"smtp://:25",
			"SMTP://h",
			"smtp://h:65536",
			"smtp://h:0",
			"smtp://h/x",
			"smtp://h?pool=true",
			"smtp://h?tls=no",
			"smtp://h?tls=off&tls=off",
			"smtp://h?tls=off#",
			"smtp://u:p@h?tls=off",
			"smtps://h?tls=opportunistic",
			"smtp://h#",
			"smtp://u:%zz@h",
			"smtp://a b",
			"smtp://h\\x",
		],
	},
	LATCHKEY_MAIL_FROM: {
		read: (config) => config.mailFrom,
		takes: [
			["no-reply@Example.com", { name: "", address: "no-reply@Example.com" }],
			["<a@localhost>", { name: "", address: "a@localhost" }],
			["Example GmbH <a@b.example>", { name: "Example GmbH", address: "a@b.example" }],
			["登录 <a@b.example>", { name: "登录", address: "a@b.example" }],
			['"Example, Inc." <a@b.example>', { name: "Example, Inc.", address: "a@b.example" }],
			[`X <${MAIL_254}>`, { name: "X", address: MAIL_254 }],
		],
		refuses: [
			"Example",
			"a@",
			"@b",
			"a@b, c@d",
			"a@b; c@d",
			"A, B <a@b>",
			"A <a@b> <c@d>",
			"A <a@b",
			'A" <a@b>',
			"A <a b@c>",
			`${MAIL_254}a`,
			"ä@b.example",
			"a@b@c",
		],
	},
	LATCHKEY_PLAIN_HTTP_NETWORKS: {
		read: (config) => config.plainHttpNetworks.map((cidr) => cidr.text),
		takes: [["10.0.0.0/8, 2001:db8::/32", ["10.0.0.0/8", "2001:db8::/32"]]],
		refuses: ["10.0.0.1/8", "localhost", "*"],
	},
	LATCHKEY_TRUSTED_PROXIES: {
		read: (config) => config.trustedProxies.map((cidr) => cidr.text),
		takes: [
			["127.0.0.1", ["127.0.0.1"]],
			["10.0.0.0/8, 2001:db8::/32", ["10.0.0.0/8", "2001:db8::/32"]],
			["::ffff:10.0.0.1,128.0.0.0/1", ["10.0.0.1", "128.0.0.0/1"]],
		],
		refuses: [
			"10.0.0.1/8",
			"10.0.0.0/33",
			"010.0.0.1",
			"10.0.0.1,",
			",",
			"10.0.0.1 10.0.0.2",
			"proxy.example.com",
			"::/129",
			"10.0.0",
		],
	},
	LATCHKEY_RATE_LIMIT_PER_MINUTE: {
		read: (config) => config.rateLimitPerMinute,
		takes: [
			["0", 0],
			["1", 1],
			["1000000", 1_000_000],
		],
		refuses: ["1000001", "-1", "1e3", "1_000", "100.5", "off"],
	},
	LATCHKEY_MAX_CONNECTIONS: {
		read: (config) => config.maxConnections,
		takes: [
			["0", 0],
			["1", 1],
			["1000000", 1_000_000],
		],
		refuses: ["1000001", "-1", "1e3", "off"],
	},
	LATCHKEY_MAX_CONNECTIONS_PER_ADDRESS: {
		read: (config) => config.maxConnectionsPerAddress,
		takes: [
			["0", 0],
			["1", 1],
			["1000000", 1_000_000],
		],
		refuses: ["1000001", "-1", "1e3", "off"],
	},
	LATCHKEY_MAILS_PER_HOUR: {
		read: (config) => config.mailsPerHour,
		takes: [
			["0", 0],
			["20", 20],
		],
		refuses: ["1000001", "-1", "1e3", "off"],
	},
	LATCHKEY_BCRYPT_COST: {
		read: (config) => config.bcryptCost,
		takes: [
			["10", 10],
			["15", 15],
		],
		refuses: ["9", "16", "012", "0", "0xc"],
	},
	LATCHKEY_HASH_LANES: {
		read: (config) => config.hashLanes,
		takes: [
			["on", "on"],
			["off", "off"],
		],
		refuses: ["ON", "true", "0"],
	},
	LATCHKEY_ADMIN_USERNAME: {
		read: (config) => config.admin.username,
		takes: asIs("abc", "0.b_c-D", "a".repeat(64)),
		refuses: ["ab", "a".repeat(65), ".abc", "_abc", "-abc", "a b c", "a@b", "äbc"],
	},
	LATCHKEY_ADMIN_EMAIL: {
		read: (config) => config.admin.email,
		takes: [
			["admin@localhost", "admin@localhost"],
			["Ops.A+b@Example.COM", "ops.a+b@example.com"],
			[MAIL_254, MAIL_254],
		],
		refuses: [
			"admin",
			"a@b@c",
			"@b",
			"a@",
			"a b@c",
			".a@b",
			"a.@b",
			"a..b@c",
			"ä@b",
			"a@b_c",
			"A <a@b>",
			`a@${LONG_DOMAIN}.${LONG_LABEL}`,
			`${"a".repeat(65)}@b`,
		],
	},
	LATCHKEY_ADMIN_PASSWORD: {
		read: (config) => config.admin.passwordPlain,
		takes: [
			...asIs("12345678", "密密密密密密密密", "a".repeat(72), " spaces ", "é".repeat(36)),
			["e\u0301".repeat(36), "e\u0301".repeat(36)],
		],
		refuses: ["1234567", "a".repeat(73), "é".repeat(37), "é".repeat(7), "e\u0301".repeat(7), "12345678\n"],
	},
	LATCHKEY_LOG_LEVEL: {
		read: (config) => config.logLevel,
		takes: asIs("fatal", "error", "warn", "info", "debug", "trace", "silent"),
		refuses: ["INFO", "warning", "verbose", "30"],
	},
};

const SECRETS = [
	"LATCHKEY_MASTER_KEY",
	"LATCHKEY_SMTP_URL",
	"LATCHKEY_ADMIN_PASSWORD",
	"LATCHKEY_DATABASE_URL",
	"LATCHKEY_REDIS_URL",
];

/** The error message of a start with `env`. */
function complaint(env: Record<string, string>): string {
	try {
		loadConfig(env);
	} catch (error) {
		assert.ok(error instanceof ConfigError);
		assert.ok(!error.message.includes("\n"), "one line");
		assert.ok(error.message.startsWith(`${error.variable} `), error.message);
		return error.message;
	}
	assert.fail(`must refuse ${JSON.stringify(env)}`);
}

for (const [name, { read, takes, refuses }] of Object.entries(CASES)) {
	describe(name, () => {
		for (const [text, value] of takes) {
			it(`takes ${text}`, () => assert.deepEqual(read(loadConfig({ [name]: text })), value));
		}

		const always =
			name === "LATCHKEY_ADMIN_PASSWORD"
				? []
				: [` ${takes[0]?.[0]}`, `${takes[0]?.[0]} `, `${takes[0]?.[0]}\n`, " "];
		for (const text of [...refuses, ...always]) {
			it(`refuses ${JSON.stringify(text)}`, () => {
				const line = complaint({ [name]: text });
				assert.ok(line.startsWith(`${name} `) && line.includes("; it must be "), line);
				const secret = SECRETS.includes(name);
				assert.equal(line.includes("(not shown)"), secret);
				if (secret && text.trim().length > 8) assert.ok(!line.includes(text.trim()), line);
			});
		}

		it("is unset when empty", () => {
			assert.deepEqual(loadConfig({ [name]: "" }), loadConfig({}));
		});
	});
}

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
			tls: null,
			publicUrl: "https://localhost:8443",
			passkeys: { rpId: "localhost", origins: ["https://localhost:8443"] },
			dataDir: resolve("data"),
			databaseUrl: null,
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
			relayLimitPerMinute: 300,
			clientLimitPerMinute: 1000,
			gateLimitPerMinute: 60_000,
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
			complaint({ LATCHKEY_PROT: "hunter2" }),
			"LATCHKEY_PROT is not a setting; did you mean LATCHKEY_PORT?",
		);
		assert.equal(
			complaint({ LATCHKEY_ADMIN_PASSWD: "hunter2" }),
			"LATCHKEY_ADMIN_PASSWD is not a setting; did you mean LATCHKEY_ADMIN_PASSWORD?",
		);
		assert.equal(
			complaint({ latchkey_port: "1" }),
			"latchkey_port is not a setting; did you mean LATCHKEY_PORT?",
		);
		assert.equal(
			complaint({ LATCHKEY_PORT_8080_TCP_ADDR: "10.0.0.1" }),
			"LATCHKEY_PORT_8080_TCP_ADDR is not a setting; docs/configuration.md lists all",
		);
		assert.equal(
			complaint({ LATCHKEY_HSOT: "" }),
			"LATCHKEY_HSOT is not a setting; did you mean LATCHKEY_HOST?",
		);
	});

	it("names the variable, its value, and the allowed values", () => {
		assert.equal(
			complaint({ LATCHKEY_PORT: "80x" }),
			'LATCHKEY_PORT is "80x"; it must be a whole number from 0 to 65535 (0 = off)',
		);
		assert.equal(
			complaint({ LATCHKEY_TRUSTED_PROXIES: "::1, 10.0.0.1/8" }),
			'LATCHKEY_TRUSTED_PROXIES is "::1, 10.0.0.1/8"; it must be a comma-separated list of IP addresses and CIDR ranges, but "10.0.0.1/8" has host bits set; the range is 10.0.0.0/8',
		);
		assert.equal(
			complaint({ LATCHKEY_ADMIN_PASSWORD: "hunter2" }),
			"LATCHKEY_ADMIN_PASSWORD is not usable (not shown); it must be at least 8 characters and at most 72 bytes of UTF-8",
		);
	});

	it("refuses to trust every client as a proxy", () => {
		for (const range of ["0.0.0.0/0", "::/0", "::ffff:0.0.0.0/96"])
			assert.match(
				complaint({ LATCHKEY_TRUSTED_PROXIES: `10.0.0.1, ${range}` }),
				/^LATCHKEY_TRUSTED_PROXIES is ".*"; it must be a list of your proxies, but \S+ contains every client/,
			);
	});

	it("shows a value on one line, cut, and without the credentials in a URL", () => {
		assert.match(
			complaint({ LATCHKEY_HOST: `a\nb${"x".repeat(300)}` }),
			/^LATCHKEY_HOST is "a\\nbx{97}…"; it must be text without control characters/,
		);
		const line = complaint({ LATCHKEY_PUBLIC_URL: "https://me:hunter2@x" });
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
			const line = complaint({ LATCHKEY_DATABASE_URL: url });
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
				complaint({ ...key, LATCHKEY_DATABASE_URL: text }),
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
		])
			assert.equal(loadConfig({ LATCHKEY_REDIS_URL: url }).redisUrl, url);
		for (const url of [
			"http://h",
			"redis://",
			"redis://h/first",
			"redis://h/01",
			"redis://h/0?tls=no",
			"redis://h#1",
		])
			assert.match(
				complaint({ LATCHKEY_REDIS_URL: url }),
				/^LATCHKEY_REDIS_URL is not usable \(not shown\); it must be redis or rediss and then :\/\//,
			);
	});
});

describe("the OTLP receiver", () => {
	const LATCHKEY_OTLP_ENDPOINT = "http://127.0.0.1:4318";

	it("is off while no endpoint is set", () => {
		assert.equal(loadConfig({}).otlp, null);
		assert.equal(
			complaint({ LATCHKEY_OTLP_HEADERS: "a=b" }),
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
			const line = complaint({ LATCHKEY_OTLP_ENDPOINT, LATCHKEY_OTLP_HEADERS: text });
			assert.match(line, /^LATCHKEY_OTLP_HEADERS is not usable \(not shown\); it must be /);
			assert.ok(!line.includes("secret-val"), line);
		}
	});
});

describe("conflicting settings", () => {
	it("both listeners off", () => {
		assert.equal(
			complaint({ LATCHKEY_PORT: "0", LATCHKEY_HTTPS_PORT: "0" }),
			"LATCHKEY_PORT and LATCHKEY_HTTPS_PORT are both 0 (off); one listener is needed",
		);
		assert.equal(loadConfig({ LATCHKEY_PORT: "0" }).httpsPort, 8443);
		assert.equal(loadConfig({ LATCHKEY_HTTPS_PORT: "0" }).port, 8080);
	});

	it("one port for two listeners", () => {
		const line = (one: string, other: string, port: number) =>
			`${one} and ${other} are both ${port}; each listener needs a port of its own`;
		assert.equal(complaint({ LATCHKEY_PORT: "8443" }), line("LATCHKEY_PORT", "LATCHKEY_HTTPS_PORT", 8443));
		assert.equal(
			complaint({ LATCHKEY_METRICS_PORT: "8080" }),
			line("LATCHKEY_PORT", "LATCHKEY_METRICS_PORT", 8080),
		);
		assert.equal(
			complaint({ LATCHKEY_METRICS_PORT: "8443" }),
			line("LATCHKEY_HTTPS_PORT", "LATCHKEY_METRICS_PORT", 8443),
		);
		assert.equal(loadConfig({ LATCHKEY_PORT: "0", LATCHKEY_METRICS_PORT: "0" }).metricsPort, null);
	});

	it("half a TLS pair", () => {
		assert.equal(
			complaint({ LATCHKEY_TLS_CERT: "c.pem" }),
			"LATCHKEY_TLS_CERT is set without LATCHKEY_TLS_KEY; set both, or neither",
		);
		assert.equal(
			complaint({ LATCHKEY_TLS_KEY: "k.pem" }),
			"LATCHKEY_TLS_KEY is set without LATCHKEY_TLS_CERT; set both, or neither",
		);
		assert.match(
			complaint({ LATCHKEY_TLS_CERT: "~/c.pem", LATCHKEY_TLS_KEY: "k" }),
			/^LATCHKEY_TLS_CERT is "~\/c\.pem"; it must be a path without ~/,
		);
		const { tls } = loadConfig({ LATCHKEY_TLS_CERT: "c.pem", LATCHKEY_TLS_KEY: "/k.pem" });
		assert.deepEqual(tls, { certFile: resolve("c.pem"), keyFile: "/k.pem" });
	});

	it("a secret and its file", () => {
		assert.equal(
			complaint({ LATCHKEY_SMTP_URL: "smtp://localhost", LATCHKEY_SMTP_URL_FILE: "/run/secrets/smtp" }),
			"LATCHKEY_SMTP_URL and LATCHKEY_SMTP_URL_FILE are both set; set one of them",
		);
	});

	it("two master keys", () => {
		const line = complaint({ LATCHKEY_MASTER_KEY: KEY, LATCHKEY_MASTER_KEY_FILE: "/key" });
		assert.equal(line, "LATCHKEY_MASTER_KEY and LATCHKEY_MASTER_KEY_FILE are both set; set one of them");
	});
});

describe("the file of a secret", () => {
	const folder = mkdtempSync(join(tmpdir(), "latchkey-secrets-"));
	const path = join(folder, "smtp");
	after(() => rmSync(folder, { recursive: true }));

	it("holds the value, with one line break at its end or none", () => {
		for (const end of ["", "\n", "\r\n"]) {
			writeFileSync(path, `smtps://mail.example.com${end}`);
			assert.equal(loadConfig({ LATCHKEY_SMTP_URL_FILE: path }).smtpUrl, "smtps://mail.example.com");
		}
	});

	it("exists for every secret except the master key, which has its own setting", () => {
		assert.deepEqual(
			[...SECRET_FILES.values()].sort(),
			["ADMIN_PASSWORD", "DATABASE_URL", "OTLP_HEADERS", "REDIS_URL", "SMTP_URL"].map(
				(name) => `LATCHKEY_${name}`,
			),
		);
	});

	it("is named in the error if it is missing, is a directory, or contains an invalid value, which is not shown", () => {
		const missing = join(folder, "missing");
		assert.equal(
			complaint({ LATCHKEY_SMTP_URL_FILE: missing }),
			`LATCHKEY_SMTP_URL_FILE names ${missing}, which does not exist`,
		);
		assert.equal(
			complaint({ LATCHKEY_SMTP_URL_FILE: folder }),
			`LATCHKEY_SMTP_URL_FILE names ${folder}, which cannot be read (EISDIR)`,
		);
		writeFileSync(path, "ftp://user:hunter2@mail.example.com\n");
		const line = complaint({ LATCHKEY_SMTP_URL_FILE: path });
		assert.match(line, /^LATCHKEY_SMTP_URL_FILE is not usable \(not shown\); it must be /);
		assert.ok(!line.includes("hunter2"));
		writeFileSync(path, "smtps://mail.example.com\nsmtps://other.example.com\n");
		assert.match(complaint({ LATCHKEY_SMTP_URL_FILE: path }), /without control characters/);
	});

	it("in the environment replaces the value in the settings file", () => {
		const settings = join(folder, "latchkey.env");
		writeFileSync(settings, "LATCHKEY_SMTP_URL=smtps://old.example.com\n");
		writeFileSync(path, "smtps://mail.example.com\n");
		const { smtpUrl } = loadConfig({ LATCHKEY_CONFIG: settings, LATCHKEY_SMTP_URL_FILE: path });
		assert.equal(smtpUrl, "smtps://mail.example.com");
	});
});
