// The command line: `latchkey <command>`. Each command is loaded when it is called, so that none slows another's start.

import { Command } from "commander";
import { VERSION } from "../app/version.ts";
import { StartError } from "../kernel/start-error.ts";
import type { SignOptions } from "./sign.ts";

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
	program
		.command("sign")
		.description("send a signed request to an open API, or print it as a curl command")
		.argument("<url>", "absolute https URL; path and query are signed exactly as typed")
		.option("-X, --method <method>", "GET unless there is a body, then POST")
		.option("-d, --data <body>", "JSON body; @file reads a file, @- standard input")
		.option("--tenant <id>", "X-Tenant-ID (default: $LK_TENANT_ID)")
		.option("--app <id>", "X-App-ID (default: $LK_APP_ID)")
		.option("--key <api key>", "X-API-Key (default: $LK_API_KEY); the Secret is read from $LK_SECRET only")
		.option("--timestamp <seconds>", "X-Timestamp (default: now)")
		.option("--nonce <text>", "X-Nonce (default: random)")
		.option("--print", "print a curl command instead of sending")
		.option("--explain", "also print the string that is signed")
		.option("-k, --insecure", "accept a self-signed certificate")
		.action(async (url: string, options: SignOptions) =>
			(await import("./sign.ts")).sign(url, options, process.env),
		);
	try {
		await program.parseAsync([...argv]);
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		console.error(`latchkey: ${error.message}`);
		process.exitCode = 1;
	}
}
