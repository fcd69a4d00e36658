// The `programs` commands.

import type { CommandLine } from "./command-line.ts";
import { EXPIRES, LIMIT, TENANT } from "./daily-options.ts";

const NAME = "name, host, URL, or id";

export function addPrograms(program: CommandLine): void {
	const programs = program
		.command("programs")
		.description("manage reviewed programs, decide requests for programs");
	programs
		.command("list")
		.description("list reviewed programs, newest first")
		.option("--status <status>", "active or suspended")
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (options) => (await import("./programs.ts")).programsList(options));
	programs
		.command("show")
		.description("show a program with its reviewed document, and how the published one differs")
		.argument("<program>", NAME)
		.option(...TENANT)
		.action(async (name, options) => (await import("./programs.ts")).programsShow(name, options));
	programs
		.command("suspend")
		.description("suspend a program: it gets no codes and no tokens until an administrator activates it")
		.argument("<program>", NAME)
		.option(...TENANT)
		.action(async (name, options) =>
			(await import("./programs.ts")).programsSetStatus(name, "suspended", options),
		);
	programs
		.command("activate")
		.description("end the suspension of a program")
		.argument("<program>", NAME)
		.option(...TENANT)
		.action(async (name, options) =>
			(await import("./programs.ts")).programsSetStatus(name, "active", options),
		);
	programs
		.command("read-again")
		.description("have the running service read the document of a program within a minute")
		.argument("<program>", NAME)
		.option(...TENANT)
		.action(async (name, options) => (await import("./programs.ts")).programsReadAgain(name, options));
	addProgramRequests(programs);
}

function addProgramRequests(programs: CommandLine): void {
	const requests = programs.command("requests").description("list, show, and decide requests for programs");
	requests
		.command("list")
		.description("list requests for programs, newest first")
		.option("--status <status>", "pending, approved, rejected, withdrawn, or all", "pending")
		.option("--search <text>", "part of the URL")
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (options) => (await import("./programs.ts")).programRequestsList(options));
	requests
		.command("show")
		.description("show a request with the document as it was read, its digest, and how it differs")
		.argument("<request>", NAME)
		.option(...TENANT)
		.action(async (name, options) => (await import("./programs.ts")).programRequestsShow(name, options));
	requests
		.command("approve")
		.description("approve a request: pin the document and mail the people who asked")
		.argument("<request>", NAME)
		.option(
			"--api <urls...>",
			"APIs that it may get tokens for; default: those that it requested or may use already",
		)
		.option("--policy <policy>", "open or assigned; default of a new program: open")
		.option(...EXPIRES)
		.option("--note <text>", "included in the mail")
		.option("--digest <digest>", "document_digest of show: fails if the document has changed since")
		.option(...TENANT)
		.action(async (name, options) => (await import("./programs.ts")).programRequestsApprove(name, options));
	requests
		.command("reject")
		.description("reject a request and mail the reason; of a change, keep what was reviewed")
		.argument("<request>", NAME)
		.requiredOption("--note <text>", "the reason, included in the mail")
		.option(...TENANT)
		.action(async (name, options) => (await import("./programs.ts")).programRequestsReject(name, options));
}
