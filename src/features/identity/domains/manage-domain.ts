// Adds, changes, and removes domains of email addresses.

import { randomToken } from "../../../crypto/random.ts";
import type { Caller } from "../../../domain/caller.ts";
import {
	DOMAIN_MAX,
	DOMAINS_MAX,
	domainNotFound,
	domainTarget,
	domainUnverified,
	type EmailDomain,
} from "../../../domain/email-domain.ts";
import { endUnboundSessions } from "../../../domain/enforced-sign-in.ts";
import { isTrustedFor } from "../../../domain/identity-provider.ts";
import { isPublicMailDomain } from "../../../domain/public-mail-domain.ts";
import type { Stores } from "../../../domain/stores.ts";
import { changeDetails, differences, fieldChanges, type Patch } from "../../../kernel/changes.ts";
import { domainOf, parseDomain } from "../../../kernel/email-address.ts";
import { AppError, found, invalidField } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";

type Fields = Pick<EmailDomain, "issuerId" | "enforce">;

/** @throws AppError `request.invalid` (`domain`). */
export function checkDomain(text: string): string {
	const domain = parseDomain(text);
	if (domain === undefined || domain.length > DOMAIN_MAX) throw invalidField("domain", "domain_name");
	if (isPublicMailDomain(domain)) throw invalidField("domain", "public_mail_domain");
	return domain;
}

/** An unverified domain reserves nothing: any tenant may add it. Looks up no name. @throws as `addDomain`. */
export async function insertDomain(
	{ domains, audit }: Stores<"domains" | "audit">,
	domain: string,
	issuerId: string | null,
	caller: Caller,
	nowMs: number,
): Promise<EmailDomain> {
	const row: EmailDomain = {
		id: newId(nowMs),
		tenantId: caller.tenantId,
		domain,
		issuerId,
		recordValue: `latchkey-verification=${randomToken()}`,
		enforce: false,
		verifiedAtMs: null,
		recordSeenAtMs: null,
		nextCheckAtMs: null,
		noticedAtMs: null,
		createdAtMs: nowMs,
		updatedAtMs: nowMs,
	};
	const outcome = await domains.insert(row);
	if (outcome === "taken") throw new AppError("domain.exists", "this domain is in the list already");
	if (outcome === "too_many")
		throw new AppError("domain.too_many", `a tenant has at most ${DOMAINS_MAX} domains`);
	await audit.append(caller, "domain.added", domainTarget(row), { issuer_id: issuerId });
	return row;
}

/** @throws AppError `request.invalid` (`domain`, `issuer_id`), `domain.exists`, `domain.too_many`. */
export function addDomain(
	{ db, clock }: Needs<"domains" | "identityProviders" | "audit", "clock">,
	{ domain, issuerId }: Pick<EmailDomain, "domain" | "issuerId">,
	caller: Caller,
): Promise<EmailDomain> {
	const checked = checkDomain(domain);
	return db.transaction(async (stores) => {
		await checkSignsIn(stores, caller.tenantId, issuerId);
		return await insertDomain(stores, checked, issuerId, caller, clock());
	});
}

/**
 * With `enforce`, ends the sessions of the domain's users that did not begin at its issuer, administrators excepted: also if
 * it was set before, so that a call that was cut short can be repeated.
 *
 * @throws AppError `domain.not_found`, `request.invalid` (`issuer_id`, `enforce`), `domain.unverified`.
 */
export async function updateDomain(
	needs: Needs<"domains" | "identityProviders" | "audit" | "sessions" | "users", "clock">,
	domain: string,
	patch: Patch<Fields>,
	caller: Caller,
): Promise<EmailDomain> {
	const { db, clock } = needs;
	const nowMs = clock();
	const { tenantId } = caller;
	const after = await db.transaction(async (stores) => {
		const before = found(await stores.domains.find(tenantId, domain), domainNotFound);
		const changes = differences<Fields>(before, patch);
		const { issuerId, enforce } = { ...before, ...changes };
		await checkSignsIn(stores, tenantId, issuerId);
		if (enforce) await checkEnforceable(stores, { ...before, issuerId });
		if (Object.keys(changes).length === 0) return before;
		await stores.domains.update(tenantId, before.id, changes, nowMs);
		const details = changeDetails(changes, ["issuerId", "enforce"]);
		const values = fieldChanges(before, changes);
		await stores.audit.append(caller, "domain.updated", domainTarget(before), details, values);
		return { ...before, ...changes, updatedAtMs: nowMs };
	});
	if (after.enforce) await endOtherSessions(needs, after);
	return after;
}

/** @throws AppError `domain.not_found`. */
export async function removeDomain(
	{ db }: Needs<"domains" | "audit">,
	domain: string,
	caller: Caller,
): Promise<void> {
	await db.transaction(async ({ domains, audit }) => {
		const before = found(await domains.find(caller.tenantId, domain), domainNotFound);
		await domains.remove(caller.tenantId, before.id);
		await audit.append(caller, "domain.removed", domainTarget(before));
	});
}

/** Locks the issuer, which therefore is not deleted meanwhile. */
async function checkSignsIn(
	{ identityProviders }: Stores<"identityProviders">,
	tenantId: string,
	issuerId: string | null,
): Promise<void> {
	if (issuerId === null) return;
	await identityProviders.hold(tenantId, issuerId);
	const issuer = await identityProviders.findById(tenantId, issuerId);
	if (issuer === undefined || !isTrustedFor(issuer, "sign_in"))
		throw invalidField("issuer_id", "not_a_sign_in_issuer");
}

/** Only administrators could sign in otherwise. */
async function checkEnforceable(
	{ identityProviders }: Stores<"identityProviders">,
	{ tenantId, issuerId, verifiedAtMs }: EmailDomain,
): Promise<void> {
	if (verifiedAtMs === null) throw domainUnverified("verify it before you enforce its sign-in");
	const issuer = issuerId === null ? undefined : await identityProviders.findById(tenantId, issuerId);
	if (issuer?.enabled !== true) throw invalidField("enforce", "without_enabled_issuer");
}

/** In one transaction. */
const USERS_AT_ONCE = 50;

/** A sign-in that is under way meanwhile is refused at its first refresh. */
async function endOtherSessions(
	{ db, clock }: Needs<"domains" | "sessions" | "users", "clock">,
	{ tenantId, domain }: EmailDomain,
): Promise<void> {
	let last = "";
	for (;;) {
		const ids = await db.stores.sessions.listUserIds(tenantId, last, USERS_AT_ONCE);
		await db.transaction(async (stores) => {
			for (const id of ids) {
				const user = await stores.users.findById(tenantId, id);
				if (user !== undefined && domainOf(user.email) === domain)
					await endUnboundSessions(stores, user, clock());
			}
		});
		last = ids.at(-1) ?? "";
		if (ids.length < USERS_AT_ONCE) return;
	}
}
