// The `clients` commands.

import type { CommandLine } from "./command-line.ts";
import { ALLOW, EXPIRES, LIMIT, SCOPE, TENANT } from "./daily-options.ts";

const NAME = "name, API key, or id";

export function addClients(program: CommandLine): void {
	const clients = program
		.command("clients")
		.description("list, create, and rotate API clients, show refused calls");
	clients
		.command("list")
		.description("list API clients, newest first")
		.option("--status <status>", "unclaimed, active, or disabled")
		.option("--app <application>", "only clients of this application, by slug, name, or id")
		.option("--search <text>", "part of the name, or the API key")
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (options) => (await import("./clients.ts")).clientsList(options));
	clients
		.command("show")
		.description("show one API client, without its Secret")
		.argument("<client>", NAME)
		.option(...TENANT)
		.action(async (name, options) => (await import("./clients.ts")).clientsShow(name, options));
	clients
		.command("refusals")
		.description("list the latest refused calls of an API client with the reason, newest first")
		.argument("<client>", NAME)
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (name, options) => (await import("./clients.ts")).clientsRefusals(name, options));
	clients
		.command("create")
		.description("create an API client and print its Secret once")
		.argument("<name>", "at most 200 characters")
		.requiredOption("--app <application>", "slug, name, or id of its application")
		.option(...SCOPE)
		.option(...ALLOW)
		.option(...EXPIRES)
		.option(...TENANT)
		.action(async (name, options) => (await import("./clients.ts")).clientsCreate(name, options));
	clients
		.command("rotate")
		.description("give an API client a new Secret and print it once")
		.argument("<client>", NAME)
		.option("--overlap <seconds>", "how long the old Secret stays valid", "0")
		.option(...TENANT)
		.action(async (name, options) => (await import("./clients.ts")).clientsRotate(name, options));
}
