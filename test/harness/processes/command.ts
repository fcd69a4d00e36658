// Runs CLI commands in the process of the test. `program.ts` starts the real executable instead.

import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { runCommand as runOnHost } from "../../../src/cli/command.ts";
import { type Exit, exitOf } from "./program.ts";

export interface CommandOptions {
	/** The complete environment of the command. */
	readonly env?: Readonly<Record<string, string>>;
	/** Working directory; applies to the whole process while the command runs. */
	readonly cwd?: string;
	/** Standard input; closed afterwards. */
	readonly input?: string | Buffer;
	/** Treats standard output and standard error as a terminal, so that the command prints progress and secrets. */
	readonly onTerminal?: boolean;
}

let isRunning = false;

/**
 * Runs `latchkey <args>` until it exits. Signals never reach the command.
 *
 * @throws Error while another command runs: concurrent commands need processes.
 */
export async function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Exit> {
	if (isRunning) throw new Error("another command runs in this process: use runProgram");
	const { env = {}, cwd = process.cwd(), input, onTerminal = false } = options;
	const stdout = new Capture(onTerminal);
	const stderr = new Capture(onTerminal);
	const host = Object.assign(new EventEmitter(), {
		env,
		stdin: Readable.from(input === undefined ? [] : [Buffer.from(input)]),
		stdout,
		stderr,
		exitCode: 0,
	});
	const earlierFolder = process.cwd();
	isRunning = true;
	process.chdir(cwd);
	try {
		await runOnHost([process.execPath, "latchkey", ...args], host);
	} finally {
		process.chdir(earlierFolder);
		isRunning = false;
	}
	return exitOf({ code: host.exitCode, signal: null, stdout: stdout.text, stderr: stderr.text });
}

class Capture extends Writable {
	text = "";
	readonly isTTY: boolean;

	constructor(isTTY = false) {
		super({ decodeStrings: false });
		this.isTTY = isTTY;
	}

	override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
		this.text += chunk.toString();
		done();
	}
}
