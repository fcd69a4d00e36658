// The `users` commands.

import type { CommandLine } from "./command-line.ts";
import { LIMIT, TENANT } from "./daily-options.ts";

const NAME = "username, email address, or id";

export function addUsers(program: CommandLine): void {
	const users = program.command("users").description("list, invite, disable, unlock, and import users");
	users
		.command("list")
		.description("list users, newest first")
		.option("--status <status>", "active, disabled, or another status")
		.option("--role <role>", "only users with this system role")
		.option("--search <text>", "part of the username, email, or display name")
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (options) => (await import("./users.ts")).usersList(options));
	users
		.command("show")
		.description("show one user")
		.argument("<user>", NAME)
		.option(...TENANT)
		.action(async (name, options) => (await import("./users.ts")).usersShow(name, options));
	users
		.command("sessions")
		.description("list the live sessions of a user, newest first")
		.argument("<user>", NAME)
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (name, options) => (await import("./users.ts")).usersSessions(name, options));
	users
		.command("invite")
		.description("invite a user by mail to choose a password; mail another link to an invited user")
		.argument("<email>", "where the link goes")
		.option("--username <name>", "default: the part of the email address before the @")
		.option("--display-name <name>", "the name in mails and pages")
		.option("--locale <tag>", "language of the mails")
		.option("--role <roles...>", "system roles; default: none")
		.option(...TENANT)
		.action(async (email, options) => (await import("./users.ts")).usersInvite(email, options));
	users
		.command("send-reset")
		.description("mail a user the link to set a new password")
		.argument("<user>", NAME)
		.option(...TENANT)
		.action(async (name, options) => (await import("./users.ts")).usersSendReset(name, options));
	users
		.command("disable")
		.description("disable a user and revoke all sessions of the account")
		.argument("<user>", NAME)
		.option(...TENANT)
		.action(async (name, options) => (await import("./users.ts")).usersDisable(name, options));
	users
		.command("enable")
		.description("let a disabled user sign in again")
		.argument("<user>", NAME)
		.option(...TENANT)
		.action(async (name, options) => (await import("./users.ts")).usersEnable(name, options));
	users
		.command("unlock")
		.description("let a user try again after too many wrong passwords or codes")
		.argument("<user>", NAME)
		.option(...TENANT)
		.action(async (name, options) => (await import("./users.ts")).usersUnlock(name, options));
	users
		.command("import")
		.description("import users with their password hashes; safe to repeat")
		.argument(
			"<file>",
			"JSON Lines, or an export of Keycloak, Auth0 or Firebase (docs/commands.md); - standard input",
		)
		.option("--tenant <slug>", "the tenant of the users", "default")
		.option("--format <format>", "latchkey, keycloak, auth0, or firebase; default: detected from the content")
		.option("--hash-config <file>", "the password hash parameters of the Firebase project")
		.option("--dry-run", "check every line and count, write nothing")
		.option("--report <file>", "write refused lines to this file as JSON Lines; default: standard error")
		.action(async (file, options) => (await import("./import-users.ts")).usersImport(file, options));
}
