// The names that a Bearer route accepts in the query and the body. It refuses all others, so that no typo goes unnoticed.

import type { FieldError } from "../../kernel/error.ts";
import { problem } from "../../kernel/field-reason.ts";
import { parseJsonBody } from "../run/body.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Route } from "./guard.ts";
import { type ObjectSchema, propertiesOf, type Schema } from "./schema.ts";
import { shownName, UNKNOWN_MAX } from "./unknown-names.ts";

/** The fields that the service sets on every record. */
const RECORD_FIELDS = ["id", "tenant_id", "created_at", "updated_at"];

/** Whether unknown names are refused. Public, sign-in, and signed routes ignore them. */
export function refusesUnknownNames({ security }: Route["guard"]): boolean {
	return security === "bearer";
}

/**
 * The body schema of a route. On a Bearer route, it refuses unknown fields at any depth. It accepts and ignores fields
 * that only the service sets, so that clients can send a record back as they read it.
 */
export function bodySchemaOf(route: Route, routes: readonly Route[]): ObjectSchema<unknown> | undefined {
	const { body } = route.endpoint;
	if (body === undefined || !refusesUnknownNames(route.guard)) return body;
	const assigned = returnedFields(route, routes).filter((name) => !(name in body.properties));
	return closed(body, assigned);
}

/** The fields of the route's resource in any response: when it is created, listed, or read. */
function returnedFields(route: Route, routes: readonly Route[]): string[] {
	const related = routes.filter(({ path }) => nounOf(path) === nounOf(route.path));
	const names = new Set(related.flatMap(({ endpoint }) => Object.keys(recordOf(endpoint))));
	if (names.has("id")) for (const name of RECORD_FIELDS) names.add(name);
	return [...names];
}

/** `/users` for `/users` and `/users/{id}`. */
function nounOf(path: string): string {
	return path.replace(/\/\{\w+\}$/, "");
}

/** One error for each field of a body that should be empty, and none if the body is not a JSON object. */
export function fieldsOfNoBody(raw: Buffer): FieldError[] {
	let body: unknown;
	try {
		body = parseJsonBody(raw, "application/json");
	} catch {
		return [];
	}
	if (typeof body !== "object" || body === null || Array.isArray(body)) return [];
	return Object.keys(body)
		.slice(0, UNKNOWN_MAX)
		.map((name) => ({ field: shownName(name), ...problem("no_fields") }));
}

/** The fields of the record that an endpoint returns, alone or in a page, including all variants of the record. */
function recordOf({ response: { schema } }: Endpoint): Readonly<Record<string, Schema<unknown>>> {
	if (schema === undefined) return {};
	const { data = schema } = propertiesOf(schema);
	const record = data.type === "list" ? data.items : data;
	const forms = record.type === "union" ? record.members : [record];
	return Object.assign({}, ...forms.map(propertiesOf));
}

/** Makes an object and the objects within it refuse unknown fields, except those in `ignored`. Maps stay open. */
function closed(schema: ObjectSchema<unknown>, ignored: readonly string[] = []): ObjectSchema<unknown> {
	const properties = Object.entries(schema.properties).map(([name, field]) => [name, closedWithin(field)]);
	return { ...schema, properties: Object.fromEntries(properties), ignored };
}

function closedWithin(schema: Schema<unknown>): Schema<unknown> {
	if (schema.type === "list") return { ...schema, items: closedWithin(schema.items) };
	return schema.type === "object" ? closed(schema) : schema;
}
