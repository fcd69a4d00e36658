// Finds the user of an account that a provider authenticated: already linked, linked now, or created.

import { userTarget } from "../../../domain/audit.ts";
import { userCaller } from "../../../domain/caller.ts";
import { type IdentityProvider, isTrustedFor } from "../../../domain/identity-provider.ts";
import { localeOfRequest } from "../../../domain/locale.ts";
import { newUser } from "../../../domain/new-user.ts";
import type { ProviderProfile } from "../../../domain/provider-gateway.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { ThirdPartyAccount } from "../../../domain/third-party-account.ts";
import type { ThirdPartyAttempt } from "../../../domain/third-party-attempt.ts";
import { NO_PASSWORD, type User } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { domainOf } from "../../../kernel/email-address.ts";
import type { Origin } from "../../../kernel/origin.ts";
import { mailOwner } from "../steps/mail-owner.ts";
import { accountFields, addressOf, usernameCandidates } from "./new-account.ts";
import { AttemptRefused } from "./record-failure.ts";

export type IdentityStore =
	| "domains"
	| "identityProviders"
	| "thirdPartyAccounts"
	| "users"
	| "directoryPeople"
	| "sessions"
	| "audit"
	| "mail";
type IdentityStores = Stores<IdentityStore>;

/** An account that a provider authenticated, and ids for rows that may be inserted. */
interface ProvedIdentity {
	readonly attempt: Pick<ThirdPartyAttempt, "tenantId" | "linkTo">;
	readonly provider: IdentityProvider;
	readonly profile: ProviderProfile;
	readonly newAccountId: string;
	readonly newUserId: string;
	readonly origin: Origin;
	readonly nowMs: number;
}

interface ResolvedIdentity {
	readonly user: User;
	readonly account: ThirdPartyAccount;
}

/**
 * Inside a transaction, which must roll back if this throws. Inserts the links of one provider under a row lock, so that
 * of two callbacks of the same new user, the second finds the account that the first created.
 *
 * @throws AttemptRefused
 */
export async function resolveIdentity(
	stores: IdentityStores,
	proved: ProvedIdentity,
): Promise<ResolvedIdentity> {
	const { attempt, provider, profile } = proved;
	let known = await findLinked(stores, proved);
	if (known === undefined) {
		// Read again under the lock, which reveals links that were inserted in the meantime.
		const isHeld = await stores.identityProviders.hold(provider.tenantId, provider.id);
		if (!isHeld) throw new AttemptRefused("provider_error");
		known = await findLinked(stores, proved);
	}
	const linkTo = attempt.linkTo === null ? undefined : await findRequester(stores, proved, attempt.linkTo);
	if (known !== undefined) {
		if (linkTo !== undefined && linkTo.id !== known.user.id)
			throw new AttemptRefused("link_taken", linkTo.id);
		// An id may appear after the first sign-in, such as the unionid of WeChat.
		await stores.thirdPartyAccounts.addAliases(known.account, [profile.subject, ...profile.otherSubjects]);
		return known;
	}
	if (linkTo !== undefined) return link(stores, proved, linkTo, "by hand");
	const word = await judgeWord(stores, provider, profile);
	if (word.isEnforcedElsewhere) throw new AttemptRefused("sign_in_enforced");
	const judged = { ...proved, profile: { ...profile, isEmailVerified: word.isVerified } };
	const same = await findByAddress(stores, provider, profile);
	if (same !== undefined) {
		const { user, isClosed } = same;
		if (isClosed || !(await stores.users.holdVerifiedEmail(user.tenantId, user.id, user.email)))
			throw new AttemptRefused("account_exists", user.id);
		return link(stores, judged, user, "by e-mail");
	}
	if (!provider.signUp || !word.counts) throw new AttemptRefused("sign_up_not_allowed");
	return link(stores, judged, await signUp(stores, judged), "with a new account");
}

/** What the word of a provider about an address is worth. */
interface Word {
	/** Whether it joins and creates users with the address. */
	readonly counts: boolean;
	readonly isVerified: boolean;
	/** Whether it counts only in some domains. */
	readonly isRestricted: boolean;
	/** Whether the people of the domain sign in at another provider only. */
	readonly isEnforcedElsewhere: boolean;
}

/**
 * A provider with verified domains, and one that must have them, decides about the addresses of these domains only, and
 * there also without `email_verified`, unless it is false. At a domain whose sign-in is enforced, no other provider decides.
 */
async function judgeWord(
	{ domains }: Stores<"domains">,
	{ id, tenantId, kind, emailDomains }: IdentityProvider,
	profile: ProviderProfile,
): Promise<Word> {
	const address = addressOf(profile);
	const domain = address === null ? "" : domainOf(address.email);
	const route = await domains.findRoute(tenantId, domain);
	const isEnforcedElsewhere = route?.enforce === true && route.issuerId !== id;
	const owned = await domains.listOfIssuer(tenantId, id);
	const isOwn = owned.some((one) => one.domain === domain && one.verifiedAtMs !== null);
	// Also by a domain that lost its record: its owner must not gain the addresses of everyone else by removing it.
	const isRestricted = emailDomains !== "any" || owned.some(({ recordSeenAtMs }) => recordSeenAtMs !== null);
	const isVerified =
		profile.isEmailVerified || (isOwn && kind === "oidc" && profile.isEmailUnstated === true);
	return {
		counts: !isEnforcedElsewhere && (isOwn || !isRestricted),
		isVerified,
		isRestricted,
		isEnforcedElsewhere,
	};
}

/** By the subject first, then by the other ids of the user. */
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

/** The user who requested the link, if still signed in. */
async function findRequester(
	{ sessions }: IdentityStores,
	{ attempt: { tenantId }, nowMs }: ProvedIdentity,
	{ userId, sessionId }: NonNullable<ThirdPartyAttempt["linkTo"]>,
): Promise<User> {
	const signedIn = await sessions.findSignedIn(sessionId, nowMs);
	const isRequester = signedIn?.user.id === userId && signedIn.tenantId === tenantId;
	// The session must not end before the link is committed, e.g. through a concurrent password change.
	if (!isRequester || !(await sessions.hold(tenantId, userId, sessionId)))
		throw new AttemptRefused("session_ended", userId);
	return signedIn.user;
}

/**
 * The user with the same email address, where the provider decides about it. Closed unless both have verified it.
 * Also closed: platform admins, because an admin of the tenant, who manages its providers, could sign in as one of them;
 * invited users; people of a directory, who sign in at its issuer; and for an issuer of assertions or of some domains everyone
 * with a role of the system: they link in person.
 */
export async function findByAddress(
	stores: Stores<"domains" | "directoryPeople" | "users">,
	provider: IdentityProvider,
	profile: ProviderProfile,
): Promise<{ readonly user: User; readonly isClosed: boolean } | undefined> {
	const { counts, isVerified, isRestricted } = await judgeWord(stores, provider, profile);
	const address = counts ? addressOf({ ...profile, isEmailVerified: isVerified }) : null;
	if (address === null || !address.isVerified) return undefined;
	const found = await stores.users.findByLogin(provider.tenantId, address.email);
	if (found === undefined) return undefined;
	const { passwordHash: _, ...user } = found;
	const isPrivileged =
		isRestricted || isTrustedFor(provider, "assertions")
			? user.roles.length > 0
			: user.roles.includes("platform_admin");
	const isOfDirectory = (await stores.directoryPeople.findOfUser(user.tenantId, user.id)) !== undefined;
	// An invitation can only be accepted with its link.
	const isClosed = isPrivileged || isOfDirectory || user.status === "invited" || !user.emailVerified;
	return { user, isClosed };
}

async function signUp({ users, audit }: IdentityStores, proved: ProvedIdentity): Promise<User> {
	const { attempt, provider, profile, newUserId: id, origin, nowMs } = proved;
	const { tenantId } = attempt;
	const locale = localeOfRequest(origin.acceptLanguage);
	const fields = { ...accountFields(profile, id), tenantId, locale };
	for (const username of usernameCandidates(profile, id)) {
		const user = newUser({ ...fields, username }, nowMs);
		const taken = await users.insert({ ...user, passwordHash: NO_PASSWORD });
		if (taken === "email") throw new AttemptRefused("account_exists");
		if (taken === "username") continue;
		const details = { username, status: user.status, provider: provider.provider };
		await audit.append(userCaller(user, origin), "user.registered", userTarget(user), details);
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
	const identity = { provider: provider.provider, providerUserId: profile.subject };
	const account: ThirdPartyAccount = { id, tenantId, userId: user.id, ...identity, linkedAtMs: nowMs };
	// An administrator may have linked the account in the meantime, without the lock.
	if (!(await stores.thirdPartyAccounts.insert(account))) throw new AttemptRefused("link_taken", user.id);
	await stores.thirdPartyAccounts.addAliases(account, profile.otherSubjects);
	const details = { account_id: id, provider: provider.provider, how };
	const caller = userCaller(user, origin);
	await stores.audit.append(caller, "third_party_account.linked", userTarget(user), details);
	if (how !== "with a new account") {
		const message = { username: user.username, at: isoTime(nowMs), provider: provider.displayName };
		await mailOwner(stores, user, { kind: "third_party_account_linked", ...message }, origin);
	}
	return { user, account };
}
