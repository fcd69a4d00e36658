// Takes away what an item of a review names, or lets it end earlier.

import { named, userTarget } from "../../../domain/audit.ts";
import { type Caller, systemCaller } from "../../../domain/caller.ts";
import { endKey, endUnlentKeys } from "../../../domain/end-admin-keys.ts";
import { endUnboundSessions } from "../../../domain/enforced-sign-in.ts";
import { giveGrant, grantDetails } from "../../../domain/give-grant.ts";
import { programTarget } from "../../../domain/program.ts";
import {
	type AccessSource,
	type FoundAccess,
	isOfPlatformAdmin,
	type Review,
	type ReviewItem,
	type SourceKind,
} from "../../../domain/review.ts";
import type { Stores } from "../../../domain/stores.ts";
import { isActiveAdmin } from "../../../domain/system-role.ts";
import { getUser, type User } from "../../../domain/user.ts";
import { isoTime, isoTimeOrNull } from "../../../kernel/clock.ts";
import type { ErrorCode } from "../../../kernel/error.ts";
import { invalidField } from "../../../kernel/error.ts";
import { changeMember } from "../groups/manage-group.ts";

export type EndingStores =
	| "accessFacts"
	| "adminKeys"
	| "apiClients"
	| "applicationRoles"
	| "applications"
	| "audit"
	| "domains"
	| "grants"
	| "groups"
	| "mail"
	| "oauthGrants"
	| "programs"
	| "reviews"
	| "sessions"
	| "users";

interface Ending {
	readonly stores: Stores<EndingStores>;
	readonly review: Review;
	readonly access: FoundAccess;
	readonly source: AccessSource;
	readonly caller: Caller;
	readonly nowMs: number;
	/** Whether a platform admin decided: the snapshot shows that the item is about another one. */
	readonly isOfPlatform: boolean;
}

type Refusal = Extract<ErrorCode, "user.last_admin" | "role.required" | "review.decided">;

/** @returns the code of the reason why it cannot end; nothing if it ended. */
type End = (ending: Ending) => Promise<Refusal | undefined>;

const keyOf = ({ kind, id, createdAtMs }: AccessSource) => `${kind} ${id} ${createdAtMs}`;

/** Each once: a membership is a source for each application of its group. */
function once(sources: readonly AccessSource[]): AccessSource[] {
	return [...new Map(sources.map((source) => [keyOf(source), source])).values()];
}

/**
 * Inside a transaction. Ends the sources of the item that still exist; what the subject got since then remains.
 *
 * @returns the ended sources, and the reason why one cannot end.
 */
export async function endAccess(
	stores: Stores<EndingStores>,
	review: Review,
	item: ReviewItem,
	nowMs: number,
): Promise<{ readonly ended: readonly AccessSource[]; readonly failure: Refusal | "" }> {
	const current = await stores.reviews.findAccess(review, [item.subjectId]);
	const access = current.find(({ appId }) => appId === item.appId);
	const wasNamed = new Set(item.sources.map(keyOf));
	// A reviewer decided about what others give; only a reviewer takes it away.
	const kept =
		item.state === "open" && item.sources.some(({ kind }) => kind === "group")
			? await stores.reviews.findKept(review, item.subjectId)
			: [];
	const isKept = new Set(kept.flatMap(({ sources }) => sources.map(keyOf)));
	const ended: AccessSource[] = [];
	let failure: Refusal | "" = "";
	for (const source of once(access?.sources ?? [])) {
		if (access === undefined || !wasNamed.has(keyOf(source))) continue;
		if (source.kind === "group" && isKept.has(keyOf(source))) {
			failure = "review.decided";
			continue;
		}
		const caller = systemCaller(review.tenantId);
		const isOfPlatform = item.decidedBy !== null && isOfPlatformAdmin(item);
		const refusal = await ENDS[source.kind]({ stores, review, access, source, caller, nowMs, isOfPlatform });
		if (typeof refusal === "string") failure = refusal;
		else ended.push(source);
	}
	return { ended, failure };
}

const ENDS: Readonly<Record<SourceKind, End>> = {
	grant: (ending) => endGrant(ending, "user"),
	program_grant: (ending) => endGrant(ending, "program"),
	async group({ stores: { groups, users, audit }, review, access, source, caller }) {
		if (!(await groups.removeMember(review.tenantId, source.id, access.subjectId))) return undefined;
		const user = await getUser(users, review.tenantId, access.subjectId);
		const details = { group_id: source.id, group_name: source.name, review_id: review.id };
		await audit.append(caller, "group_member.removed", userTarget(user), details);
		return undefined;
	},
	async system_roles({ stores, review, access, caller, nowMs, isOfPlatform }) {
		const { users, audit } = stores;
		const { tenantId } = review;
		// Count before reading the row: this takes the lock under which admins are removed.
		const otherAdmins = await users.countOtherActiveAdmins(tenantId, access.subjectId);
		const user = await getUser(users, tenantId, access.subjectId);
		const refusal = refusalOf(user, otherAdmins, isOfPlatform);
		if (refusal !== undefined) return refusal;
		await users.update(tenantId, user.id, { roles: [] }, nowMs);
		await audit.append(
			caller,
			"user.updated",
			userTarget(user),
			{ fields: ["roles"], roles: [], review_id: review.id },
			{ roles: { from: user.roles, to: [] } },
		);
		await endUnlentKeys(stores, { ...user, roles: [] }, caller);
		await endUnboundSessions(stores, { ...user, roles: [] }, nowMs);
		return undefined;
	},
	async api_client({ stores: { apiClients, audit }, review, source, caller, nowMs }) {
		const client = await apiClients.findForUpdate(review.tenantId, source.id);
		if (client === undefined || client.status === "disabled") return undefined;
		await apiClients.update(review.tenantId, source.id, { status: "disabled" }, nowMs);
		await audit.append(
			caller,
			"api_client.updated",
			named("api_client", client.id, client.name),
			{ fields: ["status"], status: "disabled", review_id: review.id },
			{ status: { from: client.status, to: "disabled" } },
		);
		return undefined;
	},
	async program({ stores: { programs, audit }, review, source, caller, nowMs }) {
		const program = await programs.find(review.tenantId, source.id);
		if (program?.status !== "active") return undefined;
		const suspended = { status: "suspended", suspendedBy: "administrator" } as const;
		await programs.update(review.tenantId, source.id, suspended, nowMs);
		await audit.append(caller, "program.suspended", programTarget(program), { review_id: review.id });
		return undefined;
	},
	async admin_key({ stores, source, caller }) {
		await endKey(stores, source.id, "review", caller);
		return undefined;
	},
};

/** A tenant keeps an administrator, and only platform admins decide about each other. */
function refusalOf(user: User, otherAdmins: number, isOfPlatform: boolean): Refusal | undefined {
	if (isActiveAdmin(user) && otherAdmins === 0) return "user.last_admin";
	return user.roles.includes("platform_admin") && !isOfPlatform ? "role.required" : undefined;
}

async function endGrant(
	{ stores: { grants, audit, users }, review, access, caller }: Ending,
	kind: "user" | "program",
): Promise<undefined> {
	const { subjectId: id, appId } = access;
	const removed = appId === null ? undefined : await grants.remove(review.tenantId, appId, { kind, id });
	if (removed === undefined) return undefined;
	const target =
		kind === "user"
			? userTarget(await getUser(users, review.tenantId, id))
			: named("oauth_client", id, access.subjectName);
	const details = { ...grantDetails(removed, access.appName), review_id: review.id };
	await audit.append(caller, "grant.removed", target, details);
	return undefined;
}

/**
 * Inside a transaction. Sources that end before that time stay as they are.
 *
 * @throws AppError `request.invalid` (`expires_at`) if nothing of it has an end that can change.
 */
export async function shortenAccess(
	stores: Stores<EndingStores>,
	review: Review,
	access: FoundAccess | undefined,
	expiresAtMs: number,
	caller: Caller,
	nowMs: number,
): Promise<void> {
	for (const source of once(access?.sources ?? [])) {
		const shorten = SHORTENS[source.kind];
		if (access === undefined || shorten === undefined)
			throw invalidField("expires_at", "absent_for_subject", { subject: source.kind });
		if (source.expiresAtMs === null || source.expiresAtMs > expiresAtMs)
			await shorten({ stores, review, access, source, caller, nowMs, isOfPlatform: false }, expiresAtMs);
	}
}

type Shorten = (ending: Ending, expiresAtMs: number) => Promise<unknown>;

/** System roles have no end, and that of an admin key is fixed. */
const SHORTENS: Readonly<Partial<Record<SourceKind, Shorten>>> = {
	grant: async (ending, expiresAtMs) => {
		const user = await getUser(ending.stores.users, ending.review.tenantId, ending.access.subjectId);
		await shortenGrant(ending, "user", userTarget(user), expiresAtMs);
	},
	program_grant: (ending, expiresAtMs) =>
		shortenGrant(
			ending,
			"program",
			named("oauth_client", ending.access.subjectId, ending.access.subjectName),
			expiresAtMs,
		),
	group: ({ stores, access, source, caller, nowMs }, expiresAtMs) =>
		changeMember(stores, { groupId: source.id, userId: access.subjectId }, expiresAtMs, caller, nowMs),
	api_client: (ending, expiresAtMs) => shortenHolder(ending, "api_client", expiresAtMs),
	program: (ending, expiresAtMs) => shortenHolder(ending, "program", expiresAtMs),
};

async function shortenHolder(
	{ stores, review, source, access, caller, nowMs }: Ending,
	kind: "api_client" | "program",
	expiresAtMs: number,
): Promise<void> {
	const store = kind === "program" ? stores.programs : stores.apiClients;
	await store.update(review.tenantId, source.id, { expiresAtMs }, nowMs);
	const to = isoTime(expiresAtMs);
	await stores.audit.append(
		caller,
		`${kind}.updated`,
		named(kind, source.id, access.subjectName),
		{ fields: ["expires_at"], expires_at: to, review_id: review.id },
		{ expires_at: { from: isoTimeOrNull(source.expiresAtMs), to } },
	);
}

async function shortenGrant(
	{ stores, access, source, caller, nowMs }: Ending,
	kind: "user" | "program",
	target: Parameters<typeof giveGrant>[1]["target"],
	expiresAtMs: number,
): Promise<void> {
	const { subjectId: id, appId, appName } = access;
	if (appId === null) throw new Error("a grant has no application");
	const application = { id: appId, name: appName };
	const wanted = { application, subject: { kind, id }, target, roles: source.roles, terms: { expiresAtMs } };
	await giveGrant(stores, wanted, caller, nowMs);
}
