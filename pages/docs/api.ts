// The API as the reference shows it: groups of operations from the service's OpenAPI document.

import type { Body, Content, DescribedOperation, OpenApi, Parameter } from "./openapi.ts";
import { exampleOf, follow, resolve } from "./schema.ts";

const METHODS = ["get", "post", "put", "patch", "delete"];
/** A status of an error, or `default`: any other. */
const IS_ERROR = /^(?:[45]|default$)/;
/** The last paragraph of every description. */
const ALLOWED = /\n*Allowed: (.*)\.$/;

export interface DocumentedResponse {
	readonly status: string;
	readonly description: string;
	readonly json: Content | undefined;
	/** Of an error: its closed set of codes. */
	readonly codes: readonly string[];
}

export interface Operation {
	readonly id: string;
	/** In upper case. */
	readonly method: string;
	readonly path: string;
	readonly summary: string;
	readonly description: string;
	/** Who may call, such as `admin, auditor; admin keys`. */
	readonly allowed: string;
	/** Names of security schemes, any of which is accepted; empty if public. */
	readonly schemes: readonly string[];
	readonly group: string;
	readonly parameters: readonly Parameter[];
	/** A JSON body. */
	readonly body: Content | undefined;
	/** The body if it is a form. */
	readonly form: Content | undefined;
	readonly successes: readonly DocumentedResponse[];
	readonly errors: readonly DocumentedResponse[];
}

export interface Group {
	readonly id: string;
	readonly name: string;
	readonly description: string;
	/** Path of the guide. */
	readonly guide: string | undefined;
	readonly operations: readonly Operation[];
}

export interface Api {
	readonly spec: OpenApi;
	readonly baseUrl: string;
	readonly groups: readonly Group[];
	/** By id. */
	readonly operations: ReadonlyMap<string, Operation>;
}

/** Groups are in the order of the routes. */
export function apiOf(spec: OpenApi): Api {
	const byGroup = new Map<string, Operation[]>();
	for (const [path, methods] of Object.entries(spec.paths ?? {}))
		for (const method of METHODS) {
			const described = methods[method];
			if (described === undefined) continue;
			const operation = operationOf(spec, method, path, described);
			byGroup.set(operation.group, [...(byGroup.get(operation.group) ?? []), operation]);
		}
	const groups = [...byGroup].map(([name, operations]) => {
		const tag = spec.tags?.find((one) => one.name === name);
		const guide = tag?.externalDocs === undefined ? undefined : new URL(tag.externalDocs.url).pathname;
		return { id: groupId(name), name, description: tag?.description ?? "", guide, operations };
	});
	const operations = new Map(groups.flatMap((group) => group.operations).map((one) => [one.id, one]));
	return { spec, baseUrl: spec.servers?.[0]?.url ?? "", groups, operations };
}

export function groupId(name: string): string {
	return `group-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
}

function operationOf(spec: OpenApi, method: string, path: string, described: DescribedOperation): Operation {
	const { operationId, summary, description = "", tags, parameters = [], requestBody, responses } = described;
	const security = described.security ?? spec.security ?? [];
	const documented = Object.entries(responses ?? {}).map(([status, body]) => responseOf(spec, status, body));
	return {
		id: operationId ?? `${method}-${path}`,
		method: method.toUpperCase(),
		path,
		summary: summary ?? path,
		description: description.replace(ALLOWED, ""),
		allowed: ALLOWED.exec(description)?.[1] ?? "",
		schemes: [...new Set(security.flatMap((demand) => Object.keys(demand)))],
		group: tags?.[0] ?? "",
		parameters: parameters.flatMap((parameter) => separate(spec, follow(spec, parameter))),
		body: requestBody === undefined ? undefined : jsonOf(follow(spec, requestBody)),
		form: requestBody?.content?.["application/x-www-form-urlencoded"],
		successes: documented.filter(({ status }) => !IS_ERROR.test(status)),
		errors: documented.filter(({ status }) => IS_ERROR.test(status)),
	};
}

/** An object whose fields are parameters, as one parameter for each field. */
function separate(spec: OpenApi, parameter: Parameter): Parameter[] {
	if (parameter.explode !== true) return [parameter];
	const { properties = {}, required = [] } = resolve(spec, parameter.schema);
	return Object.entries(properties).map(([name, schema]) => {
		const whole = resolve(spec, schema);
		const isRequired = required.includes(name);
		return {
			name,
			in: parameter.in,
			required: isRequired,
			description: whole.description ?? "",
			schema: whole,
		};
	});
}

function responseOf(spec: OpenApi, status: string, described: Body): DocumentedResponse {
	const response = follow(spec, described);
	const codes = "application/problem+json" in (response.content ?? {}) ? codesIn(response.description) : [];
	const json = jsonOf(response);
	const isEmpty = json?.schema?.type === "null";
	return {
		status,
		description: response.description ?? "",
		json: isEmpty ? undefined : json,
		codes,
	};
}

/** The description of an error response is the list of its codes: `user.not_found`. */
function codesIn(description = ""): string[] {
	return [...description.matchAll(/`(\w+\.\w+)`/g)].map(([, code = ""]) => code);
}

function jsonOf(body: Body): Content | undefined {
	const content = body.content?.["application/json"];
	return content?.schema === undefined ? undefined : content;
}

/** The example in the description, or one generated from the schema. */
export function exampleIn(spec: OpenApi, { schema, examples }: Content): unknown {
	const [first] = Object.values(examples ?? {});
	return first === undefined ? exampleOf(spec, schema) : first.value;
}
