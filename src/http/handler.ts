// Runs one endpoint: parses path and query, calls the use case, wraps the result.

import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError, type FieldError, invalidFields } from "../kernel/error.ts";
import { problem } from "../kernel/field-reason.ts";
import { parseId } from "../kernel/id.ts";
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, type PageQuery } from "../kernel/page.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Route } from "./guard.ts";
import { refusesUnknownNames } from "./known-names.ts";
import { shownName, UNKNOWN_MAX, unknownParameter } from "./unknown-names.ts";

const FIRST_PAGE: PageQuery = { page: 1, pageSize: PAGE_SIZE_DEFAULT };
/** Pages use OFFSET: beyond this no row can exist, and numbers stay exact. */
const PAGE_MAX = 1_000_000_000;
const NO_IDS = {};
const WHOLE_NUMBER = /^[1-9][0-9]{0,9}$/;

export function handlerFor({
	endpoint,
	guard,
}: Route): (request: FastifyRequest, reply: FastifyReply) => unknown {
	const { response } = endpoint;
	const hasParameters = endpoint.pathParameters.length > 0;
	const parameters = Object.entries(endpoint.query);
	const paged = isPaged(endpoint);
	// In the order in which OpenAPI lists them.
	const names = [...Object.keys(endpoint.query), ...(paged ? ["page", "page_size"] : [])];
	const known = refusesUnknownNames(guard) ? names : undefined;
	const hasQuery = names.length > 0 || known !== undefined;
	return (request, reply) => {
		const query = hasQuery ? parseQuery(request, parameters, paged, known) : undefined;
		const page = query?.page ?? FIRST_PAGE;
		const result = endpoint.handle({
			caller: request.caller,
			ids: hasParameters ? parseIds(request, endpoint) : NO_IDS,
			query: query?.values ?? NO_IDS,
			body: request.body,
			page,
			request: request.incoming,
		});
		reply.code(response.status);
		if (endpoint.secret) reply.header("cache-control", "no-store");
		const finish = (value: unknown): unknown => {
			if (response.statusOf !== undefined) {
				const status = response.statusOf(value);
				reply.code(status);
				if (status === 503) reply.header("retry-after", "1");
				if (response.isPlanned?.(value) === true) request.isPlannedFailure = true;
			}
			if (response.headersOf !== undefined) reply.headers(response.headersOf(value));
			const body = keepSession(request, reply, response.wrap(value, page));
			// Fastify treats an undefined result of a promise as a mistake, so send the empty response explicitly.
			return body === undefined ? reply.send() : body;
		};
		return result instanceof Promise ? result.then(finish) : finish(result);
	};
}

/** Moves the refresh token of a response to the cookie, or clears the cookie, if the request asked for it. */
function keepSession(
	{ incoming: { browserSession } }: FastifyRequest,
	reply: FastifyReply,
	body: unknown,
): unknown {
	if (browserSession === undefined) return body;
	const cookie = browserSession.cookieOf(body);
	if (cookie !== undefined) reply.header("set-cookie", cookie);
	return browserSession.bodyOf(body);
}

/** Whether the endpoint returns a page and therefore takes `page` and `page_size`. */
export function isPaged({ response: { schema } }: Endpoint): boolean {
	return schema?.type === "object" && "page_size" in schema.properties;
}

function parseIds(request: FastifyRequest, endpoint: Endpoint): Record<string, string> {
	const raw = request.params as Record<string, string>;
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
	request: FastifyRequest,
	parameters: [string, Endpoint["query"][string]][],
	paged: boolean,
	known: readonly string[] | undefined,
) {
	const raw = request.query as Record<string, string | string[]>;
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
