// `latchkey admin`: accounts of those who run the service, also beside a running one.

import { type Installation, openBesideService } from "../app/open-installation.ts";
import { createAdmin, resetPassword, resetSecondFactors } from "../app/operator.ts";
import { loadConfig } from "../config/load.ts";
import { parseEmail, parseUsername } from "../config/parse-address.ts";
import type { Parsed } from "../config/parsed.ts";
import { systemClock } from "../kernel/clock.ts";
import { StartError } from "../kernel/start-error.ts";
import { readPassword } from "./standard-input.ts";

export interface PasswordOptions {
	/** Slug. */
	readonly tenant: string;
	/** Take the password from standard input instead of making one. */
	readonly passwordStdin?: boolean;
}

export type AdminCreateOptions = PasswordOptions & { readonly username: string; readonly email: string };

/** The last line tells what happened; the one before shows a password that was made here. */
export async function adminCreate(options: AdminCreateOptions): Promise<void> {
	const username = parsed("--username", parseUsername(options.username));
	const email = parsed("--email", parseEmail(options.email));
	const passwordPlain = await givenPassword(options);
	await withInstallation(async (installation) => {
		const { user, ...chosen } = await createAdmin(
			{ ...installation, clock: systemClock },
			{ tenantSlug: options.tenant, username, email, passwordPlain },
		);
		printPassword(chosen);
		console.log(`made ${user.username} <${user.email}>, ${user.roles.join(" and ")}`);
	});
}

/** As `adminCreate`; a disabled account stays disabled. */
export async function adminResetPassword(login: string, options: PasswordOptions): Promise<void> {
	const passwordPlain = await givenPassword(options);
	await withInstallation(async (installation) => {
		const { user, sessionsEnded, ...chosen } = await resetPassword(
			{ ...installation, clock: systemClock },
			{ tenantSlug: options.tenant, login, passwordPlain },
		);
		printPassword(chosen);
		const ended = `${sessionsEnded} ${sessionsEnded === 1 ? "session" : "sessions"} ended`;
		const state = user.status === "disabled" ? "; the account is disabled and stays so" : "";
		console.log(`${user.username} has a new password, ${ended}${state}`);
	});
}

/** For whoever lost the phone and the recovery codes; make sure that it is the owner who asks. */
export async function adminResetMfa(login: string, options: { readonly tenant: string }): Promise<void> {
	await withInstallation(async (installation) => {
		const wanted = { tenantSlug: options.tenant, login };
		const user = await resetSecondFactors({ ...installation, clock: systemClock }, wanted);
		console.log(`${user.username} has no second factor any more, all sessions ended`);
	});
}

async function withInstallation(work: (installation: Installation) => Promise<void>): Promise<void> {
	const installation = await openBesideService(loadConfig(process.env), { clock: systemClock });
	try {
		await work(installation);
	} finally {
		await installation.close();
	}
}

function givenPassword({ passwordStdin }: PasswordOptions): Promise<string> | undefined {
	return passwordStdin === true ? readPassword() : undefined;
}

function printPassword(chosen: { readonly passwordPlain: string; readonly passwordMade: boolean }): void {
	if (chosen.passwordMade) console.log(`password: ${chosen.passwordPlain}  (shown only this once)`);
}

function parsed<T>(option: string, result: Parsed<T>): T {
	if ("mustBe" in result) throw new StartError(`${option} must be ${result.mustBe}`);
	return result.value;
}
