// Builds a request to the API from the arguments of a command.

import type { ApiField, ApiOperation } from "../app/api-operations.ts";
import type { MemoryRequest } from "../app/in-process.ts";
import { findNearestName } from "../kernel/nearest-name.ts";
import { usageError } from "../kernel/start-error.ts";
import { parseFields } from "./api-fields.ts";
import { readInput } from "./standard-input.ts";

export interface CallOptions {
	/** `key=value`, as typed. */
	readonly field?: readonly string[];
	/** A file with the body; `-` is standard input. */
	readonly input?: string;
	readonly paginate?: boolean;
}

export interface FoundOperation {
	readonly operation: ApiOperation;
	/** The path, without the query. */
	readonly path: string;
	/** As typed, without the `?`. */
	readonly query: string;
}

/** Of every request. */
export const JSON_HEADERS = { host: "localhost", accept: "application/json, application/problem+json" };

const PREFIX = "/api/v1";
const PAGE_SIZE = 100;

/** `/users` and `users` are short for `/api/v1/users`. @throws StartError (`usage`) for an unknown method or path. */
export function findOperation(
	operations: readonly ApiOperation[],
	method: string,
	typed: string,
): FoundOperation {
	const [typedPath = "", ...rest] = typed.split("?");
	if (!/^[\x21-\x7e]+$/.test(typed) || typed.includes("#"))
		throw usageError(`"${typed}" must be a path, with other characters percent-encoded`);
	const slashed = typedPath.startsWith("/") ? typedPath : `/${typedPath}`;
	const candidates = [slashed, PREFIX + slashed];
	for (const path of candidates) {
		const matching = operations.filter((operation) => matches(operation.path, path));
		const exact = matching.filter((operation) => operation.path === path);
		const served = exact.length > 0 ? exact : matching;
		const operation = served.find((each) => each.method === method.toUpperCase());
		if (operation !== undefined) return { operation, path, query: rest.join("?") };
		if (served.length > 0)
			throw usageError(
				`${path} has the methods ${served.map((each) => each.method).join(", ")}, not ${method}`,
				{ code: "route.method_not_allowed" },
			);
	}
	throw usageError(`the API has no path ${typedPath}${nearest(operations, candidates)}`, {
		code: "route.not_found",
	});
}

function nearest(operations: readonly ApiOperation[], candidates: readonly string[]): string {
	const paths = [...new Set(operations.map(({ path }) => path))];
	const [best] = candidates.flatMap((path) => findNearestName(path, paths, PREFIX.length) ?? []);
	return best === undefined ? "; see latchkey api --help" : `; did you mean ${best}?`;
}

function matches(template: string, path: string): boolean {
	const [expected, actual] = [template.split("/"), path.split("/")];
	return (
		expected.length === actual.length &&
		expected.every((part, index) => part === actual[index] || (part.startsWith("{") && actual[index] !== ""))
	);
}

/**
 * Fields of the body go there, all others into the query.
 *
 * @throws StartError (`usage`) for a wrong value, a secret among the arguments, or input that is no JSON object.
 */
export async function buildRequest(found: FoundOperation, options: CallOptions): Promise<MemoryRequest> {
	const { operation, path, query } = found;
	if (/[{}]/.test(path)) throw usageError(`replace the {…} in ${path} with a value`);
	if (options.paginate === true && !operation.isPaged)
		throw usageError(`--paginate is for lists: ${operation.method} ${operation.path} has no pages`);
	const { method, fields, mediaType } = operation;
	const given = parseFields(options.field ?? [], (name) => fieldOf(operation, name));
	const inQuery = given.filter(({ name }) => !goesIntoBody(operation, name));
	const inBody = given.filter(({ name }) => goesIntoBody(operation, name));
	const parameters = inQuery.map(
		({ name, text }) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`,
	);
	const target = [path, [...(query === "" ? [] : [query]), ...parameters].join("&")];
	const values = Object.fromEntries(inBody.map(({ name, value }) => [name, value]));
	const input = options.input === undefined ? undefined : await readInput(options.input);
	if (mediaType !== undefined && input === undefined)
		throw usageError(`${method} ${operation.path} takes a file: use --input FILE`);
	const body = mediaType === undefined ? jsonBody(input, values, fields) : input;
	return {
		method,
		target: target.filter((part) => part !== "").join("?"),
		headers: {
			...JSON_HEADERS,
			...(body !== undefined && { "content-type": mediaType ?? "application/json" }),
		},
		body,
	};
}

function goesIntoBody({ fields, query, method }: ApiOperation, name: string): boolean {
	if (fields?.some((field) => field.name === name)) return true;
	return !query.some((field) => field.name === name) && method !== "GET";
}

function fieldOf({ fields = [], query }: ApiOperation, name: string): ApiField | undefined {
	return [...fields, ...query].find((field) => field.name === name);
}

/** The fields of the input and of the arguments together. */
function jsonBody(
	input: Buffer | undefined,
	values: Readonly<Record<string, unknown>>,
	fields: readonly ApiField[] | undefined,
): Buffer | undefined {
	if (input === undefined)
		return fields === undefined && Object.keys(values).length === 0
			? undefined
			: Buffer.from(JSON.stringify(values));
	if (Object.keys(values).length === 0) return input;
	const parsed = parseObject(input);
	const twice = Object.keys(values).find((name) => name in parsed);
	if (twice !== undefined) throw usageError(`${twice} is both a field and in the input`);
	return Buffer.from(JSON.stringify({ ...parsed, ...values }));
}

function parseObject(input: Buffer): object {
	try {
		const parsed: unknown = JSON.parse(input.toString("utf8"));
		if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed;
	} catch {
		// Reported below: the text of the error could contain a secret.
	}
	throw usageError("--input must be a JSON object to be combined with fields");
}

/** The request for one page of a list. */
export function pageOf(request: MemoryRequest, page: number): MemoryRequest {
	const [path = "", query = ""] = request.target.split("?");
	const kept = query.split("&").filter((part) => part !== "" && !/^page(_size)?=/.test(part));
	const target = `${path}?${[...kept, `page=${page}`, `page_size=${PAGE_SIZE}`].join("&")}`;
	return { ...request, target };
}
