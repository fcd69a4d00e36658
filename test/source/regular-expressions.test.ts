// Every regular expression of the service runs in linear time, because many read untrusted input.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, it } from "node:test";
import { analyse } from "scslre";
import ts from "typescript";

const SOURCE = join(import.meta.dirname, "../../src");
const REPORTS_MAX = 5;

interface Found {
	/** `src/…:line`. */
	readonly place: string;
	readonly source: string;
	readonly flags: string;
}

/** Literals, `new RegExp("…")`, and the `pattern` of a schema: not patterns built at run time. */
function collect(file: string): Found[] {
	const kind = file.endsWith(".js") ? ts.ScriptKind.JS : ts.ScriptKind.TS;
	const tree = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true, kind);
	const found: Found[] = [];
	const add = (node: ts.Node, source: string, flags: string): void => {
		const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
		found.push({ place: `src/${relative(SOURCE, file)}:${line}`, source, flags });
	};
	const visit = (node: ts.Node): void => {
		if (ts.isRegularExpressionLiteral(node)) {
			const end = node.text.lastIndexOf("/");
			add(node, node.text.slice(1, end), node.text.slice(end + 1));
		}
		const text = patternText(node);
		if (text !== undefined) add(node, text, "u");
		ts.forEachChild(node, visit);
	};
	visit(tree);
	return found;
}

function patternText(node: ts.Node): string | undefined {
	const value =
		ts.isNewExpression(node) && node.expression.getText() === "RegExp"
			? node.arguments?.[0]
			: ts.isPropertyAssignment(node) && node.name.getText() === "pattern"
				? node.initializer
				: undefined;
	return value !== undefined && ts.isStringLiteralLike(value) ? value.text : undefined;
}

function superLinear({ source, flags }: Pick<Found, "source" | "flags">): string[] {
	const { reports } = analyse({ source, flags }, { maxReports: REPORTS_MAX });
	return reports.map((report) => `${report.exponential ? "exponential" : "polynomial"} (${report.type})`);
}

describe("regular expressions", () => {
	it("are all linear", () => {
		const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
			.filter((file) => /\.(?:ts|js)$/.test(file) && !file.endsWith(".test.ts"))
			.map((file) => join(SOURCE, file));
		const found = files.flatMap(collect);
		assert.ok(found.length > 100, `only ${found.length} were found`);
		const slow = found.flatMap((one) => superLinear(one).map((why) => `${one.place} ${one.source}: ${why}`));
		assert.deepEqual(slow, []);
	});

	it("are reported if they are not", () => {
		for (const source of ["^[ \\t]+|[ \\t]+$", "^(a+)+$", "a*b?a*x", "^\\s*a\\s*\\s*$"])
			assert.notDeepEqual(superLinear({ source, flags: "" }), [], source);
	});
});
