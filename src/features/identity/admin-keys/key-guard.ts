// Admits admin keys, which are sent as Bearer tokens.

import { tokenDigest } from "../../../crypto/digest.ts";
import {
	ADMIN_KEY_PREFIX,
	isLent,
	type KeyCaller,
	type KeyUseRecorder,
	type PresentedKey,
	rolesOfKey,
} from "../../../domain/admin-key.ts";
import { isOnAllowlist } from "../../../domain/allowlist.ts";
import type { Incoming } from "../../../http/incoming.ts";
import { AppError, type RefusalReason } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

export type KeyNeeds = Needs<"adminKeys", "clock"> & { readonly keyUses: KeyUseRecorder };

/** 256 random bits as base64url. */
const KEY = new RegExp(`^${ADMIN_KEY_PREFIX}[A-Za-z0-9_-]{43}$`);

/** Whether a Bearer token is an admin key, or claims to be one: no access token begins so. */
export function isAdminKey(token: string): boolean {
	return token.startsWith(ADMIN_KEY_PREFIX);
}

/**
 * The key that was sent. One indexed read and no write, also for a wrong key: it cannot be guessed, and the rate limit
 * counts the request.
 *
 * @throws AppError `token.invalid`: the same for an unknown key, an expired one, and one that its creator no longer lends
 * its roles.
 */
export async function proveKey(
	{ db, clock }: KeyNeeds,
	request: Incoming,
	keyPlain: string,
): Promise<PresentedKey> {
	const key = KEY.test(keyPlain) ? await db.stores.adminKeys.findPresented(tokenDigest(keyPlain)) : undefined;
	// Also for a refused request: the log names the key.
	request.keyId = key?.id;
	request.tenantId = key?.tenantId;
	const reason = refusalReason(key, clock());
	if (key !== undefined && reason === undefined) return key;
	throw new AppError("token.invalid", "admin key is invalid or has ended", reason && { reason });
}

function refusalReason(key: PresentedKey | undefined, nowMs: number): RefusalReason | undefined {
	if (key === undefined) return "admin_key.unknown";
	if (nowMs >= key.expiresAtMs) return "admin_key.expired";
	return isLent(key.roles, key.creator) ? undefined : "admin_key.creator";
}

/**
 * The caller behind a proven key, recorded as its last use.
 *
 * @throws AppError `ip.not_allowed`.
 */
export function admitKey({ clock, keyUses }: KeyNeeds, request: Incoming, key: PresentedKey): KeyCaller {
	const { id, tenantId, name, roles, ipAllowlist } = key;
	if (!isOnAllowlist(ipAllowlist, request.ip))
		throw new AppError(
			"ip.not_allowed",
			`the caller's address ${request.ip} is not on this admin key's allowlist`,
		);
	keyUses.note(id, clock(), request.ip);
	return {
		tenantId,
		userId: null,
		actor: `key:${id}`,
		actorName: name,
		origin: request,
		isKey: true,
		roles: rolesOfKey(roles),
	};
}
