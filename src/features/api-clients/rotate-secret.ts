// A partner's system puts a new Secret in the place of its own.

import type { SecretBox } from "../../crypto/secret-box.ts";
import { type Clock, isoTime, isoTimeOrNull, SECOND_MS } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { CallingClient } from "../external/model.ts";
import type { MailOutbox, NewMail } from "../mail/model.ts";
import { issueSecret } from "./client-secrets.ts";
import { type ApiClient, type ApiClientStore, apiClientNotFound, type ClientOwner } from "./model.ts";

export interface RotateSecretDeps {
	readonly db: Persistence<{ apiClients: ApiClientStore; audit: AuditLog; mail: MailOutbox }>;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
	wakeMail(): void;
}

/**
 * The Secret that signed the request counts for `overlapSeconds` more, the one before it dies at once. It must be the
 * current one: were the previous one enough, who found an old Secret could keep it alive for ever and shut the owner
 * out. One UPDATE decides, so of many at the same moment one succeeds.
 *
 * @throws AppError `secret.superseded`.
 */
export async function rotateSecret(
	{ db, secretBox, clock, wakeMail }: RotateSecretDeps,
	caller: CallingClient,
	overlapSeconds: number,
	origin: Origin,
): Promise<{ readonly client: ApiClient; readonly secretPlain: string }> {
	const now = clock();
	const { id, tenantId } = caller;
	const { secretPlain, secretSealed, secretHint } = issueSecret(secretBox, id);
	const previousSecretExpiresAtMs = overlapSeconds === 0 ? null : now + overlapSeconds * SECOND_MS;
	const fresh = { secretHint, secretCreatedAtMs: now, previousSecretExpiresAtMs };
	const previousSecretSealed = overlapSeconds === 0 ? null : caller.secretSealed;
	const secret = { ...fresh, secretSealed, previousSecretSealed };
	const client = await db.transaction(async ({ apiClients, audit, mail }) => {
		if (!(await apiClients.replaceSecret(tenantId, id, caller.secretSealed, secret, now))) throw superseded();
		const after = await apiClients.findById(tenantId, id);
		if (after === undefined) throw apiClientNotFound();
		await audit.append({
			tenantId,
			actor: `api_client:${id}`,
			action: "api_client.secret_rotated",
			target: `api_client:${id}`,
			origin,
			details: { previous_secret_expires_at: isoTimeOrNull(previousSecretExpiresAtMs) },
		});
		if (after.owner !== null) await mail.put(rotationMail(after, after.owner, now, origin.ip));
		return after;
	});
	wakeMail();
	return { client, secretPlain };
}

function rotationMail(client: ApiClient, owner: ClientOwner, atMs: number, ip: string): NewMail {
	const until = client.previousSecretExpiresAtMs;
	return {
		tenantId: client.tenantId,
		to: owner.email,
		toName: owner.name,
		locale: owner.locale,
		message: {
			kind: "api_client_secret_rotated",
			ownerName: owner.name,
			clientName: client.name,
			at: isoTime(atMs),
			ip,
			previousExpiresAt: until === null ? "" : isoTime(until),
		},
	};
}

function superseded(): AppError {
	return new AppError(
		"secret.superseded",
		"only the current Secret can be rotated: sign with the newest one, or have it regenerated",
	);
}
