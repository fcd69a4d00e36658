// Finds the user for an identity that was proved at a provider: linked before, linked now, or a new account.

import type { IdentityProvider } from "../../../domain/identity-provider.ts";
import type { ProviderProfile } from "../../../domain/provider-gateway.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { ThirdPartyAccount } from "../../../domain/third-party-account.ts";
import type { ThirdPartyAttempt } from "../../../domain/third-party-attempt.ts";
import { NO_PASSWORD, type User } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import type { Origin } from "../../../kernel/origin.ts";
import { mailOwner } from "../steps/mail-owner.ts";
import { accountFor, addressOf, usernameCandidates } from "./new-account.ts";
import { AttemptRefused } from "./record-failure.ts";

export type IdentityStore =
	| "identityProviders"
	| "thirdPartyAccounts"
	| "users"
	| "sessions"
	| "audit"
	| "mail";
type IdentityStores = Stores<IdentityStore>;

/** A proved identity, and ids for the rows that may have to be inserted. */
export interface ProvedIdentity {
	readonly attempt: ThirdPartyAttempt;
	readonly provider: IdentityProvider;
	readonly profile: ProviderProfile;
	readonly newAccountId: string;
	readonly newUserId: string;
	readonly origin: Origin;
	readonly nowMs: number;
}

export interface ResolvedIdentity {
	readonly user: User;
	readonly account: ThirdPartyAccount;
}

/**
 * Inside a transaction, which must roll back when this throws. Links of one provider are inserted under a row lock, so of
 * two callbacks of the same new person the second finds the account that the first created.
 *
 * @throws AttemptRefused
 */
export async function resolveIdentity(
	stores: IdentityStores,
	proved: ProvedIdentity,
): Promise<ResolvedIdentity> {
	const { attempt, provider, profile } = proved;
	const known = (await findLinked(stores, proved)) ?? (await findLinkedLocked(stores, proved));
	const linkTo = attempt.linkTo === null ? undefined : await findRequester(stores, proved);
	if (known !== undefined) {
		if (linkTo !== undefined && linkTo.id !== known.user.id)
			throw new AttemptRefused("link_taken", linkTo.id);
		// An id may appear after the first sign-in: WeChat's unionid.
		const ids = [profile.subject, ...profile.otherSubjects];
		await stores.thirdPartyAccounts.addAliases(known.account, ids);
		return known;
	}
	if (linkTo !== undefined) return link(stores, proved, linkTo, "by hand");
	const sameAddress = await findByAddress(stores, proved);
	if (sameAddress !== undefined) return link(stores, proved, sameAddress, "by e-mail");
	if (!provider.signUp) throw new AttemptRefused("sign_up_not_allowed");
	return link(stores, proved, await signUp(stores, proved), "with a new account");
}

/** By the subject first, then by the other ids of the person. */
async function findLinked(
	{ thirdPartyAccounts }: IdentityStores,
	{ provider, profile }: ProvedIdentity,
): Promise<ResolvedIdentity | undefined> {
	for (const subject of [profile.subject, ...profile.otherSubjects]) {
		const found = await thirdPartyAccounts.findUser(provider.tenantId, provider.provider, subject);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** Reads again under the lock, which shows links that were inserted meanwhile. */
async function findLinkedLocked(
	stores: IdentityStores,
	proved: ProvedIdentity,
): Promise<ResolvedIdentity | undefined> {
	const { tenantId, id } = proved.provider;
	if (!(await stores.identityProviders.hold(tenantId, id))) throw new AttemptRefused("provider_error");
	return findLinked(stores, proved);
}

/** The user who asked for the link, if still signed in. */
async function findRequester(
	{ sessions }: IdentityStores,
	{ attempt: { tenantId, linkTo }, nowMs }: ProvedIdentity,
): Promise<User> {
	const signedIn = linkTo === null ? undefined : await sessions.findSignedIn(linkTo.sessionId, nowMs);
	if (signedIn === undefined || signedIn.user.id !== linkTo?.userId || signedIn.tenantId !== tenantId)
		throw new AttemptRefused("session_ended", linkTo?.userId);
	// The session must not end before the link is committed, e.g. by a simultaneous password change.
	if (!(await sessions.hold(tenantId, signedIn.user.id, linkTo.sessionId)))
		throw new AttemptRefused("session_ended", linkTo.userId);
	return signedIn.user;
}

/**
 * The user with the same address, when both the provider and this service have verified it. Platform admins are excluded:
 * the tenant's admin, who manages its providers, could sign in as one of them.
 */
async function findByAddress(
	{ users }: IdentityStores,
	{ attempt: { tenantId }, profile }: ProvedIdentity,
): Promise<User | undefined> {
	const address = addressOf(profile);
	if (address === null || !address.isVerified) return undefined;
	const found = await users.findByLogin(tenantId, address.email);
	if (found === undefined) return undefined;
	const { passwordHash: _, ...user } = found;
	const mayLink =
		!user.roles.includes("platform_admin") &&
		(await users.holdVerifiedEmail(tenantId, user.id, address.email));
	if (!mayLink) throw new AttemptRefused("account_exists", user.id);
	return user;
}

async function signUp({ users, audit }: IdentityStores, proved: ProvedIdentity): Promise<User> {
	const { attempt, provider, profile, newUserId: id, origin, nowMs } = proved;
	const { tenantId } = attempt;
	const fields = accountFor(profile, { id, tenantId, nowMs });
	for (const username of usernameCandidates(profile, id)) {
		const user = { ...fields, username };
		const taken = await users.insert({ ...user, passwordHash: NO_PASSWORD });
		if (taken === "email") throw new AttemptRefused("account_exists");
		if (taken === "username") continue;
		const details = { username, status: user.status, provider: provider.provider };
		await audit.append({ tenantId, actor: `user:${id}`, origin }, "user.registered", `user:${id}`, details);
		return user;
	}
	throw new Error("a username with a part of a new id is taken");
}

async function link(
	stores: IdentityStores,
	{ attempt: { tenantId }, provider, profile, newAccountId: id, origin, nowMs }: ProvedIdentity,
	user: User,
	how: "by hand" | "by e-mail" | "with a new account",
): Promise<ResolvedIdentity> {
	const account: ThirdPartyAccount = {
		id,
		tenantId,
		userId: user.id,
		provider: provider.provider,
		providerUserId: profile.subject,
		linkedAtMs: nowMs,
	};
	// An admin may have linked the identity meanwhile, without the lock.
	if (!(await stores.thirdPartyAccounts.insert(account))) throw new AttemptRefused("link_taken", user.id);
	await stores.thirdPartyAccounts.addAliases(account, profile.otherSubjects);
	const caller = { tenantId, actor: `user:${user.id}`, origin } as const;
	const details = { account_id: id, provider: provider.provider, how };
	await stores.audit.append(caller, "third_party_account.linked", `user:${user.id}`, details);
	if (how !== "with a new account") {
		const message = { username: user.username, at: isoTime(nowMs), provider: provider.displayName };
		await mailOwner(stores, user, { kind: "third_party_account_linked", ...message }, origin);
	}
	return { user, account };
}
