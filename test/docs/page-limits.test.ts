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
}

/** The limit of a field such as `UpdateApplicationBody.name`, or of every field of a schema. */
function limitOf(schemas: Readonly<Record<string, Limited>>, path: string): unknown {
	const [name = "", field, part] = path.split(".");
	const { properties = {} } = schemas[name] ?? {};
	if (field === undefined)
		return Object.fromEntries(Object.entries(properties).map(([key, { maxLength }]) => [key, maxLength]));
	const found = part === "items" ? properties[field]?.items : properties[field];
	return found?.maxLength ?? found?.maxItems;
}

test("the limits in pages/api/limits.ts equal those of the OpenAPI document", async () => {
	const { components } = JSON.parse(JSON.stringify(await describeApi()));
	const source = readFileSync("pages/api/limits.ts", "utf8");
	const documented = [...source.matchAll(/\/\*\* (\S+) \*\/\nexport const (\w+)/g)];
	const expected = documented.map(([, path = "", name = ""]) => [name, limitOf(components.schemas, path)]);
	assert.deepEqual({ ...limits }, Object.fromEntries(expected));
});
