// Every setting once: name, unit, default, meaning, parser. `docs/configuration.md` is tested against this table.

import {
	parseCidrList,
	parseEmail,
	parseHost,
	parseMailbox,
	parseProxyList,
	parseUsername,
} from "./parse-address.ts";
import { parseOtlpEndpoint, parseOtlpHeaders } from "./parse-otlp.ts";
import {
	oneOf,
	parseBrandName,
	parseColor,
	parseMasterKeys,
	parsePassword,
	parsePort,
	wholeNumber,
} from "./parse-plain.ts";
import {
	parseDatabaseUrl,
	parseDomain,
	parseHttpsUrl,
	parseOrigin,
	parseOriginList,
	parsePath,
	parseRedisUrl,
	parseSmtpUrl,
} from "./parse-url.ts";
import type { Setting } from "./setting.ts";

/** Log levels, from fewest lines to most; `silent` writes nothing. */
const LOG_LEVELS = ["silent", "fatal", "error", "warn", "info", "debug", "trace"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What the standby of the database has. `asynchronous` is also right without a standby. */
const DATABASE_STANDBYS = ["asynchronous", "synchronous"] as const;
export type DatabaseStandby = (typeof DATABASE_STANDBYS)[number];

/** Prefix of every setting; any other name with this prefix is refused. */
/** Not a setting: the admin key with which `latchkey api --url` calls a running service. */
export const ADMIN_KEY_VARIABLE = "LATCHKEY_ADMIN_KEY";
export const NAME_PREFIX = "LATCHKEY_";

function withDefault<T>(
	name: string,
	fallback: string,
	parse: Setting<T>["parse"],
	meaning: string,
	example: string,
	unit = "",
): Setting<T, string> {
	return { name: NAME_PREFIX + name, unit, default: fallback, meaning, example, secret: false, parse };
}

function optional<T>(
	name: string,
	parse: Setting<T>["parse"],
	meaning: string,
	example: string,
): Setting<T, null> {
	return { name: NAME_PREFIX + name, unit: "", default: null, meaning, example, secret: false, parse };
}

function secret<T>(
	name: string,
	parse: Setting<T>["parse"],
	meaning: string,
	example: string,
): Setting<T, null> {
	return { ...optional(name, parse, meaning, example), secret: true };
}

/** The table, in the order of the documentation. */
export const SETTINGS = {
	configFile: optional(
		"CONFIG",
		parsePath,
		"A file with one setting `NAME=value` per line. Unset: none. The file itself cannot contain it.",
		"/etc/latchkey/latchkey.env",
	),
	host: withDefault(
		"HOST",
		"127.0.0.1",
		parseHost,
		"The IP address or host name that all listeners bind to; `0.0.0.0` or `::` for all addresses of the machine.",
		"0.0.0.0",
	),
	port: withDefault("PORT", "8080", parsePort, "The HTTP listener; 0 = off.", "80", "TCP port"),
	httpsPort: withDefault("HTTPS_PORT", "8443", parsePort, "The HTTPS listener; 0 = off.", "443", "TCP port"),
	tls: withDefault(
		"TLS",
		"files",
		oneOf(["files", "acme"]),
		"Where the certificate comes from. `files`: `LATCHKEY_TLS_CERT` and `LATCHKEY_TLS_KEY`, or a self-signed pair. `acme`: an ACME server such as Let's Encrypt ([certificates](#certificates-from-an-acme-server)).",
		"acme",
	),
	acmeDirectory: withDefault(
		"ACME_DIRECTORY",
		"https://acme-v02.api.letsencrypt.org/directory",
		parseHttpsUrl,
		"The URL of the directory of the ACME server.",
		"https://acme-staging-v02.api.letsencrypt.org/directory",
	),
	acmeEmail: optional(
		"ACME_EMAIL",
		parseEmail,
		"The email address of the account at the ACME server; required with `LATCHKEY_TLS=acme`.",
		"ops@example.com",
	),
	tlsCertificate: optional(
		"TLS_CERT",
		parsePath,
		"PEM file with the certificate and its chain, reloaded when it is replaced and on SIGHUP. Unset: a self-signed pair in the data directory.",
		"/etc/latchkey/fullchain.pem",
	),
	tlsKey: optional(
		"TLS_KEY",
		parsePath,
		"PEM file with the private key of that certificate; set both files or neither.",
		"/etc/latchkey/privkey.pem",
	),
	publicUrl: withDefault(
		"PUBLIC_URL",
		"https://localhost:8443",
		parseOrigin,
		"The public URL of the service: the issuer of tokens and the base of all links in mail. Scheme, host, and port only.",
		"https://auth.example.com",
	),
	passkeyDomain: optional(
		"PASSKEY_DOMAIN",
		parseDomain,
		"The domain for which passkeys are created: the host of `LATCHKEY_PUBLIC_URL` or a parent domain. Changing it invalidates every passkey. Unset: that host.",
		"example.com",
	),
	passkeyOrigins: optional(
		"PASSKEY_ORIGINS",
		parseOriginList,
		"Comma-separated origins of sign-in pages on that domain or below it that may use passkeys, in addition to `LATCHKEY_PUBLIC_URL`. Unset: none.",
		"https://app.example.com, https://shop.example.com",
	),
	dataDir: withDefault(
		"DATA_DIR",
		"./data",
		parsePath,
		"The directory of the embedded database, the keys, and the mail files; accessible only to the service (0700).",
		"/var/lib/latchkey",
	),
	databaseUrl: secret(
		"DATABASE_URL",
		parseDatabaseUrl,
		"PostgreSQL 15 or later, with one or several hosts; requires a configured master key. Unset: the embedded SQLite database in the data directory.",
		"postgres://latchkey:secret@db.example.com/latchkey",
	),
	databaseStandby: withDefault(
		"DATABASE_STANDBY",
		"asynchronous",
		oneOf(DATABASE_STANDBYS),
		"`synchronous`: a standby has every acknowledged write, so a failover loses nothing and signed calls continue at once. `asynchronous`: after a failover, what was signed up to five minutes after it is refused with 503.",
		"synchronous",
	),
	redisUrl: secret(
		"REDIS_URL",
		parseRedisUrl,
		"Redis 6.2 or Valkey 7.2 or later, in which all nodes count requests together; `rediss` is TLS. Also Sentinel (`redis+sentinel://host1,host2/name`) and Cluster (`redis+cluster://host1,host2`). Unset: each process counts separately.",
		"rediss://latchkey:secret@cache.example.com:6379/0",
	),
	masterKey: secret(
		"MASTER_KEY",
		parseMasterKeys,
		"The key that encrypts stored secrets: 32 bytes in base64, or a comma-separated list whose first key encrypts and whose keys all decrypt. Unset: `master.key` in the data directory, created at the first start.",
		"$(openssl rand -base64 32)",
	),
	masterKeyFile: optional(
		"MASTER_KEY_FILE",
		parsePath,
		"A file with the same content as `LATCHKEY_MASTER_KEY`, mode 0600 or 0400; set only one of the two.",
		"/etc/latchkey/master.key",
	),
	smtpUrl: secret(
		"SMTP_URL",
		parseSmtpUrl,
		"The mail server. `smtp` (port 587) upgrades with STARTTLS and sends nothing without it, except to this machine ([clear text](#mail-in-clear-text)); `smtps` (port 465) uses TLS from the start. `?name=` sets [the name in EHLO](#the-name-in-ehlo). Unset: mail is written to `.eml` files in `mail/` in the data directory.",
		"smtps://latchkey:secret@smtp.example.com:465",
	),
	mailFrom: withDefault(
		"MAIL_FROM",
		"Latchkey <no-reply@localhost>",
		parseMailbox,
		"The sender of all mail: one email address, with or without a name.",
		"Example Accounts <accounts@example.com>",
	),
	mailTexts: optional(
		"MAIL_TEXTS",
		parsePath,
		"A directory of mail texts, with one directory per language, that replace built-in texts or add a language ([texts](mail.md#texts)). Unset: the built-in texts, in English and Chinese.",
		"/etc/latchkey/mail-texts",
	),
	brandName: withDefault(
		"BRAND_NAME",
		"Latchkey",
		parseBrandName,
		"The product name in mail, at most 60 characters; a tenant can override it.",
		"Example Accounts",
	),
	brandLogoUrl: optional(
		"BRAND_LOGO_URL",
		parseHttpsUrl,
		"The logo in mail, loaded by the recipient's mail client; a tenant can override it. Unset: none.",
		"https://www.example.com/logo.png",
	),
	brandColor: withDefault(
		"BRAND_COLOR",
		"#1f4fd8",
		parseColor,
		"The color of buttons in mail, `#rrggbb`; a tenant can override it. Text on it is black or white.",
		"#0b6b3a",
	),
	supportEmail: optional(
		"SUPPORT_EMAIL",
		parseEmail,
		"The support address at the end of mail; a tenant can override it. Unset: none.",
		"help@example.com",
	),
	trustedProxies: optional(
		"TRUSTED_PROXIES",
		parseProxyList,
		"Comma-separated IP addresses and CIDR ranges of reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. Unset: none.",
		"10.0.0.0/8, 2001:db8::7",
	),
	plainHttpNetworks: optional(
		"PLAIN_HTTP_NETWORKS",
		parseCidrList,
		"Comma-separated IP addresses and CIDR ranges of clients that may use the API over plain HTTP, including passwords and tokens; open APIs still require HTTPS. Unset: only this machine.",
		"10.40.0.0/16, fd12:9abc::/32",
	),
	webhookAllowedNetworks: optional(
		"WEBHOOK_ALLOWED_NETWORKS",
		parseCidrList,
		"Comma-separated IP addresses and CIDR ranges that webhooks, back-channel logout, and `jwks_uri` may access although they are not on the public internet. In the file of `LATCHKEY_CONFIG`, reloaded on SIGHUP. Unset: none.",
		"10.20.0.0/16, fd12:3456::/32",
	),
	providerAllowedNetworks: optional(
		"PROVIDER_ALLOWED_NETWORKS",
		parseCidrList,
		"Comma-separated IP addresses and CIDR ranges in which identity providers may be accessed although they are not on the public internet. Unset: none.",
		"10.30.0.0/16, fd12:5678::/32",
	),
	drainSeconds: withDefault(
		"DRAIN_SECONDS",
		"0",
		wholeNumber(0, 60),
		"How long a stopping service continues to serve requests while `/health` returns 503, at most 60: as long as the load balancer needs to notice. 0 = stop immediately.",
		"5",
		"seconds",
	),
	rateLimitPerMinute: withDefault(
		"RATE_LIMIT_PER_MINUTE",
		"100",
		wholeNumber(0, 1_000_000),
		"Requests allowed per client IP address in any 60 seconds, at most 1000000; 0 = off, for benchmarks.",
		"300",
		"requests per minute",
	),
	clientLimitPerMinute: withDefault(
		"CLIENT_LIMIT_PER_MINUTE",
		"1000",
		wholeNumber(0, 1_000_000),
		"Requests allowed per authenticated OAuth client in any 60 seconds at `/oauth/token`, `/oauth/par`, `/oauth/introspect`, and `/oauth/revoke`, at most 1000000. 0 = off. Unauthenticated requests count by IP address (`LATCHKEY_RATE_LIMIT_PER_MINUTE`).",
		"20000",
		"requests per minute",
	),
	gateLimitPerMinute: withDefault(
		"GATE_LIMIT_PER_MINUTE",
		"60000",
		wholeNumber(0, 1_000_000),
		"Requests allowed per gate (`/gate/{application_id}`) in any 60 seconds, at most 1000000. 0 = off. Requests that a gate refuses also count by the IP address of the caller (`LATCHKEY_RATE_LIMIT_PER_MINUTE`).",
		"200000",
		"requests per minute",
	),
	gateSample: withDefault(
		"GATE_SAMPLE",
		"on",
		oneOf(["on", "off"]),
		"`on`: each node keeps the last 100 requests that each gate let pass, at most one a second, in memory: the method, the path without the query, the kind of the caller, and its permissions. Unsaved rules are tried against them. `off`: none are kept.",
		"off",
	),
	maxConnections: withDefault(
		"MAX_CONNECTIONS",
		"4096",
		wholeNumber(0, 1_000_000),
		"Open connections in total, at most 1000000. At the limit, the connection that has been idle longest is closed for a new one. 0 = no limit.",
		"20000",
		"connections",
	),
	maxConnectionsPerAddress: withDefault(
		"MAX_CONNECTIONS_PER_ADDRESS",
		"256",
		wholeNumber(0, 1_000_000),
		"Open connections per IP address (IPv6: /64), at most 1000000; trusted proxies are exempt. At the limit, the address's own idle connections are closed first. 0 = no limit.",
		"64",
		"connections",
	),
	mailsPerHour: withDefault(
		"MAILS_PER_HOUR",
		"100",
		wholeNumber(0, 1_000_000),
		"Requests for mail allowed per client IP address in an hour, at most 1000000: codes, password links, access requests; 0 = off. Also off while the rate limit is off.",
		"20",
		"requests per hour",
	),
	bcryptCost: withDefault(
		"BCRYPT_COST",
		"12",
		wholeNumber(10, 15),
		"The bcrypt cost of password hashes, 10 to 15; each step doubles the work. When it is raised, older hashes are renewed at the next sign-in.",
		"13",
		"log2 of rounds",
	),
	hashLanes: withDefault(
		"HASH_LANES",
		"on",
		oneOf(["on", "off"]),
		"`on`: waiting sign-ins share a thread to verify their passwords; four together take 1.5 times as long as one. `off`: one after the other.",
		"off",
	),
	breachedPasswords: optional(
		"BREACHED_PASSWORDS",
		parsePath,
		"A sorted file of SHA-1 hashes of breached passwords, in the format of Have I Been Pwned; new passwords in it are refused. Unset: only the bundled list of common passwords is checked.",
		"/var/lib/latchkey/pwnedpasswords.txt",
	),
	adminUsername: withDefault(
		"ADMIN_USERNAME",
		"admin",
		parseUsername,
		"The first administrator's username; used only at the first start.",
		"root.admin",
	),
	adminEmail: withDefault(
		"ADMIN_EMAIL",
		"admin@localhost",
		parseEmail,
		"The first administrator's email address; used only at the first start. It need not be routable.",
		"ops@example.com",
	),
	adminPassword: secret(
		"ADMIN_PASSWORD",
		parsePassword,
		"The first administrator's password, 8 characters to 72 bytes; used only at the first start. Unset: a random one, printed once.",
		"$(openssl rand -base64 18)",
	),
	logLevel: withDefault(
		"LOG_LEVEL",
		"info",
		oneOf(LOG_LEVELS),
		"The log level: `silent`, `fatal`, `error`, `warn`, `info`, `debug`, or `trace`.",
		"warn",
	),
	metricsPort: withDefault(
		"METRICS_PORT",
		"0",
		parsePort,
		"The listener of `GET /metrics`; 0 = off.",
		"9464",
		"TCP port",
	),
	otlpEndpoint: optional(
		"OTLP_ENDPOINT",
		parseOtlpEndpoint,
		"The base URL of an OTLP/HTTP receiver for traces and metrics ([traces](monitoring.md#traces-and-metrics-over-otlp)). Unset: none are sent.",
		"http://otel-collector.example.com:4318",
	),
	otlpHeaders: secret(
		"OTLP_HEADERS",
		parseOtlpHeaders,
		"Headers for that receiver, such as a token: `name=value`, comma-separated, with percent-encoded values. Unset: none.",
		"authorization=Bearer%20secret",
	),
	otlpTracePercent: withDefault(
		"OTLP_TRACE_PERCENT",
		"100",
		wholeNumber(0, 100),
		"The percentage of traces started here that are sent, 0 to 100; 0 = only those that a trusted proxy requests. Metrics are always complete.",
		"10",
		"percent",
	),
} as const;

/** All rows of the table. */
export const ALL_SETTINGS: readonly Setting<unknown>[] = Object.values(SETTINGS);

/** `…_FILE` of each secret, with its setting. The master key's is a row of the table. */
export const SECRET_FILES: ReadonlyMap<string, string> = new Map(
	ALL_SETTINGS.filter(({ secret, name }) => secret && name !== SETTINGS.masterKey.name).map(({ name }) => [
		`${name}_FILE`,
		name,
	]),
);
