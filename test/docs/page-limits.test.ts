import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as limits from "../../pages/api/limits.ts";
import { describeApi } from "./openapi-document.ts";

interface Limited {
	readonly properties?: Readonly<Record<string, Limited>>;
	readonly items?: Limited;
	readonly maxLength?: number;
	readonly maxItems?: number;
	readonly $ref?: string;
}
type Schemas = Readonly<Record<string, Limited>>;

/** The schema that a `$ref` names; any other schema as it is. */
const resolved = (schemas: Schemas, schema: Limited | undefined): Limited | undefined =>
	schema?.$ref === undefined ? schema : schemas[schema.$ref.split("/").at(-1) ?? ""];

/** The limit of a field such as `UpdateApplicationBody.name`, or of every field of a schema. */
function limitOf(schemas: Schemas, path: string): unknown {
	const [name = "", field, part] = path.split(".");
	const { properties = {} } = schemas[name] ?? {};
	if (field === undefined)
		return Object.fromEntries(
			Object.entries(properties).map(([key, schema]) => [key, resolved(schemas, schema)?.maxLength]),
		);
	const property = resolved(schemas, properties[field]);
	const found = part === "items" ? resolved(schemas, property?.items) : property;
	return found?.maxLength ?? found?.maxItems;
}

test("the limits in pages/api/limits.ts equal those of the OpenAPI document", async () => {
	const { components } = JSON.parse(JSON.stringify(await describeApi()));
	const source = readFileSync("pages/api/limits.ts", "utf8");
	const documented = [...source.matchAll(/\/\*\* (\S+) \*\/\nexport const (\w+)/g)];
	const expected = documented.map(([, path = "", name = ""]) => [name, limitOf(components.schemas, path)]);
	assert.deepEqual({ ...limits }, Object.fromEntries(expected));
});
