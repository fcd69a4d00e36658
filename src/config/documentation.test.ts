import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { ALL_SETTINGS } from "./settings.ts";

const text = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
const documented = new Map(
	text
		.split("\n")
		.filter((line) => line.startsWith("| `LATCHKEY_"))
		.map((line) =>
			line
				.split("|")
				.slice(1, -1)
				.map((cell) => cell.trim()),
		)
		.map((cells) => [bare(cells[0] ?? ""), cells] as const),
);

function bare(cell: string): string {
	return cell.replaceAll("`", "");
}

function code(value: string): string {
	return `\`${value}\``;
}

describe("docs/configuration.md", () => {
	it("has exactly one row per setting, in the order of the table", () => {
		assert.deepEqual(
			[...documented.keys()],
			ALL_SETTINGS.map((setting) => setting.name),
		);
	});

	for (const { name, default: fallback, unit, meaning, example } of ALL_SETTINGS) {
		it(`describes ${name} as the table does`, () => {
			assert.deepEqual(documented.get(name), [
				code(name),
				fallback === null ? "unset" : code(fallback),
				unit === "" ? "–" : unit,
				meaning,
				code(example),
			]);
		});
	}

	it("mentions only existing settings, except in the example of a mistake", () => {
		const known = new Set(ALL_SETTINGS.map((setting) => setting.name));
		const named = new Set(text.match(/LATCHKEY_[A-Z_]+/g));
		assert.deepEqual([...named].filter((name) => !known.has(name)).sort(), ["LATCHKEY_PROT"]);
	});

	it("lists every secret setting, and no other, as a secret", () => {
		const sentence = /^## Secrets\n\n(.*?) are\nsecrets\./ms.exec(text)?.[1] ?? "";
		const secrets = ALL_SETTINGS.filter((setting) => setting.secret).map((setting) => setting.name);
		assert.deepEqual(sentence.match(/LATCHKEY_[A-Z_]+/g)?.sort(), secrets.sort());
	});
});

describe("the table of settings", () => {
	for (const setting of ALL_SETTINGS) {
		it(`${setting.name} has a default and an example that its parser accepts`, () => {
			if (setting.default !== null) assert.ok("value" in setting.parse(setting.default));
			// The example of a random secret is the command that generates it.
			if (!setting.example.startsWith("$(")) assert.ok("value" in setting.parse(setting.example));
		});
	}

	it("has each name once", () => {
		assert.equal(new Set(ALL_SETTINGS.map((setting) => setting.name)).size, ALL_SETTINGS.length);
	});
});
