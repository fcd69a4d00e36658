// The help of `latchkey api`, from the OpenAPI document.

import type { ApiField, ApiOperation } from "../app/api-operations.ts";

/** One line for each operation that can be called from here, or only those of one method. */
export function operationList(operations: readonly ApiOperation[], method?: string): string {
	const listed = operations.filter(
		(each) => each.isHere && (method === undefined || each.method === method.toUpperCase()),
	);
	const rows = listed.map((each) => [each.method, shortPath(each.path), each.summary]);
	return [
		"Routes (latchkey api METHOD PATH --help describes one):",
		...alignedLines(rows).map(indented),
	].join("\n");
}

export function operationHelp(operation: ApiOperation): string {
	const { method, path, summary, description, query, fields, mediaType, returnsSecret } = operation;
	return [
		`Usage: latchkey api ${method} ${shortPath(path)}`,
		"",
		`${summary}.`,
		...(description === "" ? [] : ["", description]),
		...section("Fields of the body:", fields ?? []),
		...section("Parameters of the query:", query),
		...(mediaType === undefined ? [] : ["", `The body is a file (${mediaType}): --input FILE`]),
		...(returnsSecret
			? ["", "The response contains a secret: it is printed on a terminal only, or use --output FILE."]
			: []),
	].join("\n");
}

/** `/users` for `/api/v1/users`. */
export function shortPath(path: string): string {
	return path.replace(/^\/api\/v1(?=\/)/, "");
}

function section(title: string, fields: readonly ApiField[]): string[] {
	if (fields.length === 0) return [];
	const rows = fields.map((field) => [
		field.name,
		typeOf(field),
		[field.isRequired ? "required" : "", field.description].filter((part) => part !== "").join("; "),
	]);
	return ["", title, ...alignedLines(rows).map(indented)];
}

function typeOf({ schema, isSecret }: ApiField): string {
	if (isSecret) return "secret (--input -)";
	if (Array.isArray(schema.enum)) return schema.enum.filter((value) => value !== null).join("|");
	if (schema.type === "array") return "list";
	const types = [schema.type ?? "JSON"].flat().map(String);
	return types.join(" or ");
}

function indented(line: string): string {
	return `  ${line}`;
}

/** Rows whose cells begin below each other. All rows have the same number of cells. */
function alignedLines(rows: readonly (readonly string[])[]): string[] {
	const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
	return rows.map((row) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join("  ")
			.trimEnd(),
	);
}
