// `latchkey admin`: manages admin accounts, with the service running or stopped.

import { parseEmail, parseUsername } from "../config/parse-address.ts";
import type { Parsed } from "../config/setting.ts";
import { usageError } from "../kernel/start-error.ts";
import { createAdmin, type PasswordChoice, resetPassword } from "../ops/manage-accounts.ts";
import { withInstallation } from "./installation.ts";
import { printConfirmation, printDone, printResult } from "./output.ts";
import { readPassword } from "./standard-input.ts";

interface PasswordOptions {
	/** Slug. */
	readonly tenant: string;
	/** Read the password from standard input instead of generating one. */
	readonly passwordStdin?: boolean;
}

type AdminCreateOptions = PasswordOptions & { readonly username: string; readonly email: string };

/** Prints the generated password, if any, then a confirmation. */
export async function adminCreate(options: AdminCreateOptions): Promise<void> {
	const username = parseOption("--username", parseUsername(options.username));
	const email = parseOption("--email", parseEmail(options.email));
	const passwordPlain = await readOptionalPassword(options);
	await withInstallation(async (installation) => {
		const { user, ...password } = await createAdmin(installation, {
			tenantSlug: options.tenant,
			username,
			email,
			passwordPlain,
		});
		const { id, roles } = user;
		printWithPassword({ id, username, email, roles }, password, [
			`created ${user.username} <${user.email}>, ${user.roles.join(" and ")}`,
		]);
	});
}

/** Prints like `adminCreate`. A disabled account stays disabled. */
export async function adminResetPassword(login: string, options: PasswordOptions): Promise<void> {
	const passwordPlain = await readOptionalPassword(options);
	await withInstallation(async (installation) => {
		const { user, sessionsEnded, ...password } = await resetPassword(installation, {
			tenantSlug: options.tenant,
			login,
			passwordPlain,
		});
		const ended = `${sessionsEnded} ${sessionsEnded === 1 ? "session" : "sessions"} revoked`;
		const state = user.status === "disabled" ? "; the account remains disabled" : "";
		const { id, username, status } = user;
		printWithPassword({ id, username, status, sessions_ended: sessionsEnded }, password, [
			`${username} has a new password, ${ended}${state}`,
		]);
	});
}

function readOptionalPassword({ passwordStdin }: PasswordOptions): Promise<string> | undefined {
	return passwordStdin === true ? readPassword() : undefined;
}

/** Prints a generated password even with `--quiet`: it is shown only once. */
function printWithPassword(
	json: object,
	{ passwordPlain, isGenerated }: PasswordChoice,
	done: readonly string[],
): void {
	if (!isGenerated) {
		printDone(json, ...done);
		return;
	}
	printResult({ ...json, password: passwordPlain }, `password: ${passwordPlain}  (shown only this once)`);
	printConfirmation(...done);
}

function parseOption<T>(option: string, result: Parsed<T>): T {
	if ("mustBe" in result) throw usageError(`${option} must be ${result.mustBe}`);
	return result.value;
}
