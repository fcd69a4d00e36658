// The operations of the API as the command line needs them, from the OpenAPI document.

import type { Route } from "../http/describe/guard.ts";
import type { Json } from "../http/describe/json-schema.ts";
import { openApiDocument } from "../http/openapi/openapi.ts";
import { API_DESCRIPTION, SIGN_IN_TAGS } from "./api-description.ts";
import { describeRoutes, UNUSED } from "./described-routes.ts";
import { oauth } from "./map.ts";
import { VERSION } from "./version.ts";

/** A field of a body, or a parameter of a query. */
export interface ApiField {
	readonly name: string;
	readonly isRequired: boolean;
	/** A password, token, or code: never an argument of a command. */
	readonly isSecret: boolean;
	readonly description: string;
	/** JSON Schema, with its references resolved. */
	readonly schema: Json;
}

export interface ApiOperation {
	/** In capitals. */
	readonly method: string;
	/** With its parameters as `{id}`. */
	readonly path: string;
	readonly summary: string;
	readonly description: string;
	readonly query: readonly ApiField[];
	/** Undefined for an operation without a body, and for one that takes a file. */
	readonly fields: readonly ApiField[] | undefined;
	/** Of a body that is a file. */
	readonly mediaType: string | undefined;
	readonly isPaged: boolean;
	/** Only this response contains the Secret, key, or token. */
	readonly returnsSecret: boolean;
	/** Whether the operator may call it on the machine: no route of a person, of sign-in, for signed requests, or of OAuth. */
	readonly isHere: boolean;
}

/** Every operation, in the order of the document. */
export function describeOperations(): readonly ApiOperation[] {
	const routes = describeRoutes();
	const byName = new Map(routes.map((route) => [route.endpoint.name, route]));
	const document = openApiDocument({
		version: VERSION,
		publicUrl: "https://localhost",
		routes,
		mounts: oauth(UNUSED),
		about: API_DESCRIPTION,
	});
	const resolve = createResolver(document.components);
	return Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => {
			const described = operation as Json;
			return describeOperation(method, path, described, byName.get(String(described.operationId)), resolve);
		}),
	);
}

type Resolve = (part: unknown) => Json;

/** A part of the document without references at its top: fields of its own win over those that it refers to. */
function createResolver(components: Readonly<Record<string, Json>>): Resolve {
	const resolve: Resolve = (part) => {
		const { $ref, allOf, ...own } = (part ?? {}) as Json;
		const target = typeof $ref === "string" ? $ref.split("/").slice(-2) : undefined;
		const referred = target && components[target[0] ?? ""]?.[target[1] ?? ""];
		const whole: Json = { ...(referred === undefined ? {} : resolve(referred)), ...own };
		for (const each of Array.isArray(allOf) ? allOf.map(resolve) : []) {
			whole.properties = { ...(each.properties as Json), ...(whole.properties as Json) };
			whole.required = [...listOf(each.required), ...listOf(whole.required)];
		}
		return whole;
	};
	return resolve;
}

function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

function describeOperation(
	method: string,
	path: string,
	operation: Json,
	route: Route | undefined,
	resolve: Resolve,
): ApiOperation {
	const parameters = listOf(operation.parameters).map(resolve);
	const query = parameters.filter((parameter) => parameter.in === "query");
	const content = (resolve(operation.requestBody).content ?? {}) as Record<string, Json>;
	const [mediaType] = Object.keys(content);
	const isJson = mediaType === "application/json";
	return {
		method: method.toUpperCase(),
		path,
		summary: String(operation.summary ?? ""),
		description: String(operation.description ?? ""),
		query: query.map(({ name, required, description, schema }) =>
			fieldOf(String(name), required === true, { description, ...resolveAll(schema, resolve) }),
		),
		fields: isJson ? fieldsOf(resolve(content[mediaType]?.schema), resolve) : undefined,
		mediaType: isJson ? undefined : mediaType,
		isPaged: query.some(({ name }) => name === "page_size"),
		returnsSecret: route?.endpoint.secret === true,
		isHere: route !== undefined && isHere(route),
	};
}

function fieldsOf({ properties = {}, required }: Json, resolve: Resolve): ApiField[] {
	const names = listOf(required);
	return Object.entries(properties as Json).map(([name, schema]) =>
		fieldOf(name, names.includes(name), resolveAll(schema, resolve)),
	);
}

/** A schema without references at any depth. */
function resolveAll(part: unknown, resolve: Resolve): Json {
	const { properties, items, anyOf, ...schema } = resolve(part);
	const inner = Object.entries((properties ?? {}) as Json).map(
		([name, each]) => [name, resolveAll(each, resolve)] as const,
	);
	return {
		...schema,
		...(properties !== undefined && { properties: Object.fromEntries(inner) }),
		...(items !== undefined && { items: resolveAll(items, resolve) }),
		...(Array.isArray(anyOf) && { anyOf: anyOf.map((each) => resolveAll(each, resolve)) }),
	};
}

function fieldOf(name: string, isRequired: boolean, schema: Json): ApiField {
	const description = String(schema.description ?? "");
	return { name, isRequired, isSecret: containsSecret(schema), description, schema };
}

/** Whether a value of the schema is a secret, or has one inside. */
function containsSecret({ writeOnly, properties = {}, items, anyOf }: Json): boolean {
	const inner = [
		...Object.values(properties as Json),
		...(items === undefined ? [] : [items]),
		...listOf(anyOf),
	];
	return writeOnly === true || inner.some((each) => containsSecret(each as Json));
}

/** Public data can be read here, too, unless it is a part of signing in. */
function isHere({ guard, method, tag }: Route): boolean {
	if (guard.admitsOperator === true) return true;
	return guard.security === "none" && method === "GET" && !SIGN_IN_TAGS.has(tag);
}
