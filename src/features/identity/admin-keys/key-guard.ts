// Admits admin keys, which are sent as Bearer tokens.

import { tokenDigest } from "../../../crypto/digest.ts";
import {
	isLent,
	type KeyCaller,
	type KeyUseRecorder,
	type PresentedKey,
	rolesOfKey,
} from "../../../domain/admin-key.ts";
import { isOnAllowlist } from "../../../domain/allowlist.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import { CREDENTIAL_PREFIX } from "../../../kernel/credential-prefix.ts";
import { AppError, type RefusalReason } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

export type KeyNeeds = Needs<"adminKeys", "clock" | "log" | "openId"> & { readonly keyUses: KeyUseRecorder };

/** 256 random bits as base64url. */
const KEY = new RegExp(`^${CREDENTIAL_PREFIX.adminKey}[A-Za-z0-9_-]{43}$`);

/** The id of a key that workloads hold, and the token of their platform. */
const HELD = new RegExp(`^${CREDENTIAL_PREFIX.adminKey}([0-9a-f-]{36})\\.(.+)$`);

/** Whether a Bearer token has the form of an admin key: no access token has this prefix. */
export function isAdminKey(token: string): boolean {
	return token.startsWith(CREDENTIAL_PREFIX.adminKey);
}

/**
 * Authenticates the key in the request, with one indexed read and no write; the token of a workload also with the reads of its
 * issuers. Wrong keys are not counted: a key cannot be guessed, and the rate limit counts the request.
 *
 * @throws AppError `token.invalid`: the same for an unknown key, an expired key, a key whose creator has lost its
 * roles, and a token that is not of a workload of the key.
 */
export async function authenticateKey(
	needs: KeyNeeds,
	request: Incoming,
	keyPlain: string,
): Promise<PresentedKey> {
	const [, id, token = ""] = HELD.exec(keyPlain) ?? [];
	const key =
		id === undefined ? await findSecret(needs, keyPlain) : await needs.db.stores.adminKeys.findHeld(id);
	// Set for a refused request too, so that the log names the key.
	request.keyId = key?.id;
	request.tenantId = key?.tenantId;
	const reason =
		refusalReason(key, needs.clock()) ??
		(key === undefined || id === undefined ? undefined : await workloadReason(needs, request, key, token));
	if (key !== undefined && reason === undefined) return key;
	throw new AppError("token.invalid", "admin key is invalid or has ended", reason && { reason });
}

async function findSecret({ db }: KeyNeeds, keyPlain: string): Promise<PresentedKey | undefined> {
	return KEY.test(keyPlain) ? await db.stores.adminKeys.findPresented(tokenDigest(keyPlain)) : undefined;
}

async function workloadReason(
	{ openId, log }: KeyNeeds,
	{ requestId }: Incoming,
	key: PresentedKey,
	token: string,
): Promise<RefusalReason | undefined> {
	const problem = await openId.workloadProblem(key, token);
	if (problem === undefined) {
		// The audit trail names the key and the request.
		log.info({ request_id: requestId, key_id: key.id, workload: subjectOf(token) }, "workload admitted");
		return undefined;
	}
	log.warn({ key_id: key.id, reason: problem.reason }, "the token of a workload was refused");
	return "admin_key.workload";
}

/** Of a token that was verified. */
function subjectOf(token: string): unknown {
	const [, claims = ""] = token.split(".");
	return JSON.parse(Buffer.from(claims, "base64url").toString()).sub;
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
