// Who may call an endpoint. A route without a guard does not type-check; "public" is a guard too.

import type { ErrorCode } from "../kernel/error.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Incoming } from "./incoming.ts";

/**
 * Admits a request or throws. `beforeBody` runs before a byte of the body is read. `admit` runs before the body
 * is read too, unless `needsBody`: then it runs over the raw bytes, before they are parsed (facts: a bad
 * signature over bad JSON is a bad signature).
 */
export interface Guard<Caller> {
	/** As OpenAPI names it; `none` for public endpoints. */
	readonly security: "none" | "bearer" | "signed";
	/** For the docs: who passes, e.g. `admin, auditor` or the scope. */
	readonly allows: string;
	readonly errors: readonly ErrorCode[];
	readonly needsBody: boolean;
	beforeBody?(request: Incoming): void;
	admit(request: Incoming): Promise<Caller> | Caller;
}

/**
 * How often an endpoint may be called, beside the limit of the whole service: `"service"` adds none, and `"probe"` takes out
 * trusted proxies that ask for themselves.
 */
export type Limit = "service" | "probe" | { readonly perMinute: number };

/** One row of the map of routes. */
export interface Route {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** Path parameters are written `{id}`. */
	readonly path: string;
	/** Group in the API docs. */
	readonly tag: string;
	readonly guard: Guard<unknown>;
	readonly limit: Limit;
	readonly endpoint: Endpoint<unknown>;
}

/** A row of the map: compiles only when the guard admits the caller the endpoint was written for. */
export function route<Caller>(
	method: Route["method"],
	path: string,
	guard: Guard<Caller>,
	limit: Limit,
	endpoint: Endpoint<Caller>,
	tag: string,
): Route {
	return { method, path, tag, guard, limit, endpoint: endpoint as Endpoint<unknown> };
}

/** Everybody, and no tenant is asked: health, keys, descriptions. */
export const publicGuard: Guard<undefined> = {
	security: "none",
	allows: "everybody",
	errors: [],
	needsBody: false,
	admit: () => undefined,
};
