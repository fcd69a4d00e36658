// The configuration file: its schema, and how a document becomes resources and back.

import { SLUG, SLUG_MAX } from "../../../domain/application.ts";
import { GROUP_NAME_MAX } from "../../../domain/group.ts";
import { USERNAME_MAX } from "../../../domain/user.ts";
import { plainJsonSchema } from "../../../http/describe/json-schema.ts";
import { list, nullable, type ObjectSchema, type Schema, text } from "../../../http/describe/schema.ts";
import { AppError, type FieldError, invalidField, invalidFields } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import { lineOf, writeYaml, type YamlDocument } from "../../../kernel/yaml-document.ts";
import { parseYamlAside } from "../../../kernel/yaml-thread.ts";
import { fieldNames, type State } from "./read-state.ts";
import {
	completed,
	DOCUMENT_MAX_BYTES,
	type Fields,
	type KindName,
	kindOf,
	NAMED_PARTS,
	type Resource,
	SCHEMA_PATH,
	SECTIONS,
	SINGLE_PARTS,
	SINGLES,
	sorted,
	withoutDefaults,
} from "./resource-table.ts";
import type { Rows, SharedChecks } from "./rows-wire.ts";

export interface WantedResource extends Resource {
	/** The slug that an application has until now. */
	readonly renamedFrom?: string;
}

export interface ParsedDocument {
	readonly resources: readonly WantedResource[];
	/** The error with the lines of its fields. */
	located(error: AppError): AppError;
}

type Described = Pick<Rows, "schemaOf">;

function closedObject(
	properties: ObjectSchema<unknown>["properties"],
	required: readonly string[] = [],
): ObjectSchema<unknown> {
	return { type: "object", properties, required, ignored: [] };
}

function mapOf(values: Schema<unknown>): Schema<unknown> {
	return { type: "map", values };
}

/** The file, of the bodies of the rows. */
export function documentSchema(rows: Described): ObjectSchema<unknown> {
	const named = Object.entries(NAMED_PARTS).map(([part, kind]) => [part, mapOf(resourceSchema(rows, kind))]);
	const parts = {
		...Object.fromEntries(named),
		...Object.fromEntries(SINGLE_PARTS.map((kind) => [kind, resourceSchema(rows, kind)])),
		managers: list(text({ max: USERNAME_MAX }), {
			description:
				"Usernames of its managers. Only with `people`, which the option `--people` of the command sets.",
		}),
		renamed_from: text({
			max: SLUG_MAX,
			pattern: SLUG.source,
			description: "The slug that the application has until now. Remove it after the change.",
		}),
	};
	const sections = Object.entries(SECTIONS).map(([section, kind]) => [
		section,
		mapOf(resourceSchema(rows, kind, kind === "application" ? parts : {})),
	]);
	return closedObject({
		...Object.fromEntries(sections),
		...Object.fromEntries(SINGLES.map((kind) => [kind, resourceSchema(rows, kind)])),
	});
}

/** For editors. */
export function documentJsonSchema(rows: Described): object {
	return {
		$schema: "https://json-schema.org/draft/2020-12/schema",
		title: "Configuration of a Latchkey tenant",
		...strict(documentSchema(rows)),
	};
}

function strict(schema: Schema<unknown>): Record<string, unknown> {
	if (schema.type === "object")
		return {
			...plainJsonSchema({ ...schema, properties: {} }),
			properties: Object.fromEntries(
				Object.entries(schema.properties).map(([name, field]) => [name, strict(field)]),
			),
			additionalProperties: false,
		};
	if (schema.type === "map" && schema.values !== "any")
		return { ...plainJsonSchema({ ...schema, values: "any" }), additionalProperties: strict(schema.values) };
	return plainJsonSchema(schema);
}

function resourceSchema(
	rows: Described,
	name: KindName,
	parts: ObjectSchema<unknown>["properties"] = {},
): Schema<unknown> {
	const { create, update, defaults } = kindOf(name);
	const given = create === undefined ? undefined : rows.schemaOf(create);
	const own = { ...rows.schemaOf(update).properties, ...given?.properties };
	// A grant is only its roles.
	if (name === "grant") return own.roles as Schema<unknown>;
	const fields = fieldNames(rows, name);
	const properties = Object.fromEntries(
		fields.map((field) => [field, ofFile(name, field, own[field] as Schema<unknown>)]),
	);
	const known = defaults({});
	const required = (given?.required ?? []).filter((field) => fields.includes(field) && !(field in known));
	return closedObject({ ...properties, ...parts }, required);
}

/** Workloads name their provider, and requests the group that reviews them. */
function ofFile(kind: KindName, field: string, schema: Schema<unknown>): Schema<unknown> {
	if (kind === "application" && field === "requestable" && schema.type === "object") {
		const reviewers = nullable(text({ max: GROUP_NAME_MAX, description: "Its name under `groups`." }));
		return { ...schema, properties: { ...schema.properties, reviewers } };
	}
	if (kind !== "oauth_client" || field !== "workloads" || schema.type !== "list") return schema;
	const { items } = schema;
	if (items.type !== "object") return schema;
	const { issuer_id: _, ...rest } = items.properties;
	const provider = text({ max: 64, description: "Its name under `identity_providers`." });
	const required = items.required.map((name) => (name === "issuer_id" ? "provider" : name));
	return { ...schema, items: { ...items, properties: { provider, ...rest }, required } };
}

/**
 * Parses a document. @throws AppError `request.invalid` with the fields and their lines: first of unknown names, and of what is
 * only for the command.
 */
export async function parseDocument(
	rows: Described,
	source: string,
	checks: SharedChecks,
	people = false,
): Promise<ParsedDocument> {
	if (Buffer.byteLength(source) > DOCUMENT_MAX_BYTES)
		throw invalidField("document", "bytes_max", { max: DOCUMENT_MAX_BYTES });
	const parsed = await parseYamlAside(source);
	if ("problems" in parsed)
		throw invalidFields(
			parsed.problems.map(({ line, message }) =>
				atLine({ field: "document", ...problem("yaml", { cause: message }) }, line),
			),
		);
	const located = (error: AppError) => withLines(error, parsed);
	checkForCommand(parsed);
	const value = parsed.value ?? {};
	const result = checks.of("file", () => documentSchema(rows))(value);
	if (result !== true) {
		const unknown = result.filter(({ code }) => UNKNOWN.includes(code));
		throw located(invalidFields(unknown.length > 0 ? unknown : result));
	}
	const resources = resourcesOf(value as Fields);
	const manager = people ? undefined : resources.find(({ kind }) => kind === "manager");
	if (manager !== undefined) throw located(invalidField(manager.path.slice(0, -1).join("."), "needs_people"));
	return { resources, located };
}

const UNKNOWN: readonly string[] = ["unknown_field", "similar_name", "no_fields"];

/** `${…}` and `secret_file` are for the machine of the caller. */
function checkForCommand({ texts, place }: YamlDocument): void {
	if (texts.length === 0) return;
	throw invalidFields(
		texts.slice(0, 20).map(({ path }) => {
			const field = path.join(".");
			return atLine({ field, ...problem("for_command") }, lineOf(place, field));
		}),
	);
}

function atLine(error: FieldError, line: number): FieldError {
	return { ...error, message: `${error.message} (line ${line})` };
}

function withLines({ code, message, fields, kind }: AppError, { place }: YamlDocument): AppError {
	const located = fields.map((field) => atLine(field, lineOf(place, field.field)));
	if (located.length === 0) return new AppError(code, message, { kind });
	const text = located.map(({ field, message }) => `${field || "document"} ${message}`).join("; ");
	return new AppError(code, text, { kind, fields: located });
}

function resourcesOf(document: Fields): WantedResource[] {
	const resources: WantedResource[] = [];
	const entries = (value: unknown) => Object.entries((value ?? {}) as Record<string, Fields>);
	for (const [section, kind] of Object.entries(SECTIONS))
		for (const [name, given] of entries(document[section])) {
			const path = [section, name];
			if (kind !== "application") {
				resources.push({ kind, path, fields: given });
				continue;
			}
			const { roles, grants, managers, oauth_client, gate, renamed_from: renamedFrom, ...fields } = given;
			resources.push({ kind, path, fields, ...(typeof renamedFrom === "string" && { renamedFrom }) });
			for (const [role, roleFields] of entries(roles))
				resources.push({ kind: "role", path: [...path, "roles", role], fields: roleFields });
			for (const [part, partFields] of Object.entries({ oauth_client, gate }))
				if (partFields !== undefined)
					resources.push({ kind: part as "gate", path: [...path, part], fields: partFields as Fields });
			for (const [group, groupRoles] of entries(grants))
				resources.push({ kind: "grant", path: [...path, "grants", group], fields: { roles: groupRoles } });
			for (const username of (managers ?? []) as readonly string[])
				resources.push({ kind: "manager", path: [...path, "managers", username], fields: {} });
		}
	for (const kind of SINGLES)
		if (document[kind] !== undefined)
			resources.push({ kind, path: [kind], fields: document[kind] as Fields });
	return resources;
}

/** The file of a tenant: keys sorted, without defaults. @param publicUrl of the service, for the line that editors read */
export async function writeDocument(state: State, publicUrl: string): Promise<string> {
	const document: Record<string, unknown> = {};
	for (const { kind, path, fields } of state.values()) {
		const all = completed({ kind, fields });
		const written = kind === "grant" ? all.roles : withoutDefaults({ kind, fields: all });
		const isSingle = path.length === 1;
		if (isSingle && Object.keys(written as Fields).length === 0) continue;
		let place = document;
		if (kind === "manager") {
			for (const name of path.slice(0, -2)) place = inside(place, name);
			const all = inside(place, "managers", []) as unknown as string[];
			all.splice(0, all.length, ...[...all, path.at(-1) as string].sort());
			continue;
		}
		for (const name of path.slice(0, -1)) place = inside(place, name);
		Object.assign(inside(place, path.at(-1) as string, written), Array.isArray(written) ? {} : written);
	}
	const header = `# yaml-language-server: $schema=${publicUrl}${SCHEMA_PATH}\n`;
	return header + (Object.keys(document).length === 0 ? "" : await writeYaml(sorted(document)));
}

/** Parts may be read before the application that they are in. */
function inside(place: Record<string, unknown>, name: string, value: unknown = {}): Record<string, unknown> {
	if (!Object.hasOwn(place, name))
		Object.defineProperty(place, name, { value, enumerable: true, writable: true, configurable: true });
	return place[name] as Record<string, unknown>;
}
