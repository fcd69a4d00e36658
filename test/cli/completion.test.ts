import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { runCommand } from "../harness/processes/command.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { lastingFolder } from "../harness/runs/folder.ts";

const run = promisify(execFile);

describe("latchkey completion", () => {
	const folder = lastingFolder();
	const script = (shell: string): string => join(folder, shell);
	before(async () => {
		for (const shell of ["bash", "zsh", "fish"]) {
			const { code, stdout, stderr } = await runCommand(["completion", shell]);
			assert.deepEqual([code, stderr], [0, ""]);
			writeFileSync(script(shell), stdout);
		}
	});

	const typed: readonly (readonly [readonly string[], readonly string[]])[] = [
		[["us"], ["user"]],
		[
			["user", ""],
			["unlock", "reset"],
		],
		[["admin", "create", "--em"], ["--email"]],
		[["--json", "keys", "rot"], ["rotate"]],
		[
			["api", "P"],
			["POST", "PUT", "PATCH"],
		],
		[
			["api", "GET", "/us"],
			["/users", "/users/{id}"],
		],
		[["api", "POST", "/users", "-f", "user"], ["username="]],
	];
	for (const [words, expected] of typed) {
		const line = ["latchkey", ...words];
		test(`completes "${line.join(" ")}" in bash`, { skip: skippedWithout("bash") }, async () => {
			const program = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _latchkey; printf '%s\n' "\${COMPREPLY[@]}"`;
			const { stdout } = await run("bash", ["-c", program, script("bash"), ...line]);
			const completed = stdout.trimEnd().split("\n");
			for (const word of expected) assert.ok(completed.includes(word), stdout);
			const last = words.at(-1) ?? "";
			assert.ok(completed.every((word) => word.startsWith(last)));
		});
		test(`completes "${line.join(" ")}" in zsh`, { skip: skippedWithout("zsh") }, async () => {
			const program = `autoload -U compinit; compinit -u -D; source "$0"
[[ $_comps[latchkey] == _latchkey ]] || exit 9
compadd() { shift; print -l -- "$@"; }
words=("$@"); CURRENT=$#; _latchkey`;
			const { stdout } = await run("zsh", ["-fc", program, script("zsh"), ...line]);
			const completed = stdout.trimEnd().split("\n");
			for (const word of expected) assert.ok(completed.includes(word), stdout);
		});
	}

	test("names commands and options in fish", async () => {
		const { stdout } = await runCommand(["completion", "fish"]);
		assert.match(
			stdout,
			/^complete -c latchkey -f -n "__fish_seen_subcommand_from user; and not .*" -a 'unlock' -d '/m,
		);
		assert.match(stdout, /^complete -c latchkey .*-l email$/m);
	});

	test("refuses an unknown shell", async () => {
		const { code, stderr } = await runCommand(["completion", "tcsh"]);
		assert.deepEqual([code, stderr], [2, "latchkey: the shell must be one of bash, zsh, fish\n"]);
	});
});
