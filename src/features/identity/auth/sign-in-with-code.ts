// Signs a user in with a code mailed to the address of the account.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomDigits, randomToken } from "../../../crypto/random.ts";
import { takeMailAllowance } from "../../../domain/address-allowance.ts";
import { userTarget } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { checkNotEnforced } from "../../../domain/enforced-sign-in.ts";
import { mailLocale } from "../../../domain/locale.ts";
import { CODE_DIGITS, CODE_SECONDS, type EmailCodeKey, tooManyMails } from "../../../domain/mailed-code.ts";
import { hasFactor } from "../../../domain/second-factor.ts";
import type { SignInOutcome } from "../../../domain/sign-in.ts";
import type { Stores } from "../../../domain/stores.ts";
import { isPlaceholderAddress, type User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import { parseId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import {
	completeSignIn,
	countSignIn,
	recordFailedSignIn,
	type SignInNeeds,
	type SignInStores,
} from "../steps/complete-sign-in.ts";
import { wrongCode } from "../steps/mailed-code.ts";

const CONTROLS = /\p{Cc}/u;

interface AskedSignIn {
	/** Lower case. */
	readonly address: string;
	/** The application to sign in to. */
	readonly appId?: string | undefined;
}

/**
 * Runs the same statements and limits for every address, so that it does not reveal whether the address has an account.
 * Without an account that can use a code, no code is valid and no mail is sent.
 *
 * @returns the attempt that `signInWithCode` requires besides the code. Earlier attempts remain valid, so no other user
 * can invalidate the code that a user is about to enter.
 * @throws AppError `login.mailed_code_off`, `sign_in.enforced`, `code.too_many`, `mail.too_many`.
 */
export async function sendSignInCode(
	needs: Needs<
		"tenants" | "domains" | "emailCodes" | "users" | "secondFactors" | "mail" | "allowances" | "audit",
		"clock" | "keys" | "mailsPerHour" | "wakeMail"
	>,
	{ address, appId }: AskedSignIn,
	caller: Caller,
): Promise<string> {
	const { tenantId, origin } = caller;
	await checkIsOn(needs.db.stores, tenantId);
	await checkNotEnforced(needs.db.stores, tenantId, address);
	const now = needs.clock();
	const attempt = newAttempt({ address, appId });
	const key = keyOf(tenantId, attempt, address);
	const code = randomDigits(CODE_DIGITS);
	const refusal = await needs.db.transaction(async (stores) => {
		const { emailCodes, mail, allowances, audit } = stores;
		await takeMailAllowance(allowances, needs, origin.ip);
		const user = await findUser(stores, tenantId, address);
		const refused = await emailCodes.countSend({ purpose: "sign_in", address }, now);
		if (refused !== undefined) return refused;
		const codeDigest = needs.keys.codeDigest(key, user === undefined ? randomToken() : code);
		await emailCodes.put({ ...key, codeDigest, expiresAtMs: now + CODE_SECONDS * SECOND_MS });
		const username = user?.username ?? address;
		const letter = {
			tenantId,
			to: address,
			locale: mailLocale(user?.locale, origin.acceptLanguage),
			message: { kind: "sign_in_code", username, code, expiresInMinutes: CODE_SECONDS / 60 },
		} as const;
		await (user === undefined ? mail.putNothing(letter) : mail.put(letter));
		await audit.append(caller, "user.sign_in_code_requested", user === undefined ? "" : userTarget(user));
		return undefined;
	});
	if (refusal !== undefined) throw tooManyMails(refusal, now);
	needs.wakeMail();
	return attempt;
}

interface EnteredCode {
	readonly attempt: string;
	/** The six digits that were mailed. */
	readonly code: string;
}

/**
 * Of concurrent sign-ins with one code, one succeeds. The mailed code is one factor: a second one is required as after a
 * password.
 *
 * @throws AppError `login.mailed_code_off`, `sign_in.enforced`, `code.invalid` (wrong, expired, used, or tried too often; also for an unknown
 * attempt), `account.disabled`, `application.access_denied`.
 */
export async function signInWithCode(
	needs: SignInNeeds<"tenants">,
	entered: EnteredCode,
	{ tenantId, origin }: Caller,
): Promise<SignInOutcome> {
	await checkIsOn(needs.db.stores, tenantId);
	return await countSignIn(needs.statistics, tenantId, async () => {
		const { address, appId = null } = readAttempt(entered.attempt);
		await checkNotEnforced(needs.db.stores, tenantId, address);
		const key = keyOf(tenantId, entered.attempt, address);
		const codeDigest = needs.keys.codeDigest(key, entered.code);
		const user = await needs.db.transaction(async (stores) => {
			const { emailCodes, audit } = stores;
			const found = await findUser(stores, tenantId, address);
			const result = await emailCodes.tryCode(key, codeDigest, needs.clock());
			if (result === "right") return found;
			const details = { reason: "code.invalid", app_id: appId };
			if (result === "wrong") await recordFailedSignIn(audit, tenantId, found, details, origin);
			return undefined;
		});
		if (user === undefined) throw wrongCode();
		const consume = ({ emailCodes }: SignInStores) => emailCodes.consume(key, codeDigest, needs.clock());
		// The address may have been changed since: the code proves only that its reader has this one.
		const confirm = async (stores: SignInStores): Promise<boolean> => {
			// The roles and factors that are read now remain until the commit.
			await stores.secondFactors.lock(tenantId, user.id);
			return (await findUser(stores, tenantId, address))?.id === user.id && (await consume(stores));
		};
		const factor = { user, appId, amr: ["otp"], confirm, refused: consume };
		const outcome = await completeSignIn(needs, factor, origin);
		if (outcome === undefined) throw wrongCode();
		return outcome;
	});
}

/** @throws AppError `login.mailed_code_off`, also for an unknown tenant. */
async function checkIsOn({ tenants }: Stores<"tenants">, tenantId: string): Promise<void> {
	if ((await tenants.findById(tenantId))?.mailedCode !== true)
		throw new AppError("login.mailed_code_off", "this tenant does not sign users in with mailed codes");
}

/**
 * A user of the address who can use a code. A mailbox alone must not open the administration of a tenant: users with a
 * system role need an enrolled second factor, which the sign-in then requires. Platform admins cannot use a code.
 */
async function findUser(
	{ users, secondFactors }: Stores<"users" | "secondFactors">,
	tenantId: string,
	address: string,
): Promise<User | undefined> {
	const user = await users.findByLogin(tenantId, address);
	// Also without a user: the same statements for every address.
	const enrolled = await secondFactors.findEnrolled(tenantId, user?.id ?? tenantId);
	if (user?.status !== "active" || isPlaceholderAddress(address)) return undefined;
	if (user.roles.includes("platform_admin")) return undefined;
	return user.roles.length === 0 || hasFactor(enrolled) ? user : undefined;
}

/**
 * A random token, followed by the application and the address that the caller sent. The purpose of the code contains a
 * digest of the whole attempt, so no part can be replaced.
 */
function newAttempt({ address, appId = "" }: AskedSignIn): string {
	return [randomToken(), appId, Buffer.from(address).toString("base64url")].join(".");
}

/** @throws AppError `code.invalid` for a text that is not an attempt, which PostgreSQL could refuse. */
function readAttempt(attempt: string): AskedSignIn {
	const [, appId = "", encoded = ""] = attempt.split(".");
	const address = Buffer.from(encoded, "base64url").toString();
	if (CONTROLS.test(address) || (appId !== "" && parseId(appId) === undefined)) throw wrongCode();
	return { address, ...(appId !== "" && { appId }) };
}

function keyOf(tenantId: string, attempt: string, address: string): EmailCodeKey {
	return { tenantId, purpose: `sign_in:${tokenDigest(attempt)}`, address };
}
