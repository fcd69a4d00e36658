// Wrong codes of an authenticator app, counted for the account over all tokens and addresses.

import { ANY_ADDRESS, accountSubject } from "../../../domain/sign-in-attempt.ts";
import type { Stores } from "../../../domain/stores.ts";

/** Subjects of `LoginFailureStore`: `name` for the growing delay, `account` for the failures in a row. */
export function totpSubjects(userId: string): { readonly name: string; readonly account: string } {
	return { name: `totp:${userId}`, account: `${accountSubject(userId)}:totp` };
}

/** After any correct second factor, or a reset of the factors. */
export async function clearTotpFailures(
	loginFailures: Stores["loginFailures"],
	tenantId: string,
	userId: string,
): Promise<void> {
	const { name, account } = totpSubjects(userId);
	await loginFailures.clear(tenantId, name, ANY_ADDRESS);
	await loginFailures.clear(tenantId, account, ANY_ADDRESS);
}
