// The command line: `latchkey <command>`. Each command is loaded when it runs, so that the others start fast.
// Commander passes untyped arguments and options; the function of a command states their types.

import { type Command, CommanderError, Option } from "commander";
import { VERSION } from "../app/version.ts";
import { CommandLine, reportErrors } from "./command-line.ts";
import { setExitStatus } from "./exit-status.ts";
import { type Host, hostConsole, setHost } from "./host.ts";
import { setOutputMode } from "./output.ts";
import { listenForStop } from "./process-events.ts";

/** Sets the exit status (`exit-status.ts`) of the host and prints an error as one line on standard error. */
export async function runCommand(argv: readonly string[], host: Host = process): Promise<void> {
	setHost(host);
	setOutputMode({});
	const program = new CommandLine("latchkey")
		.description(
			"Self-hosted authentication and authorization: users, applications, and signed partner requests.",
		)
		.version(VERSION)
		.option("--json", "print one JSON object per line instead of text, errors included")
		.option("--quiet", "print only results and errors: no confirmations, remarks, or progress")
		.configureHelp({ showGlobalOptions: true })
		.helpCommand(false)
		.exitOverride()
		.configureOutput({
			writeOut: (text) => host.stdout.write(text),
			writeErr: (text) => host.stderr.write(text),
		})
		.addHelpText("after", "\nSettings are LATCHKEY_* variables: docs/configuration.md lists them.");
	addService(program);
	addApi(program);
	addConfig(program);
	addAccounts(program);
	addImport(program);
	addAudit(program);
	addKeys(program);
	addBackup(program);
	addFence(program);
	addMail(program);
	addSign(program);
	addCompletion(program);
	await reportErrors(async () => {
		try {
			// Commander parses the program's options first, wherever they are, so errors of commands respect them.
			program.on("option:json", () => setOutputMode(program.opts()));
			program.on("option:quiet", () => setOutputMode(program.opts()));
			await program.parseAsync([...argv]);
		} catch (error) {
			// Commander throws instead of exiting after --help and --version, and after printing help for a missing command.
			if (!(error instanceof CommanderError)) throw error;
			setExitStatus(error.exitCode === 0 ? "done" : "usage");
		}
	});
}

function addService(program: CommandLine): void {
	program
		.command("serve")
		.description("run the service until SIGTERM or SIGINT; SIGHUP reloads certificates and webhook networks")
		.option("--new", "create a database although the data directory held one, and its file is gone")
		.action(async (options) => {
			const stop = listenForStop();
			await (await import("./serve.ts")).serve(stop, options);
		});
	program
		.command("demo")
		.description(
			"try it: a temporary service with example data, an application that signs in, and an API behind a gate",
		)
		.action(async () => {
			const stop = listenForStop();
			await (await import("./demo.ts")).demo(stop);
		});
	program
		.command("migrate")
		.description("update the database schema while the service is stopped; a start does it automatically")
		.action(async () => (await import("./migrate.ts")).migrate());
	program
		.command("move")
		.description("copy a whole embedded installation to PostgreSQL while the service is stopped")
		.requiredOption("--from <place>", "sqlite:<its latchkey.db or directory>")
		.option("--to <url>", "an empty database: postgres://… (default: $LATCHKEY_DATABASE_URL)")
		.action(async (options) => (await import("./move.ts")).move(options));
	program
		.command("doctor")
		.description("check settings, files, database, certificate, ports, Redis, and mail; changes nothing")
		.option("--skip-integrity", "do not read the whole embedded database, which takes seconds per gigabyte")
		.action(async (options) => (await import("./doctor.ts")).doctor(options));
	program
		.command("health")
		.description("check the health of the running service with these settings; exit status 0 when healthy")
		.option("--live", "accept any response: checks that the process responds, not its database")
		.action(async (options) => (await import("./health.ts")).health(options));
}

const TENANT = ["--tenant <slug>", "the tenant of the account", "default"] as const;
const LOGIN = ["<user>", "username or email address"] as const;
const PASSWORD = [
	"--password-stdin",
	"read the password from standard input; default: generate one and print it once",
] as const;

/** What helps when no administrator can sign in. */
function addAccounts(program: CommandLine): void {
	const admin = program
		.command("admin")
		.description("create an administrator, or set a password, with the service running or stopped");
	admin
		.command("create")
		.description("create an account with the roles of the first admin")
		.requiredOption("--username <name>", "3 to 64 of A-Z a-z 0-9 . _ -")
		.requiredOption("--email <address>", "the email address; it need not be routable")
		.option(...PASSWORD)
		.option(...TENANT)
		.action(async (options) => (await import("./admin.ts")).adminCreate(options));
	admin
		.command("reset-password")
		.description("set a new password for an account and revoke its sessions")
		.argument(...LOGIN)
		.option(...PASSWORD)
		.option(...TENANT)
		.action(async (login, options) => (await import("./admin.ts")).adminResetPassword(login, options));
	const user = program
		.command("user")
		.description(
			"unlock a user, reset second factors, or sign out all users, with the service running or stopped",
		);
	user
		.command("unlock")
		.description("allow new attempts after too many wrong passwords or codes")
		.argument(...LOGIN)
		.option(...TENANT)
		.action(async (login, options) => (await import("./user.ts")).userUnlock(login, options));
	user
		.command("reset")
		.description("remove all second factors and recovery codes of a user, and revoke all sessions")
		.argument(...LOGIN)
		.option(...TENANT)
		.action(async (login, options) => (await import("./user.ts")).userReset(login, options));
	user
		.command("sign-out-all")
		.description("revoke all sessions of all users of a tenant; safe to repeat")
		.option("--tenant <slug>", "the tenant of the users", "default")
		.action(async (options) => (await import("./user.ts")).userSignOutAll(options));
}

function addImport(program: CommandLine): void {
	program
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
		.action(async (file, options) => (await import("./import.ts")).importUsers(file, options));
}

function addAudit(program: CommandLine): void {
	const audit = program.command("audit").description("verify and prune the audit trail");
	audit
		.command("verify")
		.description("verify the chain of audit events of every tenant and find the first broken link")
		.action(async () => (await import("./audit.ts")).auditVerify());
	audit
		.command("prune")
		.description("remove old audit events, leaving signed checkpoints from which the rest can be verified")
		.requiredOption(
			"--before <time>",
			"a day (UTC) or an ISO 8601 time with a zone; older events are removed",
		)
		.action(async (options) => (await import("./audit.ts")).auditPrune(options));
}

function addKeys(program: CommandLine): void {
	const keys = program
		.command("keys")
		.description("list and rotate the keys that sign access tokens, with the service running or stopped");
	keys
		.command("list")
		.description("show every signing key and its next change")
		.action(async () => (await import("./keys.ts")).keysList());
	keys
		.command("rotate")
		.description("publish a new signing key, which signs once verifiers have had time to fetch it")
		.option("--now", "the old key leaked: sign with a new one at once and withdraw all others")
		.action(async (options) => (await import("./keys.ts")).keysRotate(options));
	program
		.command("rekey")
		.description("re-encrypt every stored secret with the first master key of the list, while nodes run")
		.option("--check", "change nothing, print which key encrypts what")
		.option("--new-key", "create a new key in the data directory first, and drop the old one at the end")
		.action(async (options) => (await import("./rekey.ts")).rekey(options));
}

function addBackup(program: CommandLine): void {
	program
		.command("backup")
		.description(
			"write the whole database to one compressed file, with the service running or stopped; the master key is NOT included",
		)
		.argument("<file>", "a new file, or - for standard output")
		.action(async (file) => (await import("./backup.ts")).backup(file));
	program
		.command("restore")
		.description(
			"restore a backup into an empty database of either engine, with the service stopped; revokes all sessions",
		)
		.argument(
			"<file>",
			"a file written by latchkey backup, or - for standard input; it is verified before anything changes",
		)
		.addOption(
			new Option("--replace", "delete everything in the database, atomically with the restore").conflicts(
				"check",
			),
		)
		.option(
			"--check",
			"prove the backup in a temporary database, which is removed; the service may run, and nothing changes",
		)
		.action(async (file, options) => (await import("./backup.ts")).restore(file, options));
}

function addFence(program: CommandLine): void {
	program
		.command("fence")
		.description(
			"after a recovery to a point in time or a failover that lost writes: end sessions and void what may have been used or revoked, while nodes run",
		)
		.option("--since <time>", "end only sessions used after this time, ISO 8601; default: all sessions")
		.option(
			"--accept-server",
			"continue on this database server although it does not continue the one before",
		)
		.action(async (options) => (await import("./fence.ts")).fence(options));
}

function addMail(program: CommandLine): void {
	program
		.command("mail")
		.description("check outgoing mail")
		.command("test")
		.description("send one mail through the configured mail server and print its response")
		.argument("<address>", "one plain email address")
		.option("--language <tag>", "the language of the mail", "en")
		.action(async (address, options) => (await import("./mail.ts")).mailTest(address, options));
}

function addSign(program: CommandLine): void {
	program
		.command("sign")
		.description("send a signed request to an open API, or print it as a curl command")
		.argument(
			"<url>",
			"absolute https URL, or a path below $LK_BASE_URL; path and query are signed exactly as typed",
		)
		.option("-X, --method <method>", "default: GET, or POST with a body")
		.option("-d, --data <body>", "JSON body; @file reads a file, @- standard input")
		.option("--tenant <id>", "X-Tenant-ID (default: $LK_TENANT_ID)")
		.option("--app <id>", "X-App-ID (default: $LK_APP_ID)")
		.option("--key <api key>", "X-API-Key (default: $LK_API_KEY); the Secret is read from $LK_SECRET only")
		.option(
			"--private-key <file>",
			"the private key (PEM) of a client without a Secret (default: $LK_PRIVATE_KEY_FILE)",
		)
		.option("--timestamp <seconds>", "X-Timestamp (default: now)")
		.option("--nonce <text>", "X-Nonce (default: random)")
		.option("--print", "print a curl command instead of sending")
		.option("--explain", "print the string to sign, line by line, instead of sending")
		.option(
			"--compare <file>",
			"with --explain: print the first line that differs from this string to sign; - standard input",
		)
		.option("-k, --insecure", "accept a self-signed certificate")
		.action(async (url, options) => (await import("./sign.ts")).sign(url, options));
}

function addApi(program: CommandLine): void {
	const command = program
		.command("api")
		.description("call a route of the API, here as the operator or at a running service with an admin key")
		.helpOption(false)
		.argument("[method]", "GET, POST, PUT, PATCH, or DELETE")
		.argument("[path]", "such as /users, which is short for /api/v1/users; it may have a query")
		.option(
			"-f, --field <key=value>",
			"a field of the body or a parameter of the query, with the type of the API; repeatable",
			(field: string, others: readonly string[] = []) => [...others, field],
		)
		.option("--input <file>", "the body; - standard input, also for secrets beside other fields")
		.option("--paginate", "print the items of all pages, one JSON object per line")
		.option("--output <file>", "write the response to a new file that only its owner can read")
		.option("--tenant <slug>", "the tenant to act in (default: default)")
		.option("--url <url>", "call a running service with the admin key in $LATCHKEY_ADMIN_KEY instead")
		.option("-k, --insecure", "with --url: accept a self-signed certificate")
		.option("-h, --help", "list the routes, or describe one")
		.action(async (method, path, options) =>
			(await import("./api.ts")).api(method, path, options, () => command.helpInformation()),
		);
}

function addConfig(program: CommandLine): void {
	const config = program
		.command("config")
		.description("export, plan, and apply the configuration of a tenant as one file");
	const reach = <C extends Command>(command: C): C =>
		command
			.option("--tenant <slug>", "the tenant (default: default)")
			.option("--url <url>", "a running service, with the admin key in $LATCHKEY_ADMIN_KEY")
			.option("-k, --insecure", "with --url: accept a self-signed certificate")
			.option("--people", "with the managers of applications, by username");
	const PRUNED = [
		"--prune [what]",
		"remove what the file does not name, except applications in use; --prune=all removes those too",
	] as const;
	reach(config.command("export"))
		.description("write the configuration to standard output")
		.action(async (options) => (await import("./config.ts")).configExport(options));
	reach(config.command("plan"))
		.description("show what applying a file would change; exit status 2 for changes")
		.argument("<file>", "YAML; - standard input")
		.option(...PRUNED)
		.action(async (file, options) => (await import("./config.ts")).configPlan(file, options));
	reach(config.command("apply"))
		.description("make the changes of a file")
		.argument("<file>", "YAML; - standard input")
		.option(...PRUNED)
		.option(
			"--expect <digest>",
			"the digest of a plan (--json prints it); refused if the configuration changed since",
		)
		.action(async (file, options) => (await import("./config.ts")).configApply(file, options));
}

function addCompletion(program: CommandLine): void {
	program
		.command("completion")
		.description("print a script for shell completion of commands, options, and routes")
		.argument("<shell>", "bash, zsh, or fish")
		.action(async (shell) => {
			const { completionScript } = await import("./completion.ts");
			hostConsole().log(completionScript(program, shell));
		});
}
