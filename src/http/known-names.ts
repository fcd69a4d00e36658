// The names that a Bearer route accepts in query and body. All others are refused, so that no typo is ignored.

import type { FieldError } from "../kernel/error.ts";
import { parseJsonBody } from "./body.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Guard, Route } from "./guard.ts";
import type { Schema } from "./schema.ts";
import { shownName, UNKNOWN_MAX } from "./unknown-names.ts";
import { ASSIGNED_FIELDS } from "./validation.ts";

/** The fields that the service sets on every record. */
const RECORD_FIELDS = ["id", "tenant_id", "created_at", "updated_at"];

/** Whether unknown names are refused; public, sign-in and signed routes ignore them. */
export function refusesUnknownNames({ security }: Guard<unknown>): boolean {
	return security === "bearer";
}

/**
 * The body schema of a route. On a Bearer route it refuses unknown fields at any depth. Fields that only the service
 * sets are accepted and ignored, so that a record can be sent back as it was read.
 */
export function bodySchemaOf(route: Route, routes: readonly Route[]): Schema<unknown> | undefined {
	const { body } = route.endpoint;
	if (body === undefined || !refusesUnknownNames(route.guard)) return body;
	const accepted = propertiesOf(body);
	const assigned = answeredFields(route, routes).filter((name) => !(name in accepted));
	return { ...closed(body), [ASSIGNED_FIELDS]: assigned };
}

/** The fields of the route's resource in any answer: of its creation, its list, and the single record. */
function answeredFields(route: Route, routes: readonly Route[]): string[] {
	const kin = routes.filter(({ path }) => nounOf(path) === nounOf(route.path));
	const names = new Set(kin.flatMap(({ endpoint }) => Object.keys(recordOf(endpoint))));
	if (names.has("id")) for (const name of RECORD_FIELDS) names.add(name);
	return [...names];
}

/** `/users` for `/users` and `/users/{id}`. */
function nounOf(path: string): string {
	return path.replace(/\/\{\w+\}$/, "");
}

/** One error for each field of a body where none is expected; none for bytes that are not a JSON object. */
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
		.map((name) => ({ field: shownName(name), message: "is unknown: this call takes no fields" }));
}

type Properties = Readonly<Record<string, Schema<unknown>>>;

function propertiesOf(schema: Schema<unknown>): Properties {
	return (schema.properties ?? {}) as Properties;
}

/** The fields of the record that an endpoint answers, alone or in a page; of all its variants if there are several. */
function recordOf({ answer }: Endpoint<unknown>): Properties {
	if (answer.schema === undefined) return {};
	const { data = answer.schema } = propertiesOf(answer.schema);
	const record = (data.items ?? data) as Schema<unknown>;
	const forms = (record.anyOf ?? [record]) as readonly Schema<unknown>[];
	return Object.assign({}, ...forms.map(propertiesOf));
}

/** Closes objects with described fields to others; explicitly open objects stay open. */
function closed(schema: Schema<unknown>): Schema<unknown> {
	if (schema.items !== undefined) return { ...schema, items: closed(schema.items as Schema<unknown>) };
	if (schema.properties === undefined || schema.additionalProperties !== undefined) return schema;
	const properties = Object.entries(propertiesOf(schema)).map(([name, field]) => [name, closed(field)]);
	return { ...schema, properties: Object.fromEntries(properties), additionalProperties: false };
}
