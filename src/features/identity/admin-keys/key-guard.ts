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
import type { Incoming } from "../../../http/run/incoming.ts";
import { AppError, type RefusalReason } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

export type KeyNeeds = Needs<"adminKeys", "clock"> & { readonly keyUses: KeyUseRecorder };

/** 256 random bits as base64url. */
const KEY = new RegExp(`^${ADMIN_KEY_PREFIX}[A-Za-z0-9_-]{43}$`);

/** Whether a Bearer token has the form of an admin key: no access token has this prefix. */
export function isAdminKey(token: string): boolean {
	return token.startsWith(ADMIN_KEY_PREFIX);
}

/**
 * Authenticates the key in the request, with one indexed read and no write. Wrong keys are not counted: a key cannot be
 * guessed, and the rate limit counts the request.
 *
 * @throws AppError `token.invalid`: the same for an unknown key, an expired key, and a key whose creator has lost its
 * roles.
 */
export async function authenticateKey(
	{ db, clock }: KeyNeeds,
	request: Incoming,
	keyPlain: string,
): Promise<PresentedKey> {
	const key = KEY.test(keyPlain) ? await db.stores.adminKeys.findPresented(tokenDigest(keyPlain)) : undefined;
	// Set for a refused request too, so that the log names the key.
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
 * Returns the caller of an authenticated key, and records the use of the key.
 *
 * @throws AppError `ip.not_allowed`.
 */
export function admitKey({ clock, keyUses }: KeyNeeds, request: Incoming, key: PresentedKey): KeyCaller {
	const { id, tenantId, name, roles, ipAllowlist } = key;
	if (!isOnAllowlist(ipAllowlist, request.ip))
		throw new AppError("ip.not_allowed", `the IP address ${request.ip} is not on this admin key's allowlist`);
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
