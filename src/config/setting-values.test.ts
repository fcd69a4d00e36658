// Boundary values of every setting.

import assert from "node:assert/strict";
import { resolve } from "node:path";
import { describe, it } from "node:test";
import { refusalOf } from "../../test/harness/processes/refused-settings.ts";
import type { Config } from "./config.ts";
import { loadConfig } from "./load.ts";

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
			"smtps://u:p@h?name=mail.example.com",
			"smtp://h?tls=off&name=mail.example.com",
			"smtp://h?name=mail.example.com&tls=off",
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
			"smtp://h?",
			"smtp://h?name=",
			"smtp://h?name=127.0.0.1",
			"smtp://h?name=[127.0.0.1]",
			"smtp://h?name=a_b.example",
			"smtp://h?name=a.example&name=a.example",
			"smtp://h?name=a.example?tls=off",
			"smtp://u:p@h?name=a.example&tls=off",
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
			['"" <a@b.example>', { name: "", address: "a@b.example" }],
			// `$NAME <$ADDRESS>` with an empty name.
			[" <a@b.example>", { name: "", address: "a@b.example" }],
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
			"  <a@b>",
			" a@b",
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
	LATCHKEY_GATE_SAMPLE: {
		read: (config) => config.gateSample,
		takes: [
			["on", "on"],
			["off", "off"],
		],
		refuses: ["ON", "true", "0"],
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

for (const [name, { read, takes, refuses }] of Object.entries(CASES)) {
	describe(name, () => {
		for (const [text, value] of takes) {
			it(`accepts ${text}`, () => assert.deepEqual(read(loadConfig({ [name]: text })), value));
		}

		const always =
			name === "LATCHKEY_ADMIN_PASSWORD"
				? []
				: [` ${takes[0]?.[0]}`, `${takes[0]?.[0]} `, `${takes[0]?.[0]}\n`, " "];
		for (const text of [...refuses, ...always]) {
			it(`refuses ${JSON.stringify(text)}`, () => {
				const line = refusalOf({ [name]: text });
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
