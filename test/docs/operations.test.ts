import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { RESTORE_POLICY } from "../../src/adapters/sql/restore-policy.ts";
import { ALL_SETTINGS } from "../../src/config/settings.ts";
import { runProgram } from "../harness/program.ts";
import { startTestService, type TestService } from "../harness/service.ts";
import { allDocuments, bare, readDocument, sections, tableRows } from "./document.ts";

const SHOWN_AS_A_MISTAKE = "LATCHKEY_PROT";
const operations = sections(readDocument("docs/operations.md"));

/** The commands the program itself tells of, each as it is typed. */
async function commandsOf(words: readonly string[]): Promise<string[]> {
	const { stdout } = await runProgram([...words, "--help"]);
	const listed = /^Commands:\n(.*?)(?:\n\n|$(?![\s\S]))/ms.exec(stdout)?.[1] ?? "";
	const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name as string);
	const own = names.filter((name) => name !== "help");
	if (own.length === 0) return [["latchkey", ...words].join(" ")];
	return (await Promise.all(own.map((name) => commandsOf([...words, name])))).flat();
}

describe("docs/operations.md", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService({ metrics: true });
	});
	after(() => service.stop());

	it("has every command of the program, and no other", async () => {
		const documented = tableRows(operations.get("Commands") ?? "").map(([command]) => bare(command ?? ""));
		assert.deepEqual(documented.sort(), (await commandsOf([])).sort());
	});

	it("tells of every line a backup and a restore can print about what is void", () => {
		const restore = operations.get("Restore") ?? "";
		for (const { told, mends = [] } of Object.values(RESTORE_POLICY))
			for (const what of [told ?? "", ...mends.map((mend) => mend.told)]) {
				const [thing = ""] = what.split(/ (?:of|void|given up|ended|whose)\b/);
				assert.ok(restore.toLowerCase().includes(thing), what);
			}
	});

	it("has every metric of ours, and no other", async () => {
		const answer = await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`);
		const text = await answer.text();
		const served = [...text.matchAll(/^# TYPE (latchkey_\w+) /gm)].map(([, name]) => name as string);
		const documented = tableRows(operations.get("Metrics") ?? "").map(([name]) => bare(name ?? ""));
		assert.ok(served.length > 10);
		assert.deepEqual(documented.sort(), served.sort());
	});
});

describe("what the documents tell people to type", () => {
	const scripts = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).scripts;
	const settings = new Set(ALL_SETTINGS.map(({ name }) => name));
	let commands: string[];
	before(async () => {
		commands = await commandsOf([]);
	});

	for (const path of allDocuments()) {
		it(`exists: ${path}`, () => {
			const text = readDocument(path);
			for (const [, name = ""] of text.matchAll(/\bnpm run ([a-z][a-z:-]*)/g))
				assert.ok(name in scripts, `npm run ${name}`);
			for (const [, name = ""] of text.matchAll(/\bnpm (start|test)\b/g)) assert.ok(name in scripts, name);
			for (const [name] of text.matchAll(/\bLATCHKEY_[A-Z_]*[A-Z]/g))
				assert.ok(settings.has(name) || name === SHOWN_AS_A_MISTAKE, name);
			for (const [typed, words = ""] of text.matchAll(/\bnpx latchkey ([a-z][a-z -]*[a-z])/g)) {
				const known = commands.some((command) => `latchkey ${words} `.startsWith(`${command} `));
				assert.ok(known, typed);
			}
		});
	}
});
