// Guards decide who may call an endpoint. A route without a guard does not compile; public routes have one too.

import type { AppError, ErrorCode } from "../../kernel/error.ts";
import type { Incoming } from "../run/incoming.ts";
import type { Transport } from "../run/transport.ts";
import type { Endpoint, EndpointFor } from "./endpoint.ts";
import type { Schema } from "./schema.ts";

/** A request header, for the API reference. */
export interface HeaderParameter {
	readonly isRequired: boolean;
	/** With a description. */
	readonly schema: Schema<string>;
}

/**
 * Admits a request or throws. `admit` runs before the body is read; in a guard with `beforeBody`, it runs over the raw
 * body before the body is parsed, so that a bad signature over bad JSON is refused as a bad signature.
 */
export interface Guard<Caller, State = void> {
	/** The OpenAPI security scheme; `none` for public endpoints. */
	readonly security: "none" | "bearer" | "signed";
	/** Whether the guard accepts an admin key instead of an access token or a signature. */
	readonly admitsKeys?: boolean;
	/** Whether a guard of signed requests accepts an access token of a service instead. */
	readonly admitsServices?: boolean;
	/** Whether the guard accepts a browser's session cookie instead of an access token. */
	readonly admitsCookie?: boolean;
	/** Whether the operator of the machine may call its routes through the command line. */
	readonly admitsOperator?: boolean;
	/** Checked before the guard runs. */
	readonly transport: Transport;
	/** For the API reference: the admitted callers, e.g. `admin, auditor` or a scope. */
	readonly allows: string;
	readonly errors: readonly ErrorCode[];
	/** The request headers that the guard reads in addition to `Authorization`, by name. */
	readonly headers?: Readonly<Record<string, HeaderParameter>>;
	/** Runs before the body is read and returns the state that `admit` receives. Required unless `State` is void. */
	beforeBody?(request: Incoming): State;
	admit(request: Incoming, state: State): Promise<Caller> | Caller;
	/**
	 * Names the subject of a refused request for the log if the refusal came before the guard knew it. Called after the
	 * response was sent, before the request is logged and `onResponse` is called.
	 */
	identify?(request: Incoming): Promise<void>;
	/**
	 * Called after each response to a request for one of the guard's routes, or for an unknown path in their folders. Must
	 * be fast and must not throw. @param refusal undefined for a successful response.
	 */
	onResponse?(request: Incoming, refusal: Refusal | undefined): void;
}

/** Whether a token in `Authorization` can authenticate: 401 carries the challenge. */
export function admitsBearer({ security, admitsKeys, admitsServices }: Guard<unknown, unknown>): boolean {
	return security === "bearer" || admitsKeys === true || admitsServices === true;
}

/** The error that was returned, and the path as logs may show it. */
export interface Refusal {
	readonly error: AppError;
	readonly path: string;
}

/**
 * Rate limit of a route in addition to the limit of the service. `"service"`: none. `"probe"`: none, and requests that
 * a trusted proxy makes on its own behalf are not counted at all.
 */
export type Limit = "service" | "probe" | { readonly perMinute: number };

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The version of a record, which the fields that PATCH and PUT change make. */
export interface RecordVersion {
	/** @param body of a response with the record. @returns a strong entity tag */
	tagOf(body: unknown): string;
}

/** One row of the route map. `Body`: the body of its success. */
export interface Route<
	M extends Method = Method,
	Path extends string = string,
	Body = unknown,
	Tag extends string = string,
> {
	readonly method: M;
	/** Path parameters are written `{id}`. */
	readonly path: Path;
	/** The group in the API reference. */
	readonly tag: Tag;
	readonly guard: Guard<unknown, unknown>;
	readonly limit: Limit;
	readonly endpoint: Endpoint<Body>;
	/** Of the record that the path names. Undefined if nothing changes it, or nothing reads it. */
	readonly version?: RecordVersion;
}

/** The `{…}` of a path. */
type PathParameter<Path extends string> = Path extends `${string}{${infer Id}}${infer Rest}`
	? Id | PathParameter<Rest>
	: never;

/**
 * Creates a row of the route map. Compiles only if the guard admits the caller type of the endpoint and the path has
 * exactly the parameters of the endpoint.
 */
export function route<
	Caller,
	State,
	const M extends Method,
	const Path extends string,
	Body,
	const Tag extends string,
>(
	method: M,
	path: Path,
	guard: Guard<Caller, State>,
	limit: Limit,
	endpoint: EndpointFor<Caller, PathParameter<Path>, Body>,
	tag: Tag,
): Route<M, Path, Body, Tag> {
	return { method, path, tag, guard, limit, endpoint };
}

/** Admits every request, outside any tenant: endpoints whose body carries the credential. */
export const publicGuard: Guard<undefined> = {
	security: "none",
	transport: "confidential",
	allows: "everybody",
	errors: [],
	admit: () => undefined,
};

/** Admits every request, even over plain HTTP: health, public keys, metadata. */
export const publicDataGuard: Guard<undefined> = { ...publicGuard, transport: "any" };
