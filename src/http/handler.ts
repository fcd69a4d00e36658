// Runs one endpoint: path ids and query from text, the use case, the envelope.

import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError, type FieldError } from "../kernel/error.ts";
import { parseId } from "../kernel/id.ts";
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, type PageQuery } from "../kernel/page.ts";
import type { Endpoint } from "./endpoint.ts";
import { invalidBody } from "./validation.ts";

const FIRST_PAGE: PageQuery = { page: 1, pageSize: PAGE_SIZE_DEFAULT };
/** Pages are counted with OFFSET: past this nothing can be there and numbers stay exact. */
const PAGE_MAX = 1_000_000_000;
const NO_IDS = {};
const WHOLE_NUMBER = /^[1-9][0-9]{0,9}$/;

export function handlerFor(
	endpoint: Endpoint<unknown>,
): (request: FastifyRequest, reply: FastifyReply) => unknown {
	const { answer } = endpoint;
	const hasParameters = Object.keys({ ...endpoint.ids, ...endpoint.names }).length > 0;
	const parameters = Object.entries(endpoint.query);
	const paged = isPaged(endpoint);
	return (request, reply) => {
		const query = parameters.length === 0 && !paged ? undefined : parseQuery(request, parameters, paged);
		const page = query?.page ?? FIRST_PAGE;
		const result = endpoint.handle({
			caller: request.caller,
			ids: hasParameters ? parseIds(request, endpoint) : NO_IDS,
			query: query?.values ?? NO_IDS,
			body: request.body,
			page,
			request: request.incoming,
		});
		reply.code(answer.status);
		if (endpoint.secret) reply.header("cache-control", "no-store");
		const finish = (value: unknown): unknown => {
			if (answer.statusOf !== undefined) {
				const status = answer.statusOf(value);
				reply.code(status);
				if (status === 503) reply.header("retry-after", "1");
			}
			if (answer.headersOf !== undefined) reply.headers(answer.headersOf(value));
			return send(reply, answer.wrap(value, page));
		};
		return result instanceof Promise ? result.then(finish) : finish(result);
	};
}

/** Whether the endpoint answers a page, and so takes `page` and `page_size`. */
export function isPaged(endpoint: Endpoint<unknown>): boolean {
	const properties = endpoint.answer.schema?.properties;
	return typeof properties === "object" && properties !== null && "page_size" in properties;
}

function send(reply: FastifyReply, body: unknown): unknown {
	// Fastify takes undefined from a promise for a mistake; an empty answer is sent outright.
	return body === undefined ? reply.send() : body;
}

function parseIds(request: FastifyRequest, endpoint: Endpoint<unknown>): Record<string, string> {
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
	parameters: [string, Endpoint<unknown>["query"][string]][],
	paged: boolean,
) {
	const raw = request.query as Record<string, string | string[]>;
	const problems: FieldError[] = [];
	const values: Record<string, unknown> = {};
	const single = (name: string): string | undefined => {
		const value = raw[name];
		if (Array.isArray(value)) problems.push({ field: name, message: "must be given once" });
		return typeof value === "string" ? value : undefined;
	};
	for (const [name, parameter] of parameters) {
		const value = single(name);
		// `?status=` is how forms say "any".
		if (value === undefined || value === "") continue;
		const parsed = parameter.parse(value);
		if ("problem" in parsed) problems.push({ field: name, message: parsed.problem });
		else values[name] = parsed.value;
	}
	const page = paged
		? {
				page: wholeNumber("page", single("page"), 1, PAGE_MAX, problems),
				pageSize: wholeNumber("page_size", single("page_size"), PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, problems),
			}
		: FIRST_PAGE;
	if (problems.length > 0) throw invalidBody(problems);
	return { values, page };
}

function wholeNumber(
	field: string,
	text: string | undefined,
	fallback: number,
	max: number,
	problems: FieldError[],
): number {
	if (text === undefined) return fallback;
	if (WHOLE_NUMBER.test(text) && Number(text) <= max) return Number(text);
	problems.push({ field, message: `must be a whole number from 1 to ${max}` });
	return fallback;
}
