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
		printPassword(password);
		console.log(`made ${user.username} <${user.email}>, ${user.roles.join(" and ")}`);
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
		printPassword(password);
		const ended = `${sessionsEnded} ${sessionsEnded === 1 ? "session" : "sessions"} ended`;
		const state = user.status === "disabled" ? "; the account is disabled and stays so" : "";
		console.log(`${user.username} has a new password, ${ended}${state}`);
	});
}

/** For a user who lost the phone and the recovery codes. The operator has to make sure that the owner asks. */
export async function adminResetMfa(login: string, options: { readonly tenant: string }): Promise<void> {
	await withInstallation(async (installation) => {
		const user = await resetSecondFactors(installation, { tenantSlug: options.tenant, login });
		console.log(`${user.username} has no second factor any more, all sessions ended`);
	});
}

function readOptionalPassword({ passwordStdin }: PasswordOptions): Promise<string> | undefined {
	return passwordStdin === true ? readPassword() : undefined;
}

function printPassword({ passwordPlain, isGenerated }: PasswordChoice): void {
	if (isGenerated) console.log(`password: ${passwordPlain}  (shown only this once)`);
}

function parseOption<T>(option: string, result: Parsed<T>): T {
	if ("mustBe" in result) throw new StartError(`${option} must be ${result.mustBe}`);
	return result.value;
}
