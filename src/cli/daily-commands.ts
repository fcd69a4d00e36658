// The commands of daily work: `users`, `requests`, `clients`, `mail`. Names and addresses are enough: no id has to be typed.

import type { CommandLine } from "./command-line.ts";

export const TENANT = ["--tenant <slug>", "the tenant it belongs to", "default"] as const;
const LIMIT = ["--limit <number>", "how many to print at most", "100"] as const;
const SCOPE = ["--scope <scopes...>", "what the client may call; default: all reading scopes"] as const;
const ALLOW = ["--allow <addresses...>", "addresses and CIDRs it may call from; default: any"] as const;
const EXPIRES = ["--expires <time>", "ISO 8601 with a zone; default: never"] as const;

export function addDailyWork(program: CommandLine): void {
	addUsers(program);
	addRequests(program);
	addClients(program);
	addMail(program);
}

function addUsers(program: CommandLine): void {
	const users = program.command("users").description("list, disable, unlock and import users");
	users
		.command("list")
		.description("list users, newest first")
		.option("--status <status>", "active, disabled or another status")
		.option("--role <role>", "only users with this system role")
		.option("--search <text>", "a part of username, e-mail or display name")
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (options) => (await import("./users.ts")).usersList(options));
	users
		.command("show")
		.description("show one user")
		.argument("<user>", "username, e-mail address or id")
		.option(...TENANT)
		.action(async (name, options) => (await import("./users.ts")).usersShow(name, options));
	users
		.command("disable")
		.description("disable a user and end all sessions of the account")
		.argument("<user>", "username, e-mail address or id")
		.option(...TENANT)
		.action(async (name, options) => (await import("./users.ts")).usersDisable(name, options));
	users
		.command("unlock")
		.description("let a user try again after too many wrong passwords or codes")
		.argument("<user>", "username, e-mail address or id")
		.option(...TENANT)
		.action(async (name, options) => (await import("./users.ts")).usersUnlock(name, options));
	users
		.command("import")
		.description("import users from JSON Lines, with their bcrypt hashes; safe to run again")
		.argument("<file>", "one JSON object a line (docs/operations.md); - standard input")
		.option("--tenant <slug>", "the tenant they belong to", "default")
		.option("--report <file>", "write refused lines there as JSON Lines; default: standard error")
		.action(async (file, options) => (await import("./import-users.ts")).usersImport(file, options));
}

function addRequests(program: CommandLine): void {
	const requests = program.command("requests").description("list and decide access requests");
	requests
		.command("list")
		.description("list access requests, newest first")
		.option("--status <status>", "pending, approved, rejected, withdrawn or all", "pending")
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (options) => (await import("./requests.ts")).requestsList(options));
	requests
		.command("approve")
		.description("approve a request: makes the API client and mails the applicant a link to claim it")
		.argument("<request>", "e-mail address of the applicant, name of the project, or id")
		.option("--note <text>", "goes into the mail")
		.option("--app <application>", "slug, name or id; default: a new application named after the project")
		.option(...SCOPE)
		.option(...ALLOW)
		.option(...EXPIRES)
		.option(...TENANT)
		.action(async (name, options) => (await import("./requests.ts")).requestsApprove(name, options));
	requests
		.command("reject")
		.description("reject a request and mail the applicant the reason")
		.argument("<request>", "e-mail address of the applicant, name of the project, or id")
		.requiredOption("--note <text>", "the reason, which goes into the mail")
		.option(...TENANT)
		.action(async (name, options) => (await import("./requests.ts")).requestsReject(name, options));
}

function addClients(program: CommandLine): void {
	const clients = program.command("clients").description("list, create and rotate API clients");
	clients
		.command("list")
		.description("list API clients, newest first")
		.option("--status <status>", "unclaimed, active or disabled")
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (options) => (await import("./clients.ts")).clientsList(options));
	clients
		.command("show")
		.description("show one API client, without its Secret")
		.argument("<client>", "name, API key or id")
		.option(...TENANT)
		.action(async (name, options) => (await import("./clients.ts")).clientsShow(name, options));
	clients
		.command("create")
		.description("create an API client and print its Secret, once")
		.argument("<name>", "at most 200 characters")
		.requiredOption("--app <application>", "slug, name or id of its application")
		.option(...SCOPE)
		.option(...ALLOW)
		.option(...EXPIRES)
		.option(...TENANT)
		.action(async (name, options) => (await import("./clients.ts")).clientsCreate(name, options));
	clients
		.command("rotate")
		.description("give an API client a new Secret and print it, once")
		.argument("<client>", "name, API key or id")
		.option("--overlap <seconds>", "how long the old Secret stays valid", "0")
		.option(...TENANT)
		.action(async (name, options) => (await import("./clients.ts")).clientsRotate(name, options));
}

function addMail(program: CommandLine): void {
	const mail = program.command("mail").description("check the outgoing mail, list mails and send them again");
	mail
		.command("test")
		.description("send one mail through the configured mail server and print its answer")
		.argument("<address>", "one plain e-mail address")
		.option("--language <tag>", "the language of the mail", "en")
		.action(async (address, options) => (await import("./mail.ts")).mailTest(address, options));
	mail
		.command("list")
		.description("list mails without their content, newest first")
		.option("--state <state>", "waiting, sent or failed")
		.option("--to <address>", "only mails to this address")
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (options) => (await import("./mail.ts")).mailList(options));
	mail
		.command("resend")
		.description("send a failed mail again, or a waiting one now")
		.argument("<mail>", "id, or the address of the one mail that was not sent")
		.option(...TENANT)
		.action(async (name, options) => (await import("./mail.ts")).mailResend(name, options));
}
