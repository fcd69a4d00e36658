// Parses URLs and paths.

import { resolve } from "node:path";
import { type RedisUrlParts, splitRedisUrl } from "../kernel/redis-url.ts";
import type { Parsed } from "./setting.ts";

const ORIGIN = /^https?:\/\/[^\s/?#\\@]+\/?$/i;

/**
 * The public URL of the service: scheme, host, and port only. It becomes the issuer of tokens, so it has one
 * canonical form: lower case, no default port, no trailing slash.
 */
export function parseOrigin(text: string): Parsed<string> {
	const mustBe =
		"http://host or https://host with an optional port, without credentials, path, query or fragment";
	// Test the text first: the URL parser accepts tabs, backslashes, missing slashes, and an empty "?" or "#".
	const url = ORIGIN.test(text) ? URL.parse(text) : null;
	return url === null ? { mustBe } : { value: url.origin };
}

/** Comma-separated origins. */
export function parseOriginList(text: string): Parsed<readonly string[]> {
	const origins: string[] = [];
	for (const item of text.split(",")) {
		const origin = parseOrigin(item.trim());
		if ("mustBe" in origin) return { mustBe: `a comma-separated list of ${origin.mustBe}` };
		origins.push(origin.value);
	}
	return { value: origins };
}

const DOMAIN = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** A host name in lower case; no IP address and no port. */
export function parseDomain(text: string): Parsed<string> {
	const domain = text.toLowerCase();
	return DOMAIN.test(domain) ? { value: domain } : { mustBe: "a domain such as example.com" };
}

/**
 * A parser of service URLs, `scheme://[user:password@]host[:port]` and, unless `tail` is empty, a path; the error
 * message includes `tail`. Returns the text unchanged, since a driver parses it again.
 */
function serviceUrl(
	schemes: readonly string[],
	tail: "" | "/name" | "[/database]",
): (text: string) => Parsed<string> {
	const mustBe = `${schemes.join(" or ")} and then ://[user:password@]host[:port]${tail}, user and password percent-encoded`;
	return (text) => {
		const scheme = schemes.find((name) => text.startsWith(`${name}://`));
		const url = scheme === undefined || /[\s\\]/.test(text) ? null : URL.parse(text);
		if (
			url === null ||
			url.hostname === "" ||
			url.port === "0" ||
			!isDecodable(url.username) ||
			!isDecodable(url.password)
		) {
			return { mustBe };
		}
		if (tail === "" && (!["", "/"].includes(url.pathname) || /[?#]/.test(text))) return { mustBe };
		return { value: text };
	};
}

const DATABASE_URL = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]+)/;
const parseOneHost = serviceUrl(["postgres", "postgresql"], "/name");

/**
 * `postgres://[user:password@]host[:port][,host[:port]…]/name[?parameters]`; each host is validated as if it were the
 * only one. Returns the text unchanged: the adapter parses its parameters.
 */
export function parseDatabaseUrl(text: string): Parsed<string> {
	const [before = "", front = "", hosts = ""] = DATABASE_URL.exec(text) ?? [];
	const rest = text.slice(before.length);
	for (const host of hosts.split(",")) {
		const parsed = parseOneHost(`${front}${host}${rest}`);
		if ("mustBe" in parsed) return parsed;
	}
	return { value: text };
}

const REDIS_URL =
	"redis or rediss and then ://[user:password@]host[:port][/database], +sentinel://[user:password@]host[:port],…/name[/database], or +cluster://[user:password@]host[:port],…, the database a number, without query or fragment";

const DATABASE = "(?:0|[1-9][0-9]{0,4})";
const REDIS_PATHS: Readonly<Record<RedisUrlParts["kind"], RegExp>> = {
	server: new RegExp(`^/?${DATABASE}?$`),
	// Sentinel permits these characters in the name of a primary.
	sentinel: new RegExp(`^/[A-Za-z0-9._-]+(?:/${DATABASE}?)?$`),
	// A cluster has no other database.
	cluster: /^\/?$/,
};
const parseRedisServer = serviceUrl(["redis", "rediss"], "[/database]");

/**
 * `redis[s]://[[user]:password@]host[:port][/database]`, `redis[s]+sentinel://…host[:port],…/name[/database]`, or
 * `redis[s]+cluster://…host[:port],…`; `rediss` uses TLS. Returns the text unchanged: the adapter parses it again.
 */
export function parseRedisUrl(text: string): Parsed<string> {
	const parts = splitRedisUrl(text);
	return parts !== undefined && isValidRedisUrl(parts) ? { value: text } : { mustBe: REDIS_URL };
}

function isValidRedisUrl({ scheme, kind, credentials, hosts, path }: RedisUrlParts): boolean {
	if (!REDIS_PATHS[kind].test(path) || (kind === "server" && hosts.length > 1)) return false;
	return hosts.every((host) => "value" in parseRedisServer(`${scheme}://${credentials}${host}`));
}

const SMTP_PARAMETERS = /^(?:tls=(?:off|opportunistic)|name=[^&#?]+)$/;
const parseMailServer = serviceUrl(["smtp", "smtps"], "");

/**
 * `smtp[s]://[user:password@]host[:port]` with the parameters `name`, the host name in EHLO, and `tls`, which only
 * `smtp` without user and password may have. Returns the text unchanged: the adapter parses it again.
 */
export function parseSmtpUrl(text: string): Parsed<string> {
	const [server = ""] = text.split("?", 1);
	const parsed = parseMailServer(server);
	const parameters = text === server ? [] : text.slice(server.length + 1).split("&");
	const { tls, name } = Object.fromEntries(new URLSearchParams(parameters.join("&")));
	if ("mustBe" in parsed || !areSmtpParameters(parameters))
		return {
			mustBe: `${"mustBe" in parsed ? parsed.mustBe : "a URL of a mail server"}, then nothing, ?tls=off, ?tls=opportunistic, or ?name=host.example.com`,
		};
	if (name !== undefined && "mustBe" in parseDomain(name))
		return { mustBe: "a URL whose name= is a host name such as mail.example.com" };
	const url = new URL(server);
	const isClearText = url.protocol === "smtp:" && url.username === "" && url.password === "";
	if (tls !== undefined && !isClearText)
		return {
			mustBe: "without tls= for smtps and with a user or password: those are never sent in clear text",
		};
	return { value: text };
}

/** Whether each is known and none occurs twice. */
function areSmtpParameters(parameters: readonly string[]): boolean {
	const names = new Set(parameters.map((parameter) => parameter.split("=", 1)[0]));
	return names.size === parameters.length && parameters.every((each) => SMTP_PARAMETERS.test(each));
}

function isDecodable(text: string): boolean {
	try {
		decodeURIComponent(text);
		return true;
	} catch {
		return false;
	}
}

/** A path, resolved against the working directory. `~` is refused: only a shell expands it. */
export function parsePath(text: string): Parsed<string> {
	if (text.startsWith("~")) return { mustBe: "a path without ~, which only a shell expands" };
	return { value: resolve(text) };
}

/** An absolute https URL without credentials. */
export function parseHttpsUrl(text: string): Parsed<string> {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (url?.protocol === "https:" && url.username === "" && url.password === "") return { value: url.href };
	return { mustBe: "an https:// URL without a user or password" };
}
