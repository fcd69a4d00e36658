import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openTestDatabase } from "../harness/databases/database.ts";
import { readDocument, sections, tableRows } from "./document.ts";

const security = sections(readDocument("docs/security.md"));

describe("docs/security.md", () => {
	it("documents every digest, hash and sealed column, and no other", async () => {
		const { engine, close } = await openTestDatabase();
		const tables = await engine.queries.all<{ name: string }>(
			"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
		);
		const columns: string[] = [];
		for (const { name } of tables) {
			const found = await engine.queries.all<{ name: string }>(
				`SELECT name FROM pragma_table_info('${name}')`,
			);
			columns.push(...found.map((column) => `${name}.${column.name}`));
		}
		await close();
		const rows = tableRows(security.get("What is stored") ?? "");
		const documented = rows.flatMap((cells) => (cells[1] ?? "").match(/[a-z_0-9]+\.[a-z_]+/g) ?? []);
		assert.deepEqual(
			documented.filter((column) => !columns.includes(column)),
			[],
		);
		const telling = columns.filter((column) => /(?:_|\.)(?:digest|hash|sealed)$/.test(column));
		assert.deepEqual(
			telling.filter((column) => !documented.includes(column)),
			[],
		);
	});

	it("names a test for every attack", () => {
		const rows = tableRows(security.get("What is defended, and by which test") ?? "");
		assert.ok(rows.length > 20);
		for (const [attack, , proof = ""] of rows) assert.match(proof, /\]\(\.\.\/\S+\.test\.ts\)/, attack ?? "");
	});

	it("names a test for every rule of the standards", () => {
		const rows = tableRows(security.get("Standards, rule by rule") ?? "");
		assert.ok(rows.length > 60);
		for (const [rule, , proof = ""] of rows) assert.match(proof, /\]\(\.\.\/\S+\.test\.ts\)/, rule ?? "");
	});
});
