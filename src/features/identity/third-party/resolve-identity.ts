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
import type { Origin } from "../../../kernel/origin.ts";
import { mailOwner } from "../steps/mail-owner.ts";
import { accountFields, addressOf, usernameCandidates } from "./new-account.ts";
import { AttemptRefused } from "./record-failure.ts";

export type IdentityStore =
	| "identityProviders"
	| "thirdPartyAccounts"
	| "users"
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
	const decidesAddresses = provider.emailDomains === "any";
	const sameAddress = decidesAddresses ? await findByAddress(stores, proved) : undefined;
	if (sameAddress !== undefined) return link(stores, proved, sameAddress, "by e-mail");
	if (!provider.signUp || !decidesAddresses) throw new AttemptRefused("sign_up_not_allowed");
	return link(stores, proved, await signUp(stores, proved), "with a new account");
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
 * The user with the same email address, if both the provider and this service have verified it. Excludes platform
 * admins, because an admin of the tenant, who manages its providers, could sign in as one of them. Also excludes invited
 * users, and for an issuer of assertions everyone with a role of the system: they link in person.
 */
async function findByAddress(
	{ users }: IdentityStores,
	{ attempt: { tenantId }, provider, profile }: ProvedIdentity,
): Promise<User | undefined> {
	const address = addressOf(profile);
	if (address === null || !address.isVerified) return undefined;
	const found = await users.findByLogin(tenantId, address.email);
	if (found === undefined) return undefined;
	const { passwordHash: _, ...user } = found;
	// An invitation can only be accepted with its link.
	const isPrivileged = isTrustedFor(provider, "assertions")
		? user.roles.length > 0
		: user.roles.includes("platform_admin");
	const isClosed = isPrivileged || user.status === "invited";
	if (isClosed || !(await users.holdVerifiedEmail(tenantId, user.id, address.email)))
		throw new AttemptRefused("account_exists", user.id);
	return user;
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
	await stores.audit.append(
		userCaller(user, origin),
		"third_party_account.linked",
		userTarget(user),
		details,
	);
	if (how !== "with a new account") {
		const message = { username: user.username, at: isoTime(nowMs), provider: provider.displayName };
		await mailOwner(stores, user, { kind: "third_party_account_linked", ...message }, origin);
	}
	return { user, account };
}
