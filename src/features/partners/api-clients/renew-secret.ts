// Replaces the Secret of an API client: an administrator regenerates it, or the client rotates its own.

import {
	type ApiClient,
	apiClientNotFound,
	type ClientOwner,
	requireLive,
	unclaimed,
} from "../../../domain/api-client.ts";
import { named } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import type { NewMail } from "../../../domain/mail.ts";
import type { CallingClient } from "../../../domain/signing-client.ts";
import { isoTime, isoTimeOrNull } from "../../../kernel/clock.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { addressMail } from "../steps/address-mail.ts";
import { type ClientWithSecret, rotateSecret } from "../steps/issue-secret.ts";

/**
 * Serializes concurrent calls; the Secret of the last one remains. A disabled client stays disabled.
 *
 * @throws AppError `api_client.not_found`, `api_client.unclaimed`, `api_client.test_mode`, `api_client.has_keys`.
 */
export async function regenerateSecret(
	{ db, secretBox, clock }: Needs<"apiClients" | "audit", "secretBox" | "clock">,
	id: string,
	overlapSeconds: number,
	caller: Caller,
): Promise<ClientWithSecret> {
	const now = clock();
	return db.transaction(async ({ apiClients, audit }) => {
		const locked = found(await apiClients.findForUpdate(caller.tenantId, id), apiClientNotFound);
		requireLive(locked, "its Secret is not replaced");
		if (locked.secretSealed === null) {
			if (locked.publicKeys.length > 0) throw hasKeys();
			throw unclaimed("it has no Secret to replace");
		}
		const rotated = await rotateSecret(apiClients, secretBox, locked, overlapSeconds, now);
		const details = { previous_secret_expires_at: isoTimeOrNull(rotated.client.previousSecretExpiresAtMs) };
		const target = named("api_client", id, locked.name);
		await audit.append(caller, "api_client.secret_regenerated", target, details);
		return rotated;
	});
}

/**
 * Requires the current Secret. If the previous one sufficed, an attacker with an old Secret could extend it forever and
 * lock the owner out. Of concurrent calls, one succeeds. Mails the owner.
 *
 * @throws AppError `secret.superseded`, `api_client.has_keys`.
 */
export async function rotateOwnSecret(
	{
		db,
		secretBox,
		clock,
		wakeMail,
	}: Needs<"apiClients" | "audit" | "mail", "secretBox" | "clock" | "wakeMail">,
	overlapSeconds: number,
	caller: CallingClient,
): Promise<ClientWithSecret> {
	const now = clock();
	const { id, tenantId, signedWith, origin } = caller;
	const rotated = await db.transaction(async ({ apiClients, audit, mail }) => {
		const locked = await apiClients.findForUpdate(tenantId, id);
		if (locked?.secretSealed === null) throw hasKeys();
		if (locked === undefined || locked.secretSealed !== signedWith) throw superseded();
		const rotated = await rotateSecret(apiClients, secretBox, locked, overlapSeconds, now);
		const { client } = rotated;
		const details = { previous_secret_expires_at: isoTimeOrNull(client.previousSecretExpiresAtMs) };
		const self = { ...caller, actorName: client.name };
		await audit.append(self, "api_client.secret_rotated", named("api_client", id, client.name), details);
		if (client.owner !== null) await mail.put(rotationMail(client, client.owner, now, origin.ip));
		return rotated;
	});
	wakeMail();
	return rotated;
}

function rotationMail(client: ApiClient, owner: ClientOwner, atMs: number, ip: string): NewMail {
	return addressMail(client.tenantId, owner, {
		kind: "api_client_secret_rotated",
		ownerName: owner.name,
		clientName: client.name,
		at: isoTime(atMs),
		ip,
		previousExpiresAt: isoTimeOrNull(client.previousSecretExpiresAtMs) ?? "",
	});
}

function hasKeys(): AppError {
	return new AppError(
		"api_client.has_keys",
		"the API client signs with a key and has no Secret: replace the key",
	);
}

function superseded(): AppError {
	return new AppError(
		"secret.superseded",
		"only the current Secret can be rotated: sign with the newest Secret, or ask an administrator to regenerate it",
	);
}
