// Every setting once: name, unit, default, meaning, parser. `docs/configuration.md` is tested against this table.

import { parseCidrList, parseEmail, parseHost, parseMailbox, parseUsername } from "./parse-address.ts";
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

/** Prefix of every setting; any other name with it is refused. */
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
		"A file of settings, `NAME=value` a line; unset: none. Cannot stand in the file itself.",
		"/etc/latchkey/latchkey.env",
	),
	host: withDefault(
		"HOST",
		"127.0.0.1",
		parseHost,
		"The address or host name all listeners bind to; `0.0.0.0` or `::` for every address of the machine.",
		"0.0.0.0",
	),
	port: withDefault("PORT", "8080", parsePort, "The HTTP listener; 0 = off.", "80", "TCP port"),
	httpsPort: withDefault("HTTPS_PORT", "8443", parsePort, "The HTTPS listener; 0 = off.", "443", "TCP port"),
	tlsCertificate: optional(
		"TLS_CERT",
		parsePath,
		"PEM file with the certificate and its chain, read again when it is replaced and on SIGHUP; unset: a self-signed pair made in the data folder.",
		"/etc/latchkey/fullchain.pem",
	),
	tlsKey: optional(
		"TLS_KEY",
		parsePath,
		"PEM file with the private key of that certificate; both files are named or neither.",
		"/etc/latchkey/privkey.pem",
	),
	publicUrl: withDefault(
		"PUBLIC_URL",
		"https://localhost:8443",
		parseOrigin,
		"The address people and partners use: the issuer of tokens and the only base of links in mails. Scheme, host and port only.",
		"https://auth.example.com",
	),
	passkeyDomain: optional(
		"PASSKEY_DOMAIN",
		parseDomain,
		"The domain passkeys are made for: the host of `LATCHKEY_PUBLIC_URL` or a domain above it. Changing it makes every passkey useless. Unset: that host.",
		"example.com",
	),
	passkeyOrigins: optional(
		"PASSKEY_ORIGINS",
		parseOriginList,
		"Comma-separated addresses of sign-in pages that may use passkeys, on that domain or below it, beside `LATCHKEY_PUBLIC_URL`. Unset: none.",
		"https://app.example.com, https://shop.example.com",
	),
	dataDir: withDefault(
		"DATA_DIR",
		"./data",
		parsePath,
		"The folder of the embedded database, the keys and the mail files; private to the service (0700).",
		"/var/lib/latchkey",
	),
	databaseUrl: secret(
		"DATABASE_URL",
		parseDatabaseUrl,
		"PostgreSQL 15 or later, one host or several; needs a master key that is set. Unset: the embedded SQLite database in the data folder.",
		"postgres://latchkey:secret@db.example.com/latchkey",
	),
	redisUrl: secret(
		"REDIS_URL",
		parseRedisUrl,
		"Redis 6.2 or Valkey 7.2 and later, in which all nodes count requests together; `rediss` is TLS. Unset: each process counts for itself.",
		"rediss://latchkey:secret@cache.example.com:6379/0",
	),
	masterKey: secret(
		"MASTER_KEY",
		parseMasterKeys,
		"The key that seals stored secrets: 32 bytes in base64, or a comma-separated list of which the first seals and all open. Unset: `master.key` in the data folder, made at the first start.",
		"$(openssl rand -base64 32)",
	),
	masterKeyFile: optional(
		"MASTER_KEY_FILE",
		parsePath,
		"A file with the same text as `LATCHKEY_MASTER_KEY`, mode 0600 or 0400; give one of the two.",
		"/etc/latchkey/master.key",
	),
	smtpUrl: secret(
		"SMTP_URL",
		parseSmtpUrl,
		"The mail server; `smtp` (port 587) upgrades with STARTTLS and sends nothing without it, except to this machine ([clear text](#mail-in-clear-text)); `smtps` (port 465) is TLS from the start. Unset: mails become `.eml` files in `mail/` in the data folder.",
		"smtps://latchkey:secret@smtp.example.com:465",
	),
	mailFrom: withDefault(
		"MAIL_FROM",
		"Latchkey <no-reply@localhost>",
		parseMailbox,
		"The sender of all mails: one address, with or without a name.",
		"Example Accounts <accounts@example.com>",
	),
	mailTexts: optional(
		"MAIL_TEXTS",
		parsePath,
		"A folder of mail texts, one folder a language: they replace the built-in texts or add a language ([texts](mail.md#texts)). Unset: the built-in texts, in English and Chinese.",
		"/etc/latchkey/mail-texts",
	),
	brandName: withDefault(
		"BRAND_NAME",
		"Latchkey",
		parseBrandName,
		"The product name in mails, at most 60 characters; a tenant may have its own.",
		"Example Accounts",
	),
	brandLogoUrl: optional(
		"BRAND_LOGO_URL",
		parseHttpsUrl,
		"The logo in mails, loaded by the mail program of the reader; a tenant may have its own. Unset: none.",
		"https://www.example.com/logo.png",
	),
	brandColor: withDefault(
		"BRAND_COLOR",
		"#1f4fd8",
		parseColor,
		"The colour of buttons in mails, `#rrggbb`; a tenant may have its own. Text on it is black or white.",
		"#0b6b3a",
	),
	supportEmail: optional(
		"SUPPORT_EMAIL",
		parseEmail,
		"The address for questions at the end of mails; a tenant may have its own. Unset: none.",
		"help@example.com",
	),
	trustedProxies: optional(
		"TRUSTED_PROXIES",
		parseCidrList,
		"Comma-separated addresses and CIDR ranges of reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. Unset: none.",
		"10.0.0.0/8, 2001:db8::7",
	),
	plainHttpNetworks: optional(
		"PLAIN_HTTP_NETWORKS",
		parseCidrList,
		"Comma-separated addresses and CIDR ranges whose callers may use the API over plain HTTP, passwords and tokens included; open APIs need HTTPS all the same. Unset: this machine only.",
		"10.40.0.0/16, fd12:9abc::/32",
	),
	webhookAllowedNetworks: optional(
		"WEBHOOK_ALLOWED_NETWORKS",
		parseCidrList,
		"Comma-separated addresses and CIDR ranges webhooks, back-channel logout and `jwks_uri` may reach although they are not on the public Internet. Unset: none.",
		"10.20.0.0/16, fd12:3456::/32",
	),
	providerAllowedNetworks: optional(
		"PROVIDER_ALLOWED_NETWORKS",
		parseCidrList,
		"Comma-separated addresses and CIDR ranges identity providers may be reached at although they are not on the public Internet. Unset: none.",
		"10.30.0.0/16, fd12:5678::/32",
	),
	drainSeconds: withDefault(
		"DRAIN_SECONDS",
		"0",
		wholeNumber(0, 60),
		"How long a service that was asked to stop goes on serving while `/health` says 503, at most 60: as long as the load balancer needs to notice. 0 = stop at once.",
		"5",
		"seconds",
	),
	rateLimitPerMinute: withDefault(
		"RATE_LIMIT_PER_MINUTE",
		"100",
		wholeNumber(0, 1_000_000),
		"Requests one client address may make in any 60 seconds, at most 1000000; 0 = off, for measuring.",
		"300",
		"requests per minute",
	),
	relayLimitPerMinute: withDefault(
		"RELAY_LIMIT_PER_MINUTE",
		"300",
		wholeNumber(0, 1_000_000),
		"Relayed sign-in requests (`/api/v1/external/auth/*`) one API client may make in any 60 seconds, at most 1000000. 0 = off. Each address it names has the limit of `LATCHKEY_RATE_LIMIT_PER_MINUTE` besides.",
		"5000",
		"requests per minute",
	),
	clientLimitPerMinute: withDefault(
		"CLIENT_LIMIT_PER_MINUTE",
		"1000",
		wholeNumber(0, 1_000_000),
		"Requests one OAuth client may make in any 60 seconds at `/oauth/token`, `/oauth/par`, `/oauth/introspect` and `/oauth/revoke` once it has proved itself, at most 1000000. 0 = off. Without a proof they count by address (`LATCHKEY_RATE_LIMIT_PER_MINUTE`).",
		"20000",
		"requests per minute",
	),
	maxConnections: withDefault(
		"MAX_CONNECTIONS",
		"4096",
		wholeNumber(0, 1_000_000),
		"Open connections of all callers together, at most 1000000. At the bound the connection that has been idle longest is closed for a new one. 0 = no bound.",
		"20000",
		"connections",
	),
	maxConnectionsPerAddress: withDefault(
		"MAX_CONNECTIONS_PER_ADDRESS",
		"256",
		wholeNumber(0, 1_000_000),
		"Open connections of one address (IPv6: /64), at most 1000000; trusted proxies are exempt. At the bound the address's own idle ones are closed first. 0 = no bound.",
		"64",
		"connections",
	),
	mailsPerHour: withDefault(
		"MAILS_PER_HOUR",
		"100",
		wholeNumber(0, 1_000_000),
		"Requests for mail one client address may make in an hour, at most 1000000: codes, password links, access requests; 0 = off. Off too while the rate limit is.",
		"20",
		"requests per hour",
	),
	bcryptCost: withDefault(
		"BCRYPT_COST",
		"12",
		wholeNumber(10, 15),
		"The work in a password hash, 10 to 15; one more doubles it. Older hashes are renewed at the next sign-in when it rises.",
		"13",
		"log2 of rounds",
	),
	hashLanes: withDefault(
		"HASH_LANES",
		"on",
		oneOf(["on", "off"]),
		"`on`: sign-ins that wait for their password to be verified share a thread, on which four take together 1.5 times as long as one. `off`: one after the other.",
		"off",
	),
	breachedPasswords: optional(
		"BREACHED_PASSWORDS",
		parsePath,
		"A file of SHA-1 hashes of breached passwords, sorted, in the format of Have I Been Pwned; new passwords in it are refused. Unset: only the bundled list of common passwords is checked.",
		"/var/lib/latchkey/pwnedpasswords.txt",
	),
	adminUsername: withDefault(
		"ADMIN_USERNAME",
		"admin",
		parseUsername,
		"The first administrator's username; used at the first start only.",
		"root.admin",
	),
	adminEmail: withDefault(
		"ADMIN_EMAIL",
		"admin@localhost",
		parseEmail,
		"The first administrator's e-mail address; used at the first start only. It need not be routable.",
		"ops@example.com",
	),
	adminPassword: secret(
		"ADMIN_PASSWORD",
		parsePassword,
		"The first administrator's password, 8 characters to 72 bytes; used at the first start only. Unset: a random one, printed once.",
		"$(openssl rand -base64 18)",
	),
	logLevel: withDefault(
		"LOG_LEVEL",
		"info",
		oneOf(LOG_LEVELS),
		"How much is logged: `silent`, `fatal`, `error`, `warn`, `info`, `debug` or `trace`.",
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
		"The base URL of an OTLP/HTTP receiver, to which traces and metrics are sent ([traces](monitoring.md#traces-and-metrics-over-otlp)). Unset: none are sent.",
		"http://otel-collector.example.com:4318",
	),
	otlpHeaders: secret(
		"OTLP_HEADERS",
		parseOtlpHeaders,
		"Headers for that receiver, such as a token: `name=value`, separated by commas, the values percent-encoded. Unset: none.",
		"authorization=Bearer%20secret",
	),
	otlpTracePercent: withDefault(
		"OTLP_TRACE_PERCENT",
		"100",
		wholeNumber(0, 100),
		"How many of the traces that begin here are sent, 0 to 100; 0 = only those that a trusted proxy asks for. Metrics are always complete.",
		"10",
		"percent",
	),
} as const;

/** All rows of the table. */
export const ALL_SETTINGS: readonly Setting<unknown>[] = Object.values(SETTINGS);

/** `…_FILE` of each secret, with the setting whose text the file holds. The master key's is a row of its own. */
export const SECRET_FILES: ReadonlyMap<string, string> = new Map(
	ALL_SETTINGS.filter(({ secret, name }) => secret && name !== SETTINGS.masterKey.name).map(({ name }) => [
		`${name}_FILE`,
		name,
	]),
);
