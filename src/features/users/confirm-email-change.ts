// Moves an account to an address, proved by the code mailed there.

import { tokenDigest } from "../../crypto/digest.ts";
import { randomToken } from "../../crypto/random.ts";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import { AppError, invalidField } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { EmailCodeKey, EmailCodeStore, SessionStore, SignedIn } from "../auth/model.ts";
import type { MailOutbox } from "../mail/model.ts";
import { RESTORE_SECONDS, type RecoveryLinkStore } from "../recovery/model.ts";
import { emailChangedMail } from "./email-changed-mail.ts";
import { takenError, type User, type UserStore, userNotFound } from "./model.ts";
import { type CodeDigests, emailChangeKey } from "./request-email-change.ts";

interface ConfirmStores {
	readonly users: UserStore;
	readonly sessions: SessionStore;
	readonly emailCodes: EmailCodeStore;
	readonly recoveryLinks: RecoveryLinkStore;
	readonly mail: MailOutbox;
	readonly audit: AuditLog;
}

export interface ConfirmEmailChangeDeps {
	readonly db: Persistence<ConfirmStores>;
	readonly keys: CodeDigests;
	readonly clock: Clock;
	readonly publicUrl: string;
	readonly wakeMail: () => void;
}

interface Context {
	readonly signedIn: SignedIn;
	readonly origin: Origin;
}

/**
 * The session in use stays, all others end, password links mailed to the old address die. The old address is told, and
 * if it was proved, given seven days to take the account back.
 *
 * @throws AppError `token.invalid` (the session ended meanwhile), `code.invalid` (wrong, expired, used or tried too often), `email.taken` (told only after a right code).
 */
export async function confirmEmailChange(
	deps: ConfirmEmailChangeDeps,
	given: { readonly email: string; readonly code: string },
	context: Context,
): Promise<User> {
	const key = emailChangeKey(context.signedIn, given.email);
	const codeDigest = deps.keys.codeDigest(key, given.code);
	await tryCode(deps, key, codeDigest, context);
	const now = deps.clock();
	const user = await deps.db.transaction(async (stores) => {
		if (!(await stores.emailCodes.consume(key, codeDigest, now))) throw wrongCode();
		return move(stores, deps.publicUrl, given.email, now, context);
	});
	deps.wakeMail();
	return user;
}

/** Counts a wrong code before it says so. @throws AppError `code.invalid`. */
async function tryCode(
	{ db, clock }: ConfirmEmailChangeDeps,
	key: EmailCodeKey,
	codeDigest: string,
	{ signedIn, origin }: Context,
): Promise<void> {
	const outcome = await db.transaction(async ({ emailCodes, audit }) => {
		const tried = await emailCodes.tryCode(key, codeDigest, clock());
		if (tried === "wrong") {
			const actor = `user:${signedIn.user.id}` as const;
			const action = "user.email_code_refused";
			await audit.append({ tenantId: key.tenantId, actor, action, target: actor, origin });
		}
		return tried;
	});
	if (outcome !== "right") throw wrongCode();
}

async function move(
	{ users, sessions, recoveryLinks, mail, audit }: ConfirmStores,
	publicUrl: string,
	email: string,
	nowMs: number,
	{ signedIn, origin }: Context,
): Promise<User> {
	const { tenantId, sessionId, user: before } = signedIn;
	const taken = await users.update(tenantId, before.id, { email, emailVerified: true }, nowMs);
	if (taken === "missing") throw userNotFound();
	if (taken !== undefined) throw takenError(taken);
	// Whoever is signed out by a new password in this very moment moves nothing any more.
	if (!(await sessions.hold(tenantId, before.id, sessionId)))
		throw new AppError("token.invalid", "access token is invalid or expired");
	const revoked = await sessions.endAll(tenantId, before.id, nowMs, sessionId);
	await recoveryLinks.endAll(tenantId, before.id, "password_reset");
	await audit.append({
		tenantId,
		actor: `user:${before.id}`,
		action: "user.email_changed",
		target: `user:${before.id}`,
		origin,
		details: { sessions_revoked: revoked },
	});
	// An address nobody proved may be a stranger's: it is told, but given no power over the account.
	const wayBack = before.emailVerified
		? await offerWayBack(recoveryLinks, publicUrl, before, nowMs)
		: undefined;
	await mail.put(emailChangedMail(before, origin, nowMs, wayBack));
	return (await users.findById(tenantId, before.id)) ?? { ...before, email, emailVerified: true };
}

async function offerWayBack(links: RecoveryLinkStore, publicUrl: string, before: User, nowMs: number) {
	const token = randomToken();
	const endsAtMs = nowMs + RESTORE_SECONDS * SECOND_MS;
	await links.put({
		digest: tokenDigest(token),
		tenantId: before.tenantId,
		userId: before.id,
		purpose: "email_restore",
		email: before.email,
		createdAtMs: nowMs,
		expiresAtMs: endsAtMs,
	});
	return { url: `${publicUrl}/restore-email#${token}`, endsAtMs };
}

function wrongCode(): AppError {
	return invalidField("code", "is wrong or expired", "code.invalid");
}
