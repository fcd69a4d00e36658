// How the command line complains: one line that names what is wrong and where to read more.

import { Command } from "commander";
import { AppError } from "../kernel/error.ts";
import { StartError } from "../kernel/start-error.ts";

/** The arguments cannot be understood; `message` is one line with a hint at the right `--help`. */
export class UsageError extends Error {}

/** A commander command whose complaints are thrown as `UsageError` instead of printed over several lines. */
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
 * Runs a command and turns what it throws into one line on standard error and exit status 1. Only a fault of the
 * program itself shows a stack trace.
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
	return text.replaceAll(/\s*\n\s*/g, " ").trim();
}
