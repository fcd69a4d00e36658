// An invited user accepts: activates the account and signs the user in.

import { tokenDigest } from "../../../crypto/digest.ts";
import { userTarget } from "../../../domain/audit.ts";
import { userCaller } from "../../../domain/caller.ts";
import { localeOfRequest } from "../../../domain/locale.ts";
import type { SignInOutcome } from "../../../domain/sign-in.ts";
import { forgetGuesses } from "../../../domain/sign-in-attempt.ts";
import { type User, type UserChanges, writeError } from "../../../domain/user.ts";
import { differences, fieldChanges, wireNames } from "../../../kernel/changes.ts";
import { AppError, found, invalidField } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { completeSignIn, type SignInNeeds, type SignInStores } from "../steps/complete-sign-in.ts";
import { findLinkOwner } from "../steps/issue-recovery-link.ts";

interface Acceptance {
	readonly token: string;
	readonly passwordPlain?: string | undefined;
	/** If absent, as the administrator chose. */
	readonly username?: string | undefined;
	readonly displayName?: string | undefined;
}

/** What the user chose, with the hash of the password. */
type Choice = Pick<UserChanges, "username" | "displayName" | "locale" | "passwordHash">;

/** RFC 8176: the mailed token works once. */
const AMR = ["otp"];

/**
 * The link verifies the email address. It stays valid if the password is refused or the username is taken. Of concurrent
 * uses, one succeeds. A second factor may be required, as at sign-in. Without a password, the account needs another way
 * to sign in: an account at an enabled provider that an administrator linked.
 *
 * @throws AppError `invite.not_found` (link unknown, used, replaced, or expired; user no longer invited or with a new
 * address), `password.*` (policy), `request.invalid` (a password is required), `username.taken`, `service.overloaded`.
 */
export async function acceptInvitation(
	needs: SignInNeeds<never, "passwords">,
	acceptance: Acceptance,
	origin: Origin,
): Promise<SignInOutcome> {
	const digest = tokenDigest(acceptance.token);
	// Check the link first, so that no password is hashed without a valid one.
	const link = await needs.db.stores.recoveryLinks.find(digest, "invite", needs.clock());
	const invited = found(
		await findLinkOwner(needs.db.stores, link, ({ status }) => status === "invited"),
		notFound,
	);
	const choice = await choose(needs, invited, acceptance, origin);
	const { passwordHash: _, ...fields } = choice;
	const nowMs = needs.clock();
	const proved = { status: "active", emailVerified: true, updatedAtMs: nowMs } as const;
	const user: User = { ...invited, ...fields, ...proved };
	const confirm = async (stores: SignInStores): Promise<boolean> => {
		if ((await stores.recoveryLinks.consume(digest, "invite", nowMs)) === undefined) return false;
		return activate(stores, needs.keys, { invited, user, choice, nowMs }, origin);
	};
	const outcome = await completeSignIn(needs, { user, appId: null, amr: AMR, confirm }, origin);
	if (outcome === undefined) throw notFound();
	return outcome;
}

async function choose(
	{ passwords }: Needs<never, "passwords">,
	invited: User,
	{ passwordPlain, username, displayName }: Acceptance,
	origin: Origin,
): Promise<Choice> {
	const locale = invited.locale ?? localeOfRequest(origin.acceptLanguage);
	const fields = differences<Choice>({ ...invited, passwordHash: "" }, { username, displayName, locale });
	if (passwordPlain === undefined) return fields;
	const names = { username: username ?? invited.username, email: invited.email };
	const checkedPlain = await passwords.check(passwordPlain, names);
	return { ...fields, passwordHash: await passwords.hash(checkedPlain, origin.ip) };
}

/** @param user as after the change. @returns false if the user is no longer invited or has another address. */
async function activate(
	stores: SignInStores,
	keys: Parameters<typeof forgetGuesses>[1],
	{ invited, user, choice, nowMs }: { invited: User; user: User; choice: Choice; nowMs: number },
	origin: Origin,
): Promise<boolean> {
	const { id, tenantId, email } = invited;
	const changes = { ...choice, emailVerified: true };
	const refusal = await stores.users.acceptInvitation(tenantId, id, email, changes, nowMs);
	if (refusal === "missing") return false;
	if (refusal !== undefined) throw writeError(refusal);
	if (!(await stores.users.canSignIn(tenantId, id))) throw invalidField("password", "required_for_sign_in");
	// Password guesses from before the account was active must not delay its owner.
	for (const known of [invited, user]) await forgetGuesses(stores.loginFailures, keys, known);
	const { passwordHash, ...fields } = choice;
	const names = [...wireNames(fields), ...(passwordHash === undefined ? [] : ["password"])];
	const details = { status: "active", fields: names };
	const values = fieldChanges(invited, fields);
	const caller = userCaller(user, origin);
	await stores.audit.append(caller, "user.invite_accepted", userTarget(user), details, values);
	return true;
}

function notFound(): AppError {
	return new AppError(
		"invite.not_found",
		"the invitation is not valid: it was used or replaced, or has expired",
	);
}
