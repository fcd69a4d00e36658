// What an endpoint is: a described step from the wire to a use case and back.

import { Readable } from "node:stream";
import type { ErrorCode } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import { BROWSER_PAGE_HEADERS } from "./browser-page.ts";
import type { Incoming } from "./incoming.ts";
import { integer, list, object, plain, type Schema } from "./schema.ts";
import { parseTime } from "./validation.ts";

/** Turns one query value into what the endpoint wants, or says what is wrong with it ("must be …"). */
export interface QueryParameter<T> {
	readonly schema: Schema<unknown>;
	parse(text: string): { readonly value: T } | { readonly problem: string };
}

/** A path parameter that is a name of the tenant's own choice. */
export interface NameParameter {
	readonly pattern: RegExp;
	/** What a text that does not match is answered: exactly like one that names nothing. */
	readonly code: ErrorCode;
}

export type QueryParameters = Readonly<Record<string, QueryParameter<unknown>>>;
type InferQuery<Q extends QueryParameters> = {
	readonly [K in keyof Q]?: Q[K] extends QueryParameter<infer T> ? T : never;
};

/** A success: its status, its schema, and how the handler's result is wrapped. */
export interface Answer<Result> {
	readonly status: number;
	readonly description: string;
	/** Schema of the whole body; undefined when there is none. */
	readonly schema: Schema<unknown> | undefined;
	wrap(result: Result, page: PageQuery): unknown;
	/** Only for the health check, whose failures have the shape of its successes. */
	statusOf?(result: Result): number;
	/** Only where one endpoint succeeds in two ways: the other status, `text/html`; `statusOf` decides. */
	readonly orPage?: { readonly status: number; readonly description: string };
	/** Only for files: their media types, the first unless asked otherwise, and what describes the one that is sent. */
	readonly mediaTypes?: readonly string[];
	headersOf?(result: Result): Readonly<Record<string, string>>;
}

/** Where a browser goes next, or a page for the person in front of it. */
export interface BrowserStep {
	readonly next: { readonly location: string } | { readonly html: string };
	/** A whole `Set-Cookie` value. */
	readonly cookie?: string;
}

/** An answer to a browser on its way: 303, or a page where `page` describes one. Nothing of it is cached or told on. */
export function browserStep(description: string, page?: string): Answer<BrowserStep> {
	return {
		status: 303,
		description,
		schema: undefined,
		...(page === undefined ? {} : { orPage: { status: 200, description: page } }),
		wrap: ({ next }) => ("html" in next ? next.html : undefined),
		statusOf: ({ next }) => ("html" in next ? 200 : 303),
		headersOf: ({ next, cookie }) => ({
			...("html" in next
				? BROWSER_PAGE_HEADERS
				: { location: next.location, "referrer-policy": "no-referrer" }),
			...(cookie === undefined ? {} : { "set-cookie": cookie }),
		}),
	};
}

/** `{ "data": … }`. */
export function data<T>(status: 200 | 201, schema: Schema<T>, description: string): Answer<T> {
	return { status, description, schema: object({ data: schema }), wrap: (result) => ({ data: result }) };
}

/** `{ "data": [], "total", "page", "page_size" }`; the endpoint also takes `page` and `page_size`. */
export function page<T>(item: Schema<T>, description: string): Answer<Page<T>> {
	const schema = object({ data: list(item), total: integer(), page: integer(), page_size: integer() });
	return {
		status: 200,
		description,
		schema,
		wrap: ({ items, total }, { page: number, pageSize }) => ({
			data: items,
			total,
			page: number,
			page_size: pageSize,
		}),
	};
}

/** A body that is not wrapped: the created access request, the JWK set. */
export function bare<T>(status: 200 | 201, schema: Schema<T>, description: string): Answer<T> {
	return { status, description, schema, wrap: (result) => result };
}

/** An answer that also sets a cookie in the caller's browser, if it is one. */
export function withCookie<T>(answer: Answer<T>): Answer<T & { readonly cookie: string }> {
	return { ...answer, headersOf: ({ cookie }) => ({ "set-cookie": cookie }) };
}

/** A file, written while it is read. An error on the way cuts the connection, so that half a file is never taken for one. */
export interface StreamedFile {
	readonly name: string;
	readonly mediaType: string;
	readonly parts: AsyncIterable<string>;
}

export function streamedFile(mediaTypes: readonly string[], description: string): Answer<StreamedFile> {
	return {
		status: 200,
		description,
		schema: plain(),
		mediaTypes,
		wrap: ({ parts }) => Readable.from(parts),
		headersOf: ({ name, mediaType }) => ({
			"content-type": `${mediaType}; charset=utf-8`,
			"content-disposition": `attachment; filename="${name}"`,
		}),
	};
}

export function empty(status: 202 | 204, description: string): Answer<void> {
	return { status, description, schema: undefined, wrap: () => undefined };
}

export interface Call<Caller, Query, Body> {
	readonly caller: Caller;
	/** Path parameters: UUIDs in lower case, and names as they are. */
	readonly ids: Readonly<Record<string, string>>;
	readonly query: Query;
	readonly body: Body;
	/** Filled for endpoints that answer a page. */
	readonly page: PageQuery;
	readonly request: Incoming;
}

/**
 * One endpoint. `ids` names the path parameters and the code a malformed one answers (404, exactly like an
 * absent one); `names` those that are no UUIDs, with their pattern; `errors` lists what the use case may throw beyond what guard and toolkit throw.
 */
export interface Endpoint<Caller, Query = unknown, Body = unknown, Result = unknown> {
	/** camelCase, unique: the OpenAPI operationId. */
	readonly name: string;
	readonly summary: string;
	readonly description?: string;
	readonly ids: Readonly<Record<string, ErrorCode>>;
	readonly names: Readonly<Record<string, NameParameter>>;
	readonly query: QueryParameters;
	readonly body: Schema<Body> | undefined;
	readonly answer: Answer<Result>;
	readonly errors: readonly ErrorCode[];
	/** The answer holds a token or secret: `Cache-Control: no-store`. */
	readonly secret: boolean;
	/** A browser comes here by itself: an error is shown as a page to one that asks for HTML. */
	readonly browser: boolean;
	handle(call: Call<Caller, Query, Body>): Promise<Result> | Result;
}

interface Description<Caller, Q extends QueryParameters, Body, Result> {
	readonly name: string;
	readonly summary: string;
	readonly description?: string;
	readonly ids?: Readonly<Record<string, ErrorCode>>;
	readonly names?: Readonly<Record<string, NameParameter>>;
	readonly query?: Q;
	readonly body?: Schema<Body>;
	readonly answer: Answer<Result>;
	readonly errors?: readonly ErrorCode[];
	readonly secret?: boolean;
	readonly browser?: boolean;
	handle(call: Call<Caller, InferQuery<Q>, Body>): Promise<Result> | Result;
}

/** Describes an endpoint; types of query, body and result follow from the description. */
export function endpoint<Caller>() {
	return <Result, Body = undefined, const Q extends QueryParameters = Record<never, never>>(
		described: Description<Caller, Q, Body, Result>,
	): Endpoint<Caller> =>
		({
			ids: {},
			names: {},
			query: {},
			body: undefined,
			errors: [],
			secret: false,
			browser: false,
			...described,
		}) as unknown as Endpoint<Caller>;
}

/** A query value out of a closed list. */
export function oneOf<const V extends string>(values: readonly V[]): QueryParameter<V> {
	return {
		schema: { type: "string", enum: values },
		parse: (text) => {
			const value = values.find((candidate) => candidate === text);
			return value === undefined ? { problem: `must be one of ${values.join(", ")}` } : { value };
		},
	};
}

/** Text of ours that comes back: taken exactly; longer than `max` is refused. */
export function exactQuery(max: number, description: string): QueryParameter<string> {
	return {
		schema: { type: "string", maxLength: max, description },
		parse: (text) => (text.length > max ? { problem: `must be at most ${max} characters` } : { value: text }),
	};
}

/** Free text to search for: trimmed, at most 200 characters. */
export function searchText(): QueryParameter<string> {
	return {
		schema: { type: "string", maxLength: 200 },
		parse: (text) => {
			if (!text.isWellFormed() || text.includes("\0"))
				return { problem: "must not hold NUL or lone surrogate characters" };
			return [...text].length > 200 ? { problem: "must be at most 200 characters" } : { value: text.trim() };
		},
	};
}

/** A time, ISO 8601 with a zone; arrives as milliseconds since the epoch. */
export function timeText(): QueryParameter<number> {
	return {
		schema: { type: "string", format: "date-time" },
		parse: (text) => {
			const time = parseTime(text);
			return time === undefined
				? { problem: "must be an ISO 8601 time with a zone, e.g. 2026-11-20T08:00:00Z" }
				: { value: Date.parse(time) };
		},
	};
}
