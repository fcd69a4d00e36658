// `latchkey admin`: manages admin accounts, beside a running service or without one.

import { parseEmail, parseUsername } from "../config/parse-address.ts";
import type { Parsed } from "../config/setting.ts";
import { StartError } from "../kernel/start-error.ts";
import {
	createAdmin,
	type PasswordChoice,
	resetPassword,
	resetSecondFactors,
} from "../ops/manage-accounts.ts";
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

/** Prints a generated password, then a line that says what was done. */
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
			`made ${user.username} <${user.email}>, ${user.roles.join(" and ")}`,
		]);
	});
}

/** Prints as `adminCreate`. A disabled account stays disabled. */
export async function adminResetPassword(login: string, options: PasswordOptions): Promise<void> {
	const passwordPlain = await readOptionalPassword(options);
	await withInstallation(async (installation) => {
		const { user, sessionsEnded, ...password } = await resetPassword(installation, {
			tenantSlug: options.tenant,
			login,
			passwordPlain,
		});
		const ended = `${sessionsEnded} ${sessionsEnded === 1 ? "session" : "sessions"} ended`;
		const state = user.status === "disabled" ? "; the account is disabled and stays so" : "";
		const { id, username, status } = user;
		printWithPassword({ id, username, status, sessions_ended: sessionsEnded }, password, [
			`${username} has a new password, ${ended}${state}`,
		]);
	});
}

/** For a user who lost the phone and the recovery codes. The operator has to make sure that the owner asks. */
export async function adminResetMfa(login: string, options: { readonly tenant: string }): Promise<void> {
	await withInstallation(async (installation) => {
		const { id, username } = await resetSecondFactors(installation, { tenantSlug: options.tenant, login });
		printDone({ id, username }, `${username} has no second factor any more, all sessions ended`);
	});
}

function readOptionalPassword({ passwordStdin }: PasswordOptions): Promise<string> | undefined {
	return passwordStdin === true ? readPassword() : undefined;
}

/** A generated password is printed with `--quiet`, too: it is shown only this once. */
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
	if ("mustBe" in result) throw new StartError(`${option} must be ${result.mustBe}`, { kind: "usage" });
	return result.value;
}
