// Lets pages of the origins of a gate read its responses, and those of the application behind it (CORS).

import type { AskedGate } from "../../../domain/gate.ts";
import { METHOD } from "../../../domain/gate-rule.ts";
import type { AskedCall } from "./asked-call.ts";

type Headers = Readonly<Record<string, string>>;

const NONE: Headers = {};
/** Seconds for which a browser keeps the response to a preflight. */
const MAX_AGE = "600";
/** Names of headers, separated by commas. */
const NAMES = /^[A-Za-z0-9_, -]{1,1024}$/;

/** The origin of the page, if it is one of the gate's. */
function originOf({ corsOrigins }: Pick<AskedGate, "corsOrigins">, call: AskedCall): string | undefined {
	if (corsOrigins === "") return undefined;
	const [origin, ...others] = call.headerValues("origin");
	return origin !== undefined && others.length === 0 && corsOrigins.split(",").includes(origin)
		? origin
		: undefined;
}

/** The method for which a browser asks in advance; undefined if the request is no preflight of an origin of the gate. */
export function preflightMethod(gate: AskedGate, call: AskedCall): string | undefined {
	if (call.method !== "OPTIONS" || originOf(gate, call) === undefined) return undefined;
	const [method, ...others] = call.headerValues("access-control-request-method");
	return method !== undefined && others.length === 0 && METHOD.test(method) ? method : undefined;
}

/** For every response to a page of an origin of the gate, refusals included. */
export function crossOriginHeaders(gate: AskedGate | undefined, call: AskedCall | undefined): Headers {
	const origin = gate && call && originOf(gate, call);
	if (origin === undefined) return NONE;
	return {
		"access-control-allow-origin": origin,
		"access-control-allow-credentials": "true",
		"access-control-expose-headers": "Latchkey-Refusal, WWW-Authenticate",
		vary: "Origin",
	};
}

/** What a preflight that passes allows: the method and the headers for which it asks. The gate decides the request itself. */
export function preflightHeaders(method: string, call: AskedCall): Headers {
	const names = call.headerValues("access-control-request-headers").join(", ");
	return {
		"access-control-allow-methods": method,
		...(NAMES.test(names) && { "access-control-allow-headers": names }),
		"access-control-max-age": MAX_AGE,
	};
}
