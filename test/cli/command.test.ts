import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { runCommand } from "../harness/processes/command.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

const COMMANDS = [
	"serve",
	"migrate",
	"doctor",
	"admin create",
	"admin reset-password",
	"user unlock",
	"user reset",
	"import",
	"move",
	"audit verify",
	"mail test",
	"sign",
] as const;

describe("the command line", () => {
	test("prints its version", async () => {
		const { code, stdout, stderr } = await runCommand(["--version"]);
		assert.deepEqual([code, stdout, stderr], [0, `${version}\n`, ""]);
	});

	test("lists every command, and has help for each", async () => {
		const { code, stdout, stderr } = await runCommand(["--help"]);
		assert.deepEqual([code, stderr], [0, ""]);
		const listed = stdout.slice(stdout.indexOf("Commands:")).match(/^ {2}[a-z]/gm) ?? [];
		assert.ok(listed.length <= 20, `${listed.length} commands`);
		for (const command of COMMANDS) assert.match(stdout, new RegExp(`^ {2}${command.split(" ")[0]} `, "m"));
		for (const command of COMMANDS) {
			const help = await runCommand([...command.split(" "), "--help"]);
			assert.deepEqual([help.code, help.stderr], [0, ""], command);
			assert.match(help.stdout, new RegExp(`^Usage: latchkey ${command}`));
		}
	});

	test("prints the help as an error without a command", async () => {
		const { code, stdout, stderr } = await runCommand([]);
		assert.deepEqual([code, stdout], [2, ""]);
		assert.match(stderr, /^Usage: latchkey/);
	});

	const complaints: readonly (readonly [string, RegExp])[] = [
		["serv", /unknown command 'serv' \(Did you mean serve\?\); see latchkey --help/],
		["serve --prot 1", /unknown option '--prot'; see latchkey serve --help/],
		["serve now", /too many arguments.*; see latchkey serve --help/],
		["admin crate", /unknown command 'crate' \(Did you mean create\?\); see latchkey admin --help/],
		["admin create --username x", /'--email <address>' not specified; see latchkey admin create --help/],
		["admin reset-password", /missing required argument 'user'; see latchkey admin reset-password --help/],
		["sign --nonce", /option '--nonce <text>' argument missing; see latchkey sign --help/],
	];
	for (const [args, line] of complaints) {
		test(`refuses "${args}" in one line`, async () => {
			const { code, stdout, stderr } = await runCommand(args.split(" "));
			assert.match(stderr, line);
			assert.match(stderr, /^latchkey: [^\n]+\n$/);
			assert.deepEqual([code, stdout], [2, ""]);
		});
	}
});
