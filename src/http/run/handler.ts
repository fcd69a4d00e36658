// Runs one endpoint: parses path and query, calls the use case, wraps the result.

import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { AppError, type FieldError, invalidFields } from "../../kernel/error.ts";
import { problem } from "../../kernel/field-reason.ts";
import { parseId } from "../../kernel/id.ts";
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, type PageQuery } from "../../kernel/page.ts";
import { perShared } from "../../kernel/per-shared.ts";
import type { Endpoint } from "../describe/endpoint.ts";
import type { Route } from "../describe/guard.ts";
import { plainJsonSchema } from "../describe/json-schema.ts";
import { refusesUnknownNames } from "../describe/known-names.ts";
import type { Schema } from "../describe/schema.ts";
import { shownName, UNKNOWN_MAX, unknownParameter } from "../describe/unknown-names.ts";
import { exportList, type RecordExport } from "./export-list.ts";
import type { HttpExchange } from "./http-exchange.ts";
import { type ConditionalChange, versionCheck } from "./if-match.ts";
import type { Incoming } from "./incoming.ts";
import type { Addressed } from "./resource-rules.ts";

const require = createRequire(import.meta.url);
const FIRST_PAGE: PageQuery = { page: 1, pageSize: PAGE_SIZE_DEFAULT };
/** Pages use OFFSET: beyond this no row can exist, and numbers stay exact. */
const PAGE_MAX = 1_000_000_000;
const JSON_TYPE = "application/json; charset=utf-8";
const NO_IDS = {};
const WHOLE_NUMBER = /^[1-9][0-9]{0,9}$/;

export interface HandlerOptions {
	readonly recordExport: RecordExport;
	readonly changeIfMatch: ConditionalChange;
}

export function handlerFor(
	route: Route,
	{ recordExport, changeIfMatch }: HandlerOptions,
): (exchange: HttpExchange) => Promise<void> {
	const { endpoint, guard, version, method } = route;
	const hasParameters = endpoint.pathParameters.length > 0;
	const parameters = Object.entries(endpoint.query);
	const paged = isPaged(endpoint);
	// In the order in which OpenAPI lists them.
	const names = [...Object.keys(endpoint.query), ...(paged ? ["page", "page_size"] : [])];
	const known = refusesUnknownNames(guard) ? names : undefined;
	const hasQuery = names.length > 0 || known !== undefined;
	const isExportable = endpoint.response.csv !== undefined;
	const sendResult = resultSender(route);
	const changed = method === "GET" ? undefined : version;
	return async (exchange) => {
		const query = hasQuery ? parseQuery(exchange.found.query, parameters, paged, known) : undefined;
		const page = query?.page ?? FIRST_PAGE;
		const call = {
			caller: exchange.caller,
			ids: hasParameters ? parseIds(exchange.found.params, endpoint) : NO_IDS,
			query: query?.values ?? NO_IDS,
			body: exchange.body,
			page,
			request: exchange.incoming,
		};
		if (isExportable && query?.values.format === "csv")
			return exportList(
				endpoint,
				call,
				recordExport,
				() => guard.admit(exchange.incoming, undefined),
				exchange,
			);
		const confirm = changed && versionCheck(exchange.incoming, changed);
		const result = confirm ? await changeIfMatch(route, call, confirm) : await endpoint.handle(call);
		await sendResult(exchange, result, page);
	};
}

function resultSender({ endpoint: { response, secret }, version }: Route) {
	const { statusOf, isPlanned, headersOf } = response;
	const serialize = serializer(response);
	const shared = perShared((value: object) => {
		const body = response.wrap(value, FIRST_PAGE);
		return { text: serialize(body), etag: version?.tagOf(body) };
	});
	return (exchange: HttpExchange, value: unknown, page: PageQuery): void | Promise<void> => {
		const status = statusOf?.(value) ?? response.status;
		const headers: Record<string, string> = {};
		if (secret) headers["cache-control"] = "no-store";
		if (statusOf !== undefined && status === 503) headers["retry-after"] = "1";
		if (isPlanned?.(value) === true) exchange.isPlannedFailure = true;
		if (headersOf !== undefined) Object.assign(headers, headersOf(value));
		if (response.isShared === true) {
			const { text, etag } = shared(value as object);
			if (etag !== undefined) headers.etag = etag;
			headers["content-type"] = JSON_TYPE;
			return exchange.send(status, headers, text);
		}
		const body = keepSession(exchange.incoming, headers, response.wrap(value, page));
		if (body instanceof Readable) return exchange.stream(status, headers, body);
		if (Buffer.isBuffer(body)) return exchange.send(status, headers, body);
		if (response.schema !== undefined && body !== undefined) headers["content-type"] ??= JSON_TYPE;
		if (version !== undefined && body !== undefined) headers.etag = version.tagOf(body);
		return exchange.send(status, headers, body === undefined ? undefined : serialize(body));
	};
}

/**
 * Writes JSON by the schema of the response, compiled on its first use. The library is loaded with the first one, to keep the
 * startup fast. Text has no schema and is sent as it is.
 */
function serializer({ schema }: Endpoint["response"]) {
	let stringify: ((value: unknown) => string) | undefined;
	return (body: unknown): string => {
		if (schema === undefined) return body as string;
		stringify ??= compile(schema);
		return stringify(body);
	};
}

function compile(schema: Schema<unknown>): (value: unknown) => string {
	const { build } = require("fast-json-stringify") as typeof import("fast-json-stringify");
	// The alternatives of a response differ in their fields; formats are descriptive and not checked again.
	return build(plainJsonSchema(schema), { ajv: { validateFormats: false } });
}

/** Moves the refresh token of a response to the cookie, or clears the cookie, if the request asked for it. */
function keepSession({ browserSession }: Incoming, headers: Record<string, string>, body: unknown): unknown {
	if (browserSession === undefined) return body;
	const cookie = browserSession.cookieOf(body);
	if (cookie !== undefined) headers["set-cookie"] = cookie;
	return browserSession.bodyOf(body);
}

/** Whether the endpoint returns a page and therefore takes `page` and `page_size`. */
export function isPaged({ response: { schema } }: Endpoint): boolean {
	return schema?.type === "object" && "page_size" in schema.properties;
}

function parseIds(raw: Addressed["params"], endpoint: Endpoint): Record<string, string> {
	const ids: Record<string, string> = {};
	for (const [name, code] of Object.entries(endpoint.ids)) {
		const id = parseId(raw[name] ?? "");
		if (id === undefined) throw new AppError(code, "not found");
		ids[name] = id;
	}
	for (const [name, { pattern, code }] of Object.entries(endpoint.names)) {
		const text = raw[name] ?? "";
		if (!pattern.test(text)) throw new AppError(code, "not found");
		ids[name] = text;
	}
	return ids;
}

function parseQuery(
	raw: Addressed["query"],
	parameters: [string, Endpoint["query"][string]][],
	paged: boolean,
	known: readonly string[] | undefined,
) {
	const problems = known === undefined ? [] : unknownParameters(raw, known);
	const values: Record<string, unknown> = {};
	const single = (name: string): string | undefined => {
		const value = raw[name];
		if (Array.isArray(value)) problems.push({ field: name, ...problem("repeated") });
		return typeof value === "string" ? value : undefined;
	};
	for (const [name, parameter] of parameters) {
		const value = single(name);
		// Forms send `?status=` for "any"; `?email=` would match every row instead of one.
		if (value === undefined || (value === "" && parameter.isExact !== true)) continue;
		const parsed = parameter.parse(value);
		if ("problem" in parsed) problems.push({ field: name, ...parsed.problem });
		else values[name] = parsed.value;
	}
	const wholeNumber = (name: string, fallback: number, max: number): number => {
		const text = single(name) ?? String(fallback);
		if (WHOLE_NUMBER.test(text) && Number(text) <= max) return Number(text);
		problems.push({ field: name, ...problem("whole_number", { min: 1, max }) });
		return fallback;
	};
	const page = paged
		? {
				page: wholeNumber("page", 1, PAGE_MAX),
				pageSize: wholeNumber("page_size", PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX),
			}
		: FIRST_PAGE;
	if (problems.length > 0) throw invalidFields(problems);
	return { values, page };
}

function unknownParameters(raw: object, known: readonly string[]): FieldError[] {
	const problems: FieldError[] = [];
	for (const name in raw) {
		if (known.includes(name)) continue;
		problems.push({ field: shownName(name), ...unknownParameter(known) });
		if (problems.length === UNKNOWN_MAX) break;
	}
	return problems;
}
