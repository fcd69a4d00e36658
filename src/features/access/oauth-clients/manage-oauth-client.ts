// Reads and deletes OAuth clients, and regenerates their secrets.

import { named } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { overlapEndMs } from "../../../domain/client-secret.ts";
import { type OAuthClient, oauthClientNotFound } from "../../../domain/oauth-client.ts";
import { isProgramError } from "../../../domain/program.ts";
import { isoTimeOrNull } from "../../../kernel/clock.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { getApplication } from "../applications/manage-application.ts";
import { issueOAuthSecret } from "./issue-oauth-secret.ts";

/** @throws AppError `application.not_found`, `oauth_client.not_found`. */
export async function getOAuthClient(
	{ db }: Needs<"applications" | "oauthClients">,
	tenantId: string,
	applicationId: string,
): Promise<OAuthClient> {
	const { applications, oauthClients } = db.stores;
	await getApplication(applications, tenantId, applicationId);
	return found(await oauthClients.find(tenantId, applicationId), oauthClientNotFound);
}

/**
 * Also revokes the client's codes, tokens, and consents.
 *
 * @throws AppError `application.not_found`, `application.is_program`, `oauth_client.not_found`.
 */
export async function deleteOAuthClient(
	{ db }: Needs<"applications" | "oauthClients" | "audit">,
	applicationId: string,
	caller: Caller,
): Promise<void> {
	await db.transaction(async ({ applications, oauthClients, audit }) => {
		const { name, kind } = await getApplication(applications, caller.tenantId, applicationId);
		if (kind === "program") throw isProgramError();
		const removed = found(await oauthClients.remove(caller.tenantId, applicationId), oauthClientNotFound);
		const { type, authMethod, resource } = removed;
		const details = { type, auth_method: authMethod, resource };
		await audit.append(caller, "oauth_client.deleted", named("oauth_client", applicationId, name), details);
	});
}

/**
 * The replaced secret stays valid for `overlapSeconds`; an earlier one becomes invalid immediately. Concurrent calls run
 * one after the other; the last one's secret remains. Tokens stay valid.
 *
 * @throws AppError `application.not_found`, `oauth_client.not_found`, `oauth_client.no_secret`.
 */
export async function regenerateOAuthSecret(
	{ db, clock }: Needs<"applications" | "oauthClients" | "audit", "clock">,
	applicationId: string,
	overlapSeconds: number,
	caller: Caller,
): Promise<{ readonly client: OAuthClient; readonly secretPlain: string }> {
	const now = clock();
	const { tenantId } = caller;
	return db.transaction(async ({ applications, oauthClients, audit }) => {
		const { name } = await getApplication(applications, tenantId, applicationId);
		const locked = found(await oauthClients.findForUpdate(tenantId, applicationId), oauthClientNotFound);
		const { secretDigest: replaced, previousSecretDigest: _expired, ...before } = locked;
		if (replaced === null) throw noSecret();
		const { secretPlain, secretDigest, secretHint, secretCreatedAtMs } = issueOAuthSecret(now);
		const previousSecretExpiresAtMs = overlapEndMs(overlapSeconds, now);
		const shown = { secretHint, secretCreatedAtMs, previousSecretExpiresAtMs };
		const secret = { ...shown, secretDigest, previousSecretDigest: overlapSeconds === 0 ? null : replaced };
		if (!(await oauthClients.setSecret(tenantId, applicationId, secret, now)))
			throw new Error("a locked OAuth client vanished");
		const target = named("oauth_client", applicationId, name);
		const details = { previous_secret_expires_at: isoTimeOrNull(previousSecretExpiresAtMs) };
		await audit.append(caller, "oauth_client.secret_regenerated", target, details);
		return { client: { ...before, ...shown, updatedAtMs: now }, secretPlain };
	});
}

function noSecret(): AppError {
	return new AppError(
		"oauth_client.no_secret",
		"this client authenticates without a secret, so there is none to regenerate",
	);
}
