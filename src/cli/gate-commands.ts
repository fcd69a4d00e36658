// The `gates` commands.

import type { CommandLine } from "./command-line.ts";
import { LIMIT, TENANT } from "./daily-options.ts";

const APPLICATION = "slug, name, or id of the application";

export function addGates(program: CommandLine): void {
	const gates = program.command("gates").description("list and show gates, explain their decisions");
	gates
		.command("list")
		.description("list gates, newest first")
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (options) => (await import("./gates.ts")).gatesList(options));
	gates
		.command("show")
		.description("show the gate of an application with its rules, without its key")
		.argument("<application>", APPLICATION)
		.option(...TENANT)
		.action(async (name, options) => (await import("./gates.ts")).gatesShow(name, options));
	gates
		.command("explain")
		.description("print the decision of a gate for a request, and the rule that applies")
		.argument("<application>", APPLICATION)
		.argument("<method>", "such as GET")
		.argument("<target>", "path and query, such as /orders/17")
		.option("--caller <caller>", "partner:, person:, or program: with a name; default: an anonymous caller")
		.option(...TENANT)
		.action(async (name, method, target, options) =>
			(await import("./gates.ts")).gatesExplain(name, method, target, options),
		);
}
