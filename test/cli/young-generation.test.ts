import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ownSettings, type ProgramOptions, startProgram } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";

/** Prints the process id and the options for V8 at each start. */
const REPORT = `
const options = [process.env.NODE_OPTIONS, ...process.execArgv.filter((option) => option.startsWith("--max"))].filter(Boolean);
process.stderr.write("started: " + process.pid + " " + options.join(" ") + "\\n");
`;

const IMPORTED = `data:text/javascript,${encodeURIComponent(REPORT)}`;

/** @returns the V8 options of each start of the process. */
function optionsOf(settings: Readonly<Record<string, string>>, ...own: string[]): Promise<string[]> {
	return startsOf(settings, { nodeOptions: ["--import", IMPORTED, ...own] });
}

async function startsOf(
	settings: Readonly<Record<string, string>>,
	options: ProgramOptions,
): Promise<string[]> {
	using folder = temporaryFolder();
	const env = { ...(await ownSettings(folder.path)), ...settings };
	const program = await startProgram({ ...options, env });
	program.kill("SIGTERM");
	const { code, stderr } = await program.exited;
	assert.equal(code, 0, stderr);
	const starts = [...stderr.matchAll(/^started: (\d+) (.*)$/gm)];
	assert.equal(new Set(starts.map(([, pid]) => pid)).size, 1);
	return starts.map(([, , options = ""]) => options);
}

/** Windows cannot replace a process. */
const RESTARTED = process.platform === "win32" ? [] : ["--no-warnings --max-semi-space-size=8"];

describe("the young generation of the heap of a service", () => {
	test("is limited by restarting the process once under the same id", async () => {
		const starts = await optionsOf({ NODE_OPTIONS: "--no-warnings" });
		assert.deepEqual(starts, ["--no-warnings", ...RESTARTED]);
	});

	test("is given by the launcher, which needs no second start", {
		skip: process.platform === "win32",
	}, async () => {
		const launcher = { node: "/bin/sh", entry: join(import.meta.dirname, "../../bin/latchkey") };
		const [limited, ...others] = await startsOf({ NODE_OPTIONS: `--import ${IMPORTED}` }, launcher);
		assert.match(limited ?? "", / --max-semi-space-size=8$/);
		assert.deepEqual(others, []);
		const own = `--max-semi-space-size=32 --import ${IMPORTED}`;
		assert.deepEqual(await startsOf({ NODE_OPTIONS: own }, launcher), [own]);
	});

	test("keeps the limit of an operator", async () => {
		const [inSettings, onCommandLine] = ["--max-semi-space-size=32", "--max_semi_space_size=32"];
		assert.deepEqual(await optionsOf({ NODE_OPTIONS: inSettings }), [inSettings]);
		assert.deepEqual(await optionsOf({}, onCommandLine), [onCommandLine]);
	});
});
