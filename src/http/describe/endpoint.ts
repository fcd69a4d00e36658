// Describes endpoints, which translate between the wire and a use case.

import { Readable } from "node:stream";
import type { ErrorCode } from "../../kernel/error.ts";
import type { Page, PageQuery } from "../../kernel/page.ts";
import type { SessionUse } from "../run/browser-session.ts";
import type { Incoming } from "../run/incoming.ts";
import { type InferQuery, oneOf, type QueryParameters } from "./query-parameters.ts";
import {
	boolean,
	fieldsOf,
	integer,
	list,
	type Notes,
	type ObjectSchema,
	object,
	optional,
	plain,
	type Schema,
} from "./schema.ts";

/** A path parameter that is a name chosen by the tenant. */
export interface NameParameter {
	readonly pattern: RegExp;
	/** The error for text that does not match the pattern, the same as for an unknown name. */
	readonly code: ErrorCode;
}

declare const wireBody: unique symbol;

/** A successful response: its status, its schema, and how it wraps the result. `Body` is the type of the whole body. */
export interface EndpointResponse<Result, Body = unknown> {
	readonly [wireBody]?: Body;
	readonly status: number;
	readonly description: string;
	/** Schema of the whole body; undefined for an empty body. */
	readonly schema: Schema<unknown> | undefined;
	wrap(result: Result, page: PageQuery): unknown;
	/** Whether many requests share one frozen result, so that its text is written once. Never holds tokens of a session. */
	readonly isShared?: true;
	/** For responses with more than one status, such as the health check. */
	statusOf?(result: Result): number;
	/** Whether a 503 is intended and therefore not logged as an error. */
	isPlanned?(result: Result): boolean;
	/** For an endpoint that may return no content: the description of its 204. `statusOf` decides. */
	readonly orEmpty?: string;
	/** For an endpoint that may create a record: the description of its 201, with the same body. `statusOf` decides. */
	readonly orCreated?: string;
	/** For lists that `format=csv` exports: the name of the file, and its columns. */
	readonly csv?: { readonly list: string; readonly columns: readonly string[] };
	/** For files: the media types, the default first, and the headers of the file. */
	readonly mediaTypes?: readonly string[];
	headersOf?(result: Result): Readonly<Record<string, string>>;
}

/** The response to a browser navigation: a redirect to `location`, without a referrer. */
export function browserStep(description: string): EndpointResponse<{ readonly location: string }> {
	return {
		status: 303,
		description,
		schema: undefined,
		wrap: () => undefined,
		headersOf: ({ location }) => ({ location, "referrer-policy": "no-referrer" }),
	};
}

/** `{ "data": … }`. */
export function data<T>(
	status: 200 | 201 | 202,
	schema: Schema<T>,
	description: string,
): EndpointResponse<T, { readonly data: T }> {
	return { status, description, schema: object({ data: schema }), wrap: (result) => ({ data: result }) };
}

/** Like `data`, of an object of the domain, such as that of a cached row. */
export function sharedData<Domain extends object, T>(
	convert: (result: Domain) => T,
	status: 200 | 201,
	schema: Schema<T>,
	description: string,
): EndpointResponse<Domain, { readonly data: T }> {
	return {
		status,
		description,
		schema: object({ data: schema }),
		isShared: true,
		wrap: (result) => ({ data: convert(result) }),
	};
}

/** The fields of all pages beside `data`. */
const PAGE_FIELDS = {
	total: integer(),
	total_is_minimum: optional(
		boolean({
			description: "`true` if a search with `q` found more than `total`; otherwise absent.",
			// Most pages do not have it.
			examples: [undefined],
		}),
	),
	page: integer(),
	page_size: integer(),
};

export interface PageBody<T> {
	readonly data: readonly T[];
	readonly total: number;
	readonly total_is_minimum?: boolean;
	readonly page: number;
	readonly page_size: number;
}

/** The schema of a page, also as a part of another body. */
export function pageSchema<T>(item: Schema<T>, notes: Notes = {}): ObjectSchema<PageBody<T>> {
	const title = "title" in item && item.title !== undefined ? { title: `${item.title}Page` } : {};
	return object({ data: list(item), ...PAGE_FIELDS }, { ...title, ...notes });
}

export function pageBody<T>(
	{ items, total, totalIsMinimum }: Page<T>,
	{ page: number, pageSize }: PageQuery,
): PageBody<T> {
	return {
		data: items,
		total,
		...(totalIsMinimum && { total_is_minimum: totalIsMinimum }),
		page: number,
		page_size: pageSize,
	};
}

/** `{ "data": [], "total", "total_is_minimum"?, "page", "page_size" }`; the endpoint also takes `page` and `page_size`. */
export function page<T>(item: Schema<T>, description: string): EndpointResponse<Page<T>, PageBody<T>> {
	return { status: 200, description, schema: pageSchema(item), wrap: pageBody };
}

/** For the query of an endpoint with an `exportablePage`. */
export const LIST_FORMAT = {
	format: oneOf(
		["json", "csv"],
		"`csv`: all rows that match as a file for spreadsheets, newest first. `page`, `page_size`, and `sort` have no effect, `'` precedes what a spreadsheet would read as a formula, and the audit trail records the export. If the connection ends early, the file is incomplete.",
	),
};

/** Like `page`; with `format=csv`, a file with one line per row. The list must be able to return the newest rows first. */
export function exportablePage<T extends { readonly id: string; readonly created_at: string }>(
	list: string,
	item: Schema<T>,
	description: string,
): EndpointResponse<Page<T>, PageBody<T>> {
	return { ...page(item, description), csv: { list, columns: fieldsOf(item) } };
}

/** The result of a PUT. */
export interface Put<T> {
	readonly isNew: boolean;
	readonly value: T;
}

/** `{ "data": … }` of a PUT: 201 when the record is new, otherwise 200. */
export function putData<T>(
	schema: Schema<T>,
	{ replaced, created }: { readonly replaced: string; readonly created: string },
): EndpointResponse<Put<T>, { readonly data: T }> {
	return {
		status: 200,
		description: replaced,
		orCreated: created,
		schema: object({ data: schema }),
		statusOf: ({ isNew }) => (isNew ? 201 : 200),
		wrap: ({ value }) => ({ data: value }),
	};
}

/** A body without the `data` wrapper, such as a created access request or the JWK set. */
export function bare<T>(status: 200 | 201, schema: Schema<T>, description: string): EndpointResponse<T, T> {
	return { status, description, schema, wrap: (result) => result };
}

/** A response that also sets a cookie. */
export function withCookie<T, Body>(
	response: EndpointResponse<T, Body>,
): EndpointResponse<T & { readonly cookie: string }, Body> {
	return { ...response, headersOf: ({ cookie }) => ({ "set-cookie": cookie }) };
}

/**
 * A file that is generated while it is sent. An error closes the connection, so that a partial file never looks
 * complete.
 */
export interface StreamedFile {
	readonly name: string;
	readonly mediaType: string;
	readonly parts: AsyncIterable<string>;
}

export function streamedFile(
	mediaTypes: readonly string[],
	description: string,
): EndpointResponse<StreamedFile> {
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

/** A public PNG under a URL that contains its digest: it never changes, and a document that opens it can do nothing. */
export function immutablePng(description: string): EndpointResponse<Buffer> {
	return {
		status: 200,
		description,
		schema: plain(),
		mediaTypes: ["image/png"],
		wrap: (image) => image,
		headersOf: () => ({
			"content-type": "image/png",
			"cache-control": "public, max-age=31536000, immutable",
			"content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
			"x-content-type-options": "nosniff",
			"cross-origin-resource-policy": "cross-origin",
		}),
	};
}

export function empty(status: 202 | 204, description: string): EndpointResponse<void> {
	return { status, description, schema: undefined, wrap: () => undefined };
}

/** Like `response`, or 204 if the result is undefined. */
export function orEmpty<T, Body>(
	response: EndpointResponse<T, Body>,
	description: string,
): EndpointResponse<T | undefined, Body> {
	return {
		...response,
		orEmpty: description,
		statusOf: (result) => (result === undefined ? 204 : response.status),
		wrap: (result, page) => (result === undefined ? undefined : response.wrap(result, page)),
	};
}

export interface Call<Caller, Query, Body, Id extends string = string> {
	readonly caller: Caller;
	/** Path parameters: UUIDs in lower case, and names as sent. */
	readonly ids: Readonly<Record<Id, string>>;
	readonly query: Query;
	readonly body: Body;
	/** Parsed for endpoints that return a page; otherwise the first page. */
	readonly page: PageQuery;
	readonly request: Incoming;
}

export type AnyCall = Call<unknown, unknown, unknown>;

/**
 * One endpoint, as the toolkit runs it. `ids` maps each path parameter to the error code for a malformed value, which is
 * the 404 of an absent record. `names` lists the path parameters that are not UUIDs, with their patterns. `errors` lists
 * the codes of the use case, in addition to those of the guard and the toolkit.
 */
export interface Endpoint<out Body = unknown> {
	/** In camelCase, unique: the OpenAPI operationId. */
	readonly name: string;
	readonly summary: string;
	readonly description?: string;
	readonly ids: Readonly<Record<string, ErrorCode>>;
	readonly names: Readonly<Record<string, NameParameter>>;
	/** The names of all path parameters, from `ids` and `names`. */
	readonly pathParameters: readonly string[];
	readonly query: QueryParameters;
	readonly body: ObjectSchema<unknown> | undefined;
	/** The media type of a body that is a file; the endpoint reads its bytes from `request.rawBody`. */
	readonly file: string | undefined;
	readonly response: EndpointResponse<unknown, Body>;
	readonly errors: readonly ErrorCode[];
	/** The response contains a token or secret: `Cache-Control: no-store`. */
	readonly secret: boolean;
	/** With `X-Session: cookie`, the toolkit keeps the session's refresh token in a cookie (`browser-session.ts`). */
	readonly session: SessionUse | undefined;
	/** Browsers navigate here: clients that accept HTML receive errors as a page. */
	readonly browser: boolean;
	/** In bytes, if the body may have more than others. */
	readonly bodyLimit: number | undefined;
	/** The caller may choose the request id with `X-Request-Id` (AuthZEN 1.0, section 10.1.3). */
	readonly callerNamesRequest: boolean;
	handle(call: AnyCall): unknown;
}

/** An endpoint with the types that `route` checks: its caller against the guard, its parameters against the path. */
export interface EndpointFor<in Caller, in out Id extends string, out Body> extends Endpoint<Body> {
	handle(call: Call<Caller, unknown, unknown, Id>): unknown;
}

type Codes = Readonly<Record<string, ErrorCode>>;
type Names = Readonly<Record<string, NameParameter>>;

interface Description<
	Caller,
	Q extends QueryParameters,
	Body,
	Result,
	I extends Codes,
	N extends Names,
	ResponseBody,
> extends Pick<Endpoint, "name" | "summary" | "description">,
		Partial<
			Pick<
				Endpoint,
				"file" | "errors" | "secret" | "session" | "browser" | "bodyLimit" | "callerNamesRequest"
			>
		> {
	readonly ids?: I;
	readonly names?: N;
	readonly query?: Q;
	readonly body?: ObjectSchema<Body>;
	readonly response: EndpointResponse<Result, ResponseBody>;
	handle(
		call: Call<Caller, InferQuery<Q>, Body, Extract<keyof I | keyof N, string>>,
	): Promise<Result> | Result;
}

/**
 * Describes an endpoint. The types of path parameters, query, bodies, and result are inferred.
 *
 *     endpoint<SignedIn>()({
 *         name: "renameGroup",
 *         summary: "Rename a group",
 *         ids: { id: "group.not_found" },
 *         body: object({ name: nameSchema }),
 *         response: data(200, groupSchema, "The group."),
 *         errors: ["group.not_found"],
 *         handle: ({ caller, ids, body }) => renameGroup(needs, ids.id, body.name, caller),
 *     });
 */
export function endpoint<Caller>() {
	return <
		Result,
		Body = undefined,
		const Q extends QueryParameters = Record<never, never>,
		const I extends Codes = Record<never, never>,
		const N extends Names = Record<never, never>,
		ResponseBody = unknown,
	>(
		described: Description<Caller, Q, Body, Result, I, N, ResponseBody>,
	): EndpointFor<Caller, Extract<keyof I | keyof N, string>, ResponseBody> => ({
		ids: {},
		names: {},
		query: {},
		body: undefined,
		file: undefined,
		errors: [],
		secret: false,
		session: undefined,
		browser: false,
		bodyLimit: undefined,
		callerNamesRequest: false,
		...described,
		pathParameters: Object.keys({ ...described.ids, ...described.names }),
	});
}
