// Reads the request that a proxy describes in headers, or a middleware in JSON.

import { METHOD, METHOD_MAX } from "../../../domain/gate-rule.ts";
import { isOverrideHeader, OVERRIDE_HEADERS } from "../../../domain/method-override.ts";
import { choice, exactText, mapOf, object, optional, text } from "../../../http/describe/schema.ts";
import { validator } from "../../../http/describe/validation.ts";
import { parseJsonBody } from "../../../http/run/body.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import { cookieValue } from "../../../http/run/read-browser-session.ts";
import { AppError, invalidField, invalidFields } from "../../../kernel/error.ts";
import { parseIp } from "../../../kernel/ip.ts";
import type { AskedCall } from "./asked-call.ts";

const TARGET_MAX = 16_384;
/** As much as the head of a request to a gate may have. */
const HEADER_MAX = 32_768;
const IP_MAX = 64;
/** Headers that a middleware passes on; a proxy passes on all. */
const READ_HEADERS = [
	"accept",
	"access-control-request-headers",
	"access-control-request-method",
	"authorization",
	"content-digest",
	"cookie",
	"dpop",
	"origin",
	"upgrade",
	"x-api-key",
	"x-app-id",
	"x-nonce",
	"x-signature",
	"x-tenant-id",
	"x-timestamp",
	...OVERRIDE_HEADERS,
];

export const verifyBody = object({
	method: text({ max: METHOD_MAX }),
	target: exactText({ max: TARGET_MAX }),
	scheme: choice(["http", "https"]),
	ip: text({ max: IP_MAX }),
	headers: mapOf({ ...exactText({ max: HEADER_MAX }), minLength: 0 }),
	body_sha256: optional(text({ max: 64, pattern: "^[0-9a-f]{64}$" })),
});
const checkVerifyBody = validator(verifyBody);

/** nginx, Caddy, HAProxy, Traefik: headers describe the request. @throws AppError `gate.request` */
export function proxiedCall(request: Incoming): AskedCall {
	const original = Object.keys(request.headers).some((name) => name.startsWith("x-original-"));
	const forwarded = ["x-forwarded-method", "x-forwarded-uri"].some(
		(name) => request.headerValues(name).length > 0,
	);
	if (original && forwarded)
		throw refused("send X-Original-* headers, or X-Forwarded-Method and X-Forwarded-Uri, but not both");
	const [method, target] = original
		? [once(request, "X-Original-Method"), once(request, "X-Original-URI")]
		: [once(request, "X-Forwarded-Method"), once(request, "X-Forwarded-Uri")];
	return receivedCall(request, method, target);
}

/** Envoy: what follows `/at` is the target. */
export function appendedCall(request: Incoming): AskedCall {
	const target = /^\/gate\/[^/]*\/at(\/.*)$/.exec(request.target)?.[1];
	if (target === undefined) throw refused("the path must contain the target after /at");
	return receivedCall(request, request.method, target);
}

function receivedCall(request: Incoming, method: string, target: string): AskedCall {
	const { scheme, ip, requestId } = request;
	// A proxy may send an empty header for an absent one.
	const headerValues = (name: string) => request.headerValues(name).filter((value) => value !== "");
	return {
		method: checkMethod(method),
		target,
		scheme,
		ip,
		requestId,
		headerValues,
		computedBodySha256: undefined,
		isProxied: true,
		override: Object.keys(request.headers).find((name) => isOverride(request, name, target)),
		cookie: (name) => cookieValue({ headerValues }, name),
	};
}

/** ingress-nginx names the requested URL in `X-Original-URL`; a value from a trusted proxy that agrees is none. */
function isOverride(request: Incoming, header: string, target: string): boolean {
	if (header !== "x-original-url" || !request.proxied) return isOverrideHeader(header);
	const [url = "", ...others] = request.headerValues(header);
	return others.length > 0 || ORIGIN.exec(url)?.[1] !== target;
}

/** The target of an absolute URL, undecoded. */
const ORIGIN = /^https?:\/\/[^/?#]+(\/.*)$/;

/** @throws AppError `request.invalid`, `gate.request`. */
export function reportedCall(request: Incoming): AskedCall {
	const body = parseJsonBody(request.rawBody, request.contentType);
	const checked = checkVerifyBody(body);
	if (checked !== true) throw invalidFields(checked);
	const { method, target, scheme, ip, headers, body_sha256 } = body as VerifyBody;
	const address = parseIp(ip);
	if (address === undefined) throw invalidField("ip", "ip");
	const unknown = Object.keys(headers).find((name) => !READ_HEADERS.includes(name));
	if (unknown !== undefined)
		throw refused(`headers may contain only ${READ_HEADERS.join(", ")}, in lower case`);
	const headerValues = (name: string): readonly string[] => {
		const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
		return value === undefined || value === "" ? [] : [value];
	};
	return {
		method: checkMethod(method),
		target,
		scheme,
		ip: address.text,
		requestId: request.requestId,
		headerValues,
		computedBodySha256: body_sha256,
		isProxied: false,
		override: Object.keys(headers).find(isOverrideHeader),
		cookie: (name) => cookieValue({ headerValues }, name),
	};
}

interface VerifyBody {
	readonly method: string;
	readonly target: string;
	readonly scheme: "http" | "https";
	readonly ip: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body_sha256?: string;
}

function checkMethod(method: string): string {
	if (METHOD.test(method) && method.length <= METHOD_MAX) return method;
	throw refused("the method must be in upper case, for example POST");
}

function once(request: Incoming, name: string): string {
	const [value, ...others] = request.headerValues(name.toLowerCase());
	if (value !== undefined && others.length === 0) return value;
	throw refused(`the proxy must send ${name} once`);
}

function refused(message: string): AppError {
	return new AppError("gate.request", message);
}
