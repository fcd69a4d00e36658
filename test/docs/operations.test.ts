import assert from "node:assert/strict";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { RESTORE_POLICY } from "../../src/adapters/copy/restore-policy.ts";
import { ADMIN_KEY_VARIABLE, ALL_SETTINGS, SECRET_FILES } from "../../src/config/settings.ts";
import { LOG_FIELDS } from "../../src/kernel/log.ts";
import { runCommand } from "../harness/processes/command.ts";
import { testService } from "../harness/runs/fixture.ts";
import { allDocuments, bare, readDocument, sections, tableRows } from "./document.ts";

const SHOWN_AS_A_MISTAKE = "LATCHKEY_PROT";
/** A command in backquotes, after a prompt, or by its path. */
const TYPED = /(?:`|\$ |&& |[ =]\/usr\/local\/bin\/|\bbin\/|--no -- )latchkey (?!<)([a-z][a-z -]*[a-z])/g;
const monitoring = sections(readDocument("docs/monitoring.md"));

/** The commands in the help of the program, as typed. */
async function commandsOf(words: readonly string[]): Promise<string[]> {
	const { stdout } = await runCommand([...words, "--help"]);
	const listed = /^Commands:\n(.*?)(?:\n\n|$(?![\s\S]))/ms.exec(stdout)?.[1] ?? "";
	const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name as string);
	const own = names.filter((name) => name !== "help");
	if (own.length === 0) return [["latchkey", ...words].join(" ")];
	const found: string[] = [];
	for (const name of own) found.push(...(await commandsOf([...words, name])));
	return found;
}

describe("the pages for operators", () => {
	const service = testService({ metrics: true });

	it("list every command in commands.md, and no other", async () => {
		const documented = tableRows(sections(readDocument("docs/commands.md")).get("Commands") ?? "").map(
			([command]) => bare(command ?? ""),
		);
		assert.deepEqual(documented.sort(), (await commandsOf([])).sort());
	});

	it("explain every line of a restore report in backup-and-restore.md", () => {
		const restore = sections(readDocument("docs/backup-and-restore.md")).get("Restore") ?? "";
		for (const { description, repairs = [] } of Object.values(RESTORE_POLICY))
			for (const what of [description ?? "", ...repairs.map((repair) => repair.description)]) {
				const [thing = ""] = what.split(/ (?:of|invalidated|abandoned|revoked|whose)\b/);
				assert.ok(restore.toLowerCase().includes(thing), what);
			}
	});

	it("list every metric of the service in monitoring.md, and no other", async () => {
		const response = await fetch(`http://127.0.0.1:${service.metricsPort}/metrics`);
		const text = await response.text();
		const served = [...text.matchAll(/^# TYPE (latchkey_\w+) /gm)].map(([, name]) => name as string);
		const documented = tableRows(monitoring.get("Metrics") ?? "").map(([name]) => bare(name ?? ""));
		assert.ok(served.length > 10);
		assert.deepEqual(documented.sort(), served.sort());
	});
});

describe("the fields of log lines", () => {
	it("are those of docs/monitoring.md, in its order", () => {
		const table = (monitoring.get("Logs") ?? "").split("| Field | What |")[1]?.split("\n\n", 1)[0] ?? "";
		const documented = tableRows(`| Field | What |${table}`).flatMap(([names = ""]) =>
			names.split(", ").map(bare),
		);
		assert.deepEqual(documented, [...LOG_FIELDS]);
	});

	it("are all written by some line", () => {
		const sources = globSync("src/**/*.ts", { exclude: ["**/*.test.ts", "src/kernel/log.ts"] });
		const texts = sources.map((path) => readFileSync(path, "utf8"));
		const writing = texts.filter((text) => /\blog(?:ger)?(?:\?)?[.[]/.test(text)).join("\n");
		const unused = LOG_FIELDS.filter((name) => !new RegExp(`\\b${name}\\b[:,} ]`).test(writing));
		assert.deepEqual(unused, []);
	});
});

describe("npx", () => {
	/** Sources and shipped files, without tests. */
	function filesIn(folder: string): string[] {
		return readdirSync(new URL(`../../${folder}/`, import.meta.url), { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile() && !entry.name.includes(".test."))
			.map(({ parentPath, name }) => join(parentPath, name));
	}

	it("never names a command that may fetch a package", () => {
		const paths = allDocuments().filter((path) => !path.startsWith("docs/decisions/"));
		const documents = paths.map((path) => [path, readDocument(path)] as const);
		const files = ["src", "deploy", "bin"].flatMap(filesIn);
		const texts = [...documents, ...files.map((path) => [path, readFileSync(path, "utf8")] as const)];
		const fetching = texts.filter(([, text]) => /\bnpx (?!--no -- )/.test(text)).map(([path]) => path);
		assert.deepEqual(fetching, []);
	});
});

describe("the commands of the documents", () => {
	const scripts = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).scripts;
	const settings = new Set([
		...ALL_SETTINGS.map(({ name }) => name),
		...SECRET_FILES.keys(),
		ADMIN_KEY_VARIABLE,
	]);
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
			for (const [typed, words = ""] of text.matchAll(TYPED)) {
				const known = commands.some((command) => `latchkey ${words} `.startsWith(`${command} `));
				assert.ok(known, typed);
			}
		});
	}
});
