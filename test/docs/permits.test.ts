// The rule for wildcards in claims: the programs of the documents decide like the service.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";
import { filesIn } from "../../scripts/pages/guide-code.ts";
import { permits } from "../../src/domain/access.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";

const NAMES = [
	"*",
	"orders",
	"orders:",
	"orders:*",
	"orders:read",
	"orders:read:*",
	"orders:read:all",
	"order:*",
	"*:read",
];
const PAIRS = NAMES.flatMap((held) => NAMES.map((needed) => [held, needed] as const));
const EXPECTED = PAIRS.map(([held, needed]) => permits(held, needed));

const filesOf = (name: string) =>
	filesIn(readFileSync(resolve(import.meta.dirname, "../../docs", name), "utf8"));
const OPENID = filesOf("openid.md");
const GUIDE = filesOf("protect-your-application.md");

/** The definition in a program, from its first line to the line that `end` matches. */
function definition(code: string | undefined, start: string, end: RegExp): string {
	const from = code?.indexOf(start) ?? -1;
	assert.notEqual(from, -1, start);
	const text = `${code?.slice(from)}\n`;
	const [found] = end.exec(text) ?? [];
	assert.ok(found);
	return text.slice(0, text.indexOf(found) + found.length);
}

/** No command: skip, except in continuous integration. */
function without(command: string, argument: string): false | string {
	if (process.env.CI !== undefined) return false;
	try {
		execFileSync(command, [argument], { stdio: "ignore" });
		return false;
	} catch {
		return `no ${command}`;
	}
}

describe("permits", () => {
	for (const [file, code] of [
		["permits.mjs", OPENID["permits.mjs"]],
		["express.mjs", GUIDE["express.mjs"]],
		["fastify.mjs", GUIDE["fastify.mjs"]],
		["app/orders/page.tsx", GUIDE["app/orders/page.tsx"]],
	] as const)
		it(`decides in ${file} like the service`, async () => {
			const text = definition(code, "const permits", /\);\n/).replace(
				"held: string[], needed: string",
				"held, needed",
			);
			const url = `data:text/javascript,${encodeURIComponent(`export ${text}`)}`;
			const loaded = (await import(url)) as { permits(held: readonly string[], needed: string): boolean };
			assert.deepEqual(
				PAIRS.map(([held, needed]) => loaded.permits(["none", held], needed)),
				EXPECTED,
			);
			assert.equal(loaded.permits([], "orders:read"), false);
		});

	it("decides in protected.py like the service", { skip: without("python3", "--version") }, () => {
		const text = definition(GUIDE["protected.py"], "def permits", /\n {4}\)\n/);
		const program = `import json\n${text}\nprint(json.dumps([permits(["none", h], n) for h, n in json.loads('${JSON.stringify(PAIRS)}')]))`;
		const printed = execFileSync("python3", ["-c", program], { encoding: "utf8" });
		assert.deepEqual(JSON.parse(printed), EXPECTED);
	});

	it("decides in SecurityConfiguration.java like the service", { skip: without("java", "--version") }, () => {
		const text = definition(GUIDE["SecurityConfiguration.java"], "static boolean permits", /\n {4}\}\n/);
		const calls = PAIRS.map(([held, needed]) => `System.out.println(permits("${held}", "${needed}"));`);
		using folder = temporaryFolder();
		const file = join(folder.path, "Permits.java");
		writeFileSync(
			file,
			`class Permits { ${text} public static void main(String[] a) { ${calls.join("")} } }`,
		);
		const printed = execFileSync("java", [file], { encoding: "utf8" });
		assert.deepEqual(printed.trim().split("\n"), EXPECTED.map(String));
	});
});
