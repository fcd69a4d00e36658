// How the command line reports errors: one line that names the problem and the help to read.

import { Command } from "commander";
import { AppError } from "../kernel/error.ts";
import { StartError } from "../kernel/start-error.ts";

/** The arguments are wrong; `message` is one line that ends with the `--help` to read. */
export class UsageError extends Error {}

/** A commander command that throws its errors as `UsageError` instead of printing several lines. */
export class CommandLine extends Command {
	override createCommand(name?: string): CommandLine {
		return new CommandLine(name);
	}

	override error(message: string): never {
		throw new UsageError(`${oneLine(message.replace(/^error: /, ""))}; see ${this.#fullName()} --help`);
	}

	#fullName(): string {
		const names: string[] = [];
		for (let command: Command | null = this; command !== null; command = command.parent)
			names.unshift(command.name());
		return names.join(" ");
	}
}

/**
 * Runs a command. An error becomes one line on standard error and exit status 1; only a fault of the program prints a
 * stack trace.
 */
export async function reportErrors(run: () => Promise<unknown>): Promise<void> {
	try {
		await run();
	} catch (error) {
		process.exitCode = 1;
		if (error instanceof UsageError || error instanceof StartError || error instanceof AppError)
			console.error(`latchkey: ${oneLine(error.message)}`);
		else console.error("latchkey: this is a fault of the program:", error);
	}
}

function oneLine(text: string): string {
	return text
		.split("\n")
		.map((line) => line.trim())
		.join(" ")
		.trim();
}
