// The commands of daily work: `users`, `requests`, `clients`, `gates`, `programs`, `mail`, `stats`. Names and addresses
// are enough: no id has to be typed.

import { addClients } from "./client-commands.ts";
import type { CommandLine } from "./command-line.ts";
import { ALLOW, EXPIRES, LIMIT, SCOPE, TENANT } from "./daily-options.ts";
import { addGates } from "./gate-commands.ts";
import { addPrograms } from "./program-commands.ts";
import { addUsers } from "./user-commands.ts";

export function addDailyWork(program: CommandLine): void {
	addUsers(program);
	addRequests(program);
	addClients(program);
	addGates(program);
	addPrograms(program);
	addMail(program);
	addStats(program);
}

const NAME = "email address of the applicant, name of the project, or id";

function addRequests(program: CommandLine): void {
	const requests = program.command("requests").description("list, show, and decide access requests");
	requests
		.command("list")
		.description("list access requests, newest first")
		.option("--status <status>", "pending, approved, rejected, withdrawn, or all", "pending")
		.option("--search <text>", "part of the applicant, email, company, or project")
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (options) => (await import("./requests.ts")).requestsList(options));
	requests
		.command("show")
		.description("show one access request with its purpose")
		.argument("<request>", NAME)
		.option(...TENANT)
		.action(async (name, options) => (await import("./requests.ts")).requestsShow(name, options));
	requests
		.command("approve")
		.description("approve a request: create the API client and mail the applicant a link to claim it")
		.argument("<request>", NAME)
		.option("--note <text>", "included in the mail")
		.option("--app <application>", "slug, name, or id; default: a new application named after the project")
		.option(...SCOPE)
		.option(...ALLOW)
		.option(...EXPIRES)
		.option(...TENANT)
		.action(async (name, options) => (await import("./requests.ts")).requestsApprove(name, options));
	requests
		.command("reject")
		.description("reject a request and mail the applicant the reason")
		.argument("<request>", NAME)
		.requiredOption("--note <text>", "the reason, included in the mail")
		.option(...TENANT)
		.action(async (name, options) => (await import("./requests.ts")).requestsReject(name, options));
	requests
		.command("resend")
		.description("mail the applicant of an approved request another link to claim the client")
		.argument("<request>", NAME)
		.option(...TENANT)
		.action(async (name, options) => (await import("./requests.ts")).requestsResend(name, options));
}

function addMail(program: CommandLine): void {
	const mail = program.command("mail").description("check outgoing mail, list mails, and resend them");
	mail
		.command("test")
		.description("send one mail through the configured mail server and print its response")
		.argument("<address>", "one plain email address")
		.option("--language <tag>", "the language of the mail", "en")
		.action(async (address, options) => (await import("./mail.ts")).mailTest(address, options));
	mail
		.command("list")
		.description("list mails without their content, newest first")
		.option("--state <state>", "waiting, sent, or failed")
		.option("--to <address>", "only mails to this address")
		.option(...LIMIT)
		.option(...TENANT)
		.action(async (options) => (await import("./mail.ts")).mailList(options));
	mail
		.command("resend")
		.description("resend a failed mail, or send a waiting one now")
		.argument("<mail>", "id, or the email address of the one unsent mail")
		.option(...TENANT)
		.action(async (name, options) => (await import("./mail.ts")).mailResend(name, options));
}

function addStats(program: CommandLine): void {
	program
		.command("stats")
		.description("count sign-ins, signed calls, and refusals of a tenant by hour or day")
		.option("--step <step>", "hour or day", "hour")
		.option("--from <time>", "ISO 8601 with a zone; default: 24 hours ago, 30 days with --step day")
		.option("--to <time>", "ISO 8601 with a zone; default: now")
		.option(...TENANT)
		.action(async (options) => (await import("./stats.ts")).stats(options));
}
