// Removes grants and memberships that are over, and the sessions that only they allowed.

import { type AccessPair, BATCH_MAX, judgeAccess } from "../../../domain/access.ts";
import { userTarget } from "../../../domain/audit.ts";
import { systemCaller } from "../../../domain/caller.ts";
import { endedDetails as grantDetails } from "../../../domain/give-grant.ts";
import type { EndedGrant } from "../../../domain/grant.ts";
import type { EndedMember } from "../../../domain/group.ts";
import { getUser } from "../../../domain/user.ts";
import type { Needs } from "../../platform.ts";
import { endedDetails, getGroup } from "../groups/manage-group.ts";
import { getApplication } from "./manage-application.ts";
import { findSubject } from "./manage-grant.ts";

type Needed = Needs<
	| "accessFacts"
	| "apiClients"
	| "applications"
	| "audit"
	| "grants"
	| "groups"
	| "oauthGrants"
	| "sessions"
	| "users",
	"clock"
>;

/** Rows removed in one transaction. */
const BATCH = 500;

/**
 * No decision waits for this: it keeps the tables small and tells the audit trail and webhooks. Nodes share the work.
 *
 * @returns the number of removed rows
 */
export async function removeEnded(needed: Needed): Promise<number> {
	let removed = 0;
	const ofGroups = new Map<string, string[]>();
	for (;;) {
		const ended = await removeSome(needed);
		const count = ended.grants.length + ended.members.length;
		removed += count;
		for (const { subject, appId } of ended.grants)
			if (subject.kind === "group") ofGroups.set(subject.id, [...(ofGroups.get(subject.id) ?? []), appId]);
		for (const grant of ended.grants) await endSessionsOfGrant(needed, grant);
		for (const member of ended.members)
			await endSessionsOfMember(needed, member, ofGroups.get(member.groupId) ?? []);
		if (count < BATCH) return removed;
	}
}

interface Ended {
	readonly grants: readonly EndedGrant[];
	readonly members: readonly EndedMember[];
}

function removeSome({ db, clock }: Needed): Promise<Ended> {
	const now = clock();
	return db.transaction(async (stores) => {
		const grants = await stores.grants.takeEnded(now, BATCH);
		const members = await stores.groups.takeEnded(now, BATCH - grants.length);
		for (const grant of grants) {
			const { tenantId, appId, subject } = grant;
			const { name } = await getApplication(stores.applications, tenantId, appId);
			const target = await findSubject(stores, tenantId, appId, subject);
			await stores.audit.append(systemCaller(tenantId), "grant.expired", target, grantDetails(grant, name));
		}
		for (const member of members) {
			const { tenantId, groupId, userId } = member;
			const { name } = await getGroup(stores.groups, tenantId, groupId);
			const target = userTarget(await getUser(stores.users, tenantId, userId));
			const details = endedDetails(member, name);
			await stores.audit.append(systemCaller(tenantId), "group.member_expired", target, details);
		}
		return { grants, members };
	});
}

async function endSessionsOfGrant(needed: Needed, { tenantId, appId, subject }: EndedGrant): Promise<void> {
	if (subject.kind === "user") await endUnlessAllowed(needed, tenantId, [{ userId: subject.id, appId }]);
	if (subject.kind !== "group") return;
	for (let page = 1; ; page++) {
		const { items } = await needed.db.stores.groups.listMembers(tenantId, subject.id, {
			page,
			pageSize: BATCH_MAX,
		});
		const pairs = items.map(({ userId }) => ({ userId, appId }));
		await endUnlessAllowed(needed, tenantId, pairs);
		if (items.length < BATCH_MAX) return;
	}
}

/** @param ended applications of the group's grants that were removed as well: no list has them any more */
export async function endSessionsOfMember(
	needed: Needed,
	{ tenantId, groupId, userId }: Omit<EndedMember, "expiresAtMs">,
	ended: readonly string[],
): Promise<void> {
	for (let first = 0; first < ended.length; first += BATCH_MAX) {
		const pairs = ended.slice(first, first + BATCH_MAX).map((appId) => ({ userId, appId }));
		await endUnlessAllowed(needed, tenantId, pairs);
	}
	for (let page = 1; ; page++) {
		const { items } = await needed.db.stores.grants.listOfGroup(tenantId, groupId, {
			page,
			pageSize: BATCH_MAX,
		});
		await endUnlessAllowed(
			needed,
			tenantId,
			items.map(({ appId }) => ({ userId, appId })),
		);
		if (items.length < BATCH_MAX) return;
	}
}

/** Ends the sessions and tokens of users at applications that they may no longer use. */
export async function endUnlessAllowed(
	{ db }: Needed,
	tenantId: string,
	pairs: readonly AccessPair[],
): Promise<void> {
	if (pairs.length === 0) return;
	const facts = await db.stores.accessFacts.loadAll(tenantId, pairs);
	const denied = pairs.filter((_, index) => judgeAccess(facts[index] ?? NOTHING) !== "ok");
	for (const { userId, appId } of denied)
		await db.transaction(async ({ sessions, oauthGrants }) => {
			await sessions.endOfApplication(tenantId, userId, appId);
			await oauthGrants.endAll(userId, appId);
		});
}

const NOTHING = { user: undefined, application: undefined, grants: [] };
