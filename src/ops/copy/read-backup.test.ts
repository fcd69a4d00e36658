import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { describe, test } from "node:test";
import { BackupError, type BackupHeader, type Row } from "../../domain/backup.ts";
import { type BackupPart, readBackup } from "./read-backup.ts";
import { backupText } from "./write-backup.ts";

const KEY = createSecretKey(Buffer.alloc(32, 1));
const HEADER: BackupHeader = {
	format: "latchkey backup",
	version: 1,
	latchkey: "0.1.0",
	schema: 3,
	engine: "sqlite",
	created_at: "2026-11-20T08:00:00.000Z",
	master_key: "0a0b0c0d",
};
const ROWS: Readonly<Record<string, readonly Row[]>> = {
	tenants: [
		["t1", 'Ünïcode \u2028 and "quotes"\n'],
		["t2", ""],
	],
	nothing: [],
	clients: [
		["c1", "v1.0a0b0c0d.AAAA", 1_800_000_000_000],
		["c2", null, -1],
		["c3", "v1.11111111.AAAA", 0],
	],
};
const TABLES = [
	{ name: "tenants", columns: ["id", "name"], key: ["id"] },
	{ name: "nothing", columns: ["id"], key: ["id"] },
	{ name: "clients", columns: ["id", "secret_sealed", "at"], key: ["id"] },
];

async function written(header: BackupHeader = HEADER): Promise<string> {
	const source = {
		tables: TABLES,
		async *rows({ name }: { readonly name: string }) {
			const rows = ROWS[name] ?? [];
			if (rows.length > 0) yield rows;
		},
	};
	let text = "";
	for await (const piece of backupText(source, { header, macKey: KEY, progress: () => undefined }))
		text += piece;
	return text;
}

async function* pieces(text: string, size: number): AsyncGenerator<string> {
	for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function read(text: string, size = 7, keyIds = ["0a0b0c0d", "11111111"]): Promise<BackupPart[]> {
	const parts: BackupPart[] = [];
	const macKeyOf = (id: string) => (keyIds.includes(id) ? KEY : undefined);
	for await (const part of readBackup(pieces(text, size), { macKeyOf, keyIds })) parts.push(part);
	return parts;
}

async function refusal(text: string, keyIds?: string[]): Promise<string> {
	try {
		await read(text, 1_000, keyIds);
	} catch (error) {
		if (error instanceof BackupError) return error.message;
		throw error;
	}
	return "taken";
}

describe("a backup", () => {
	test("returns what was written, with chunks of any size", async () => {
		const text = await written();
		for (const size of [1, 13, 100_000]) {
			const parts = await read(text, size);
			const rows = Object.fromEntries(
				parts.flatMap((part) => (part.kind === "rows" ? [[part.table.name, part.rows]] : [])),
			);
			assert.deepEqual(rows, { tenants: ROWS.tenants, clients: ROWS.clients });
			const end = parts.at(-1);
			assert.ok(end?.kind === "end");
			assert.deepEqual(end.end.sealed_with, ["0a0b0c0d", "11111111"]);
			assert.deepEqual(
				end.end.tables.map((table) => [table.name, table.rows]),
				[
					["tenants", 2],
					["nothing", 0],
					["clients", 3],
				],
			);
		}
	});

	test("that is truncated anywhere is refused", async () => {
		const text = await written();
		for (let length = 0; length < text.length; length++)
			assert.notEqual(await refusal(text.slice(0, length)), "taken", `${length} of ${text.length}`);
	});

	test("that was changed anywhere is refused", async () => {
		const text = await written();
		for (let at = 0; at < text.length; at++) {
			const changed = text.slice(0, at) + (text[at] === "1" ? "2" : "1") + text.slice(at + 1);
			assert.notEqual(await refusal(changed), "taken", changed.slice(Math.max(0, at - 20), at + 20));
		}
	});

	test("with an extra or missing row, table, or end is refused", async () => {
		const lines = (await written()).trimEnd().split("\n");
		const without = (index: number): string => `${lines.toSpliced(index, 1).join("\n")}\n`;
		for (let index = 0; index < lines.length; index++)
			assert.notEqual(await refusal(without(index)), "taken", `${lines[index]}`);
		const text = `${lines.join("\n")}\n`;
		assert.equal(
			await refusal(`${text}{"table":"more","columns":[]}\n`),
			"is damaged: it has data after its end",
		);
		assert.equal(await refusal(text), "taken");
	});

	test("with a problem is refused in one line", async () => {
		const text = await written();
		const foreign = "was not created by latchkey backup";
		for (const other of ["", "hello\n", "{}\n", "null\n", '"latchkey backup"\n', "x".repeat(1 << 20)])
			assert.equal(await refusal(other), foreign);
		assert.match(
			await refusal(text.replace('"version":1', '"version":2')),
			/^has format 2, .* newer version$/,
		);
		assert.match(
			await refusal(text, ["11111111"]),
			/^needs master key 0a0b0c0d, which is not .*\(11111111\)/,
		);
		assert.match(
			await refusal(text, ["0a0b0c0d"]),
			/^needs master key 11111111, which is not .*\(0a0b0c0d\)/,
		);
	});
});
