// Records the export of a user's data: by the user, who is notified and limited, or by an administrator.

import { userTarget } from "../../../domain/audit.ts";
import type { Administrator, Caller } from "../../../domain/caller.ts";
import { OWN_EXPORTS_PER_DAY, signInTooOld, tooManyExports } from "../../../domain/personal-data.ts";
import { FRESH_SIGN_IN_SECONDS } from "../../../domain/second-factor.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import { getUser, type User } from "../../../domain/user.ts";
import { DAY_MS, isoTime, SECOND_MS, secondsUntil } from "../../../kernel/clock.ts";
import { found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { checkStillSignedIn, sessionEnded } from "../steps/confirm-owner.ts";
import { mailOwner } from "../steps/mail-owner.ts";

const ACTION = "user.data_exported";

/**
 * Concurrent exports of one user are serialized, so that no more than `OWN_EXPORTS_PER_DAY` succeed.
 *
 * @returns the user as the export shows them.
 * @throws AppError `application.token`; `session.too_old` unless the sign-in is at most `FRESH_SIGN_IN_SECONDS` old;
 * `export.too_many`; `token.invalid` if the session ended in the meantime.
 */
export async function beginOwnExport(
	needs: Needs<"users" | "sessions" | "secondFactors" | "audit" | "mail", "clock" | "wakeMail">,
	caller: SignedIn,
): Promise<User> {
	checkInPerson(caller, "export the data of its user");
	const { tenantId, userId, sessionId, origin } = caller;
	const user = await needs.db.transaction(async (stores) => {
		await checkStillSignedIn(stores, caller);
		const nowMs = needs.clock();
		const session = found(await stores.sessions.findById(sessionId), sessionEnded);
		if (nowMs - session.authenticatedAtMs > FRESH_SIGN_IN_SECONDS * SECOND_MS) throw signInTooOld();
		await checkExports(stores, caller, nowMs);
		const own = found(await stores.users.findById(tenantId, userId), sessionEnded);
		const message = { username: own.username, at: isoTime(nowMs), ip: origin.ip };
		await mailOwner(stores, own, { kind: "data_exported", ...message }, origin);
		await stores.audit.append(caller, ACTION, userTarget(own));
		return own;
	});
	needs.wakeMail();
	return user;
}

/** The audit trail holds the exports of the last day. */
async function checkExports({ audit }: Stores<"audit">, caller: Caller, nowMs: number): Promise<void> {
	const { tenantId, actor } = caller;
	const query = { tenantId, actor, actions: [ACTION], target: actor, fromMs: nowMs - DAY_MS + 1 };
	const all = { after: { atMs: 0, sequence: 0 }, upTo: Number.MAX_SAFE_INTEGER };
	const exports = await audit.listMatching(query, all, OWN_EXPORTS_PER_DAY);
	const [oldest] = exports;
	if (oldest === undefined || exports.length < OWN_EXPORTS_PER_DAY) return;
	throw tooManyExports(secondsUntil(oldest.atMs + DAY_MS, nowMs));
}

/** @throws AppError `user.not_found`. */
export async function beginExportOf(
	{ db }: Needs<"users" | "audit">,
	userId: string,
	caller: Administrator,
): Promise<User> {
	return await db.transaction(async ({ users, audit }) => {
		const user = await getUser(users, caller.tenantId, userId);
		await audit.append(caller, ACTION, userTarget(user));
		return user;
	});
}
