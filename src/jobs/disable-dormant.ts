// Warns people and API clients without use, and disables them 14 days later.

import { named, userTarget } from "../domain/audit.ts";
import { systemCaller } from "../domain/caller.ts";
import { type DormantKind, type DormantQuery, dormantQueries, WARNED_DAYS } from "../domain/dormancy.ts";
import { endUnlentKeys } from "../domain/end-admin-keys.ts";
import type { Stores } from "../domain/stores.ts";
import { isActiveAdmin } from "../domain/system-role.ts";
import { DEFAULT_TENANT_SLUG, type Tenant } from "../domain/tenant.ts";
import { mailOwner } from "../features/identity/steps/mail-owner.ts";
import { addressMail, mailReviewers } from "../features/partners/steps/address-mail.ts";
import type { Needs } from "../features/platform.ts";
import { DAY_MS, isoTime } from "../kernel/clock.ts";
import { SYSTEM_ORIGIN } from "../kernel/origin.ts";

type Needed = Needs<
	"adminKeys" | "apiClients" | "audit" | "dormancy" | "mail" | "sessions" | "tenants" | "users",
	"clock" | "publicUrl" | "wakeMail"
>;

/** Accounts of one kind that one run warns, and that it disables, in each tenant: it must not flood a mail server. */
const PER_RUN = 500;

/** One account in one transaction: whether it still has to end. */
type Step = (
	stores: Needed["db"]["stores"],
	query: DormantQuery,
	id: string,
	nowMs: number,
) => Promise<boolean>;

/**
 * Several nodes may run it: one conditional UPDATE decides about each account. What fails is tried again by the next run.
 *
 * @returns the number of accounts that were warned or disabled
 */
export async function disableDormant(needed: Needed): Promise<number> {
	const { tenants } = needed.db.stores;
	let changed = 0;
	for (const tenant of await tenants.listAll()) {
		const { dormantAfterDays, clientDormantAfterDays } = tenant;
		changed += await run(needed, "user", tenant, dormantAfterDays, {
			warn: warnUser(signInUrl(needed.publicUrl, tenant)),
			disable: disableUser,
		});
		const ofClients = { warn: warnClient, disable: disableClient };
		changed += await run(needed, "api_client", tenant, clientDormantAfterDays, ofClients);
	}
	return changed;
}

async function run(
	{ db, clock, wakeMail }: Needed,
	kind: DormantKind,
	{ id: tenantId }: Tenant,
	days: number | null,
	{ warn, disable }: { readonly warn: Step; readonly disable: Step },
): Promise<number> {
	if (days === null) return 0;
	const { toDisable, toWarn } = dormantQueries(tenantId, days, clock());
	let changed = 0;
	for (const [query, step] of [
		[toDisable, disable],
		[toWarn, warn],
	] as const)
		for (const id of await db.stores.dormancy.list(kind, query, PER_RUN))
			if (await db.transaction((stores) => step(stores, query, id, clock()))) changed++;
	if (changed > 0) wakeMail();
	return changed;
}

/** @returns undefined for the last active admin and platform admin, who never end, and for a user who was deleted. */
async function findEnding({ users }: Stores<"users">, { tenantId }: DormantQuery, id: string) {
	// Count before reading the row: this takes the lock under which admins are removed.
	const otherAdmins = await users.countOtherActiveAdmins(tenantId, id);
	const user = await users.findById(tenantId, id);
	if (user === undefined || (isActiveAdmin(user) && otherAdmins === 0)) return undefined;
	const isLast =
		user.roles.includes("platform_admin") &&
		(await users.countOtherActiveAdmins(tenantId, id, "platform_admin")) === 0;
	return isLast ? undefined : user;
}

function warnUser(signInUrl: string): Step {
	return async (stores, query, id, nowMs) => {
		const user = await findEnding(stores, query, id);
		if (user === undefined || !(await stores.dormancy.warn("user", query, id, nowMs))) return false;
		const disableAt = endOf(nowMs);
		const caller = systemCaller(query.tenantId);
		await stores.audit.append(caller, "user.dormancy_warned", userTarget(user), { disable_at: disableAt });
		const message = { kind: "account_dormant", username: user.username, disableAt, signInUrl } as const;
		await mailOwner(stores, user, message, SYSTEM_ORIGIN);
		return true;
	};
}

const DISABLED = { fields: ["status"], status: "disabled", reason: "dormant" } as const;
const CHANGED = { status: { from: "active", to: "disabled" } } as const;

const disableUser: Step = async (stores, query, id, nowMs) => {
	const user = await findEnding(stores, query, id);
	if (user === undefined || !(await stores.dormancy.disable("user", query, id, nowMs))) return false;
	const caller = systemCaller(query.tenantId);
	await stores.sessions.endAll(query.tenantId, id, nowMs);
	await stores.audit.append(caller, "user.updated", userTarget(user), DISABLED, CHANGED);
	await endUnlentKeys(stores, { ...user, status: "disabled" }, caller);
	return true;
};

const warnClient: Step = async (stores, query, id, nowMs) => {
	const { tenantId } = query;
	const client = await stores.apiClients.findById(tenantId, id);
	if (client === undefined || !(await stores.dormancy.warn("api_client", query, id, nowMs))) return false;
	const { name: clientName, owner } = client;
	const disableAt = endOf(nowMs);
	const target = named("api_client", id, clientName);
	const details = { disable_at: disableAt };
	await stores.audit.append(systemCaller(tenantId), "api_client.dormancy_warned", target, details);
	const message = {
		kind: "api_client_dormant",
		ownerName: owner?.name ?? "",
		clientName,
		disableAt,
	} as const;
	if (owner === null) await mailReviewers(stores, tenantId, message);
	else await stores.mail.put(addressMail(tenantId, owner, message));
	return true;
};

const disableClient: Step = async (stores, query, id, nowMs) => {
	const client = await stores.apiClients.findById(query.tenantId, id);
	if (client === undefined || !(await stores.dormancy.disable("api_client", query, id, nowMs))) return false;
	const target = named("api_client", id, client.name);
	await stores.audit.append(systemCaller(query.tenantId), "api_client.updated", target, DISABLED, CHANGED);
	return true;
};

function endOf(warnedAtMs: number): string {
	return isoTime(warnedAtMs + WARNED_DAYS * DAY_MS);
}

function signInUrl(publicUrl: string, { slug }: Tenant): string {
	return slug === DEFAULT_TENANT_SLUG ? `${publicUrl}/sign-in` : `${publicUrl}/sign-in?tenant=${slug}`;
}
