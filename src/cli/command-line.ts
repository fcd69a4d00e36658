// How the command line reports errors: one line with the problem and the help to read.

import { Command } from "commander";
import { AppError } from "../kernel/error.ts";
import { StartError, usageError } from "../kernel/start-error.ts";
import { EXIT_STATUS, problemOf, setExitStatus } from "./exit-status.ts";
import { hostConsole } from "./host.ts";
import { printError } from "./output.ts";

/** A commander command that throws its errors as `StartError` of kind `usage` instead of printing them. */
export class CommandLine extends Command {
	override createCommand(name?: string): CommandLine {
		return new CommandLine(name);
	}

	override error(message: string): never {
		const problem = oneLine(message.replace(/^error: /, ""));
		throw usageError(`${problem}; see ${this.#fullName()} --help`);
	}

	#fullName(): string {
		const names: string[] = [];
		for (let command: Command | null = this; command !== null; command = command.parent)
			names.unshift(command.name());
		return names.join(" ");
	}
}

/**
 * Runs a command. An error is printed as one line on standard error and sets the exit status of its kind. Only a bug
 * prints a stack trace.
 */
export async function reportErrors(run: () => Promise<unknown>): Promise<void> {
	try {
		await run();
	} catch (error) {
		const problem = problemOf(error);
		setExitStatus(problem);
		if (error instanceof StartError || error instanceof AppError)
			printError(
				error instanceof StartError ? error.code : problem,
				oneLine(error.message),
				EXIT_STATUS[problem],
			);
		else hostConsole().error("latchkey: this is a bug:", error);
	}
}

function oneLine(text: string): string {
	return text
		.split("\n")
		.map((line) => line.trim())
		.join(" ")
		.trim();
}
