// Creates and revokes the link with which the IT of another organization sets up its sign-in.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { domainNotFound, domainTarget } from "../../../domain/email-domain.ts";
import type { InPerson } from "../../../domain/session.ts";
import { SET_UP_PAGE } from "../../../domain/set-up-link.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { CREDENTIAL_PREFIX } from "../../../kernel/credential-prefix.ts";
import { AppError, found, invalidField } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { checkDomain, insertDomain } from "../domains/manage-domain.ts";

interface LinkWish {
	readonly domain: string;
	readonly applicationId: string | null;
	readonly expiresInSeconds: number;
}

/**
 * Adds the domain unless the tenant has it. A new link replaces the earlier one of the domain and continues what that began.
 *
 * @throws AppError `request.invalid` (`domain`, `application_id`), `domain.too_many`, `set_up.done` (the domain has an issuer
 * that no open link sets up).
 */
export async function createSetUpLink(
	{ db, clock, publicUrl }: Needs<"applications" | "audit" | "domains" | "setUpLinks", "clock" | "publicUrl">,
	{ domain: typed, applicationId, expiresInSeconds }: LinkWish,
	caller: InPerson,
): Promise<{ readonly url: string; readonly expiresAtMs: number }> {
	const domain = checkDomain(typed);
	const nowMs = clock();
	const { tenantId } = caller;
	const token = `${CREDENTIAL_PREFIX.setUp}${randomToken()}`;
	const expiresAtMs = nowMs + expiresInSeconds * SECOND_MS;
	await db.transaction(async (stores) => {
		const { applications, audit, domains, setUpLinks } = stores;
		if (applicationId !== null && (await applications.findById(tenantId, applicationId)) === undefined)
			throw invalidField("application_id", "not_an_application");
		// Lock first, so that the earlier link does not finish, and no other replaces it, between the check and the change.
		await setUpLinks.hold(tenantId, domain);
		const known = await domains.find(tenantId, domain);
		const row = known ?? (await insertDomain(stores, domain, null, caller, nowMs));
		const before = row.issuerId === null ? undefined : await setUpLinks.findByIssuer(tenantId, row.issuerId);
		if (row.issuerId !== null && before?.finishedAtMs !== null)
			throw new AppError(
				"set_up.done",
				"this domain has its identity provider: change that, or remove it from the domain",
			);
		await setUpLinks.put({
			id: newId(nowMs),
			tenantId,
			domainId: row.id,
			issuerId: row.issuerId,
			applicationId,
			testedAtMs: null,
			testedBy: "",
			finishedAtMs: null,
			expiresAtMs,
			createdBy: caller.userId,
			createdAtMs: nowMs,
			tokenDigest: tokenDigest(token),
		});
		await audit.append(caller, "set_up.link_created", domainTarget(row), { app_id: applicationId });
	});
	return { url: `${publicUrl}${SET_UP_PAGE}#${token}`, expiresAtMs };
}

/**
 * The open link of the domain expires now: it can neither change nor finish what it began. Idempotent.
 *
 * @throws AppError `domain.not_found`
 */
export async function revokeSetUpLink(
	{ db, clock }: Needs<"audit" | "domains" | "setUpLinks", "clock">,
	domain: string,
	caller: InPerson,
): Promise<void> {
	await db.transaction(async ({ audit, domains, setUpLinks }) => {
		const row = found(await domains.find(caller.tenantId, domain), domainNotFound);
		if (await setUpLinks.revoke(caller.tenantId, row.id, tokenDigest(randomToken()), clock()))
			await audit.append(caller, "set_up.link_revoked", domainTarget(row));
	});
}
