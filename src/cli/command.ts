// The command line: `latchkey <command>`. Each command is loaded when it is called, so that none slows another's start.

import { Command } from "commander";
import { VERSION } from "../app/version.ts";
import { StartError } from "../kernel/start-error.ts";

export async function runCommand(argv: readonly string[]): Promise<void> {
	const program = new Command("latchkey")
		.description(
			"Self-hosted authentication and authorization: people, applications and signed partner requests.",
		)
		.version(VERSION)
		.showHelpAfterError();
	program
		.command("serve")
		.description("run the service until SIGTERM or SIGINT; SIGHUP reads the certificate again")
		.action(async () => (await import("./serve.ts")).serve());
	try {
		await program.parseAsync([...argv]);
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		console.error(`latchkey: ${error.message}`);
		process.exitCode = 1;
	}
}
