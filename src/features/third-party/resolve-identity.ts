// Whose account it is that somebody has proved at a provider: linked before, joined, made anew, or nobody's.

import type { Origin } from "../../kernel/origin.ts";
import type { AuditLog } from "../audit/model.ts";
import type { SessionStore } from "../auth/model.ts";
import type { MailOutbox } from "../mail/model.ts";
import { NO_PASSWORD, type User, type UserStore } from "../users/model.ts";
import { linkedMail } from "./linked-mail.ts";
import type {
	IdentityProvider,
	IdentityProviderStore,
	ProviderProfile,
	ThirdPartyAccount,
	ThirdPartyAccountStore,
	ThirdPartyAttempt,
} from "./model.ts";
import { accountFor, addressOf, usernameCandidates } from "./new-account.ts";
import { AttemptRefused } from "./record-failure.ts";

export interface IdentityStores {
	readonly identityProviders: IdentityProviderStore;
	readonly thirdPartyAccounts: ThirdPartyAccountStore;
	readonly users: UserStore;
	readonly sessions: SessionStore;
	readonly audit: AuditLog;
	readonly mail: MailOutbox;
}

/** What was proved, where and when; ids for what may have to be made. */
export interface Proved {
	readonly attempt: ThirdPartyAttempt;
	readonly provider: IdentityProvider;
	readonly profile: ProviderProfile;
	readonly newAccountId: string;
	readonly newUserId: string;
	readonly origin: Origin;
	readonly nowMs: number;
}

export interface Resolved {
	readonly user: User;
	readonly account: ThirdPartyAccount;
}

/**
 * Inside a transaction, which must be undone when this throws. New links of one provider are made one by one, so of
 * two callbacks of the same new person the second finds what the first has made.
 *
 * @throws AttemptRefused
 */
export async function resolveIdentity(stores: IdentityStores, proved: Proved): Promise<Resolved> {
	const { attempt, provider, profile } = proved;
	const known = (await findKnown(stores, proved)) ?? (await findHeld(stores, proved));
	const linkTo = attempt.linkTo === null ? undefined : await findLinker(stores, proved);
	if (known !== undefined) {
		if (linkTo !== undefined && linkTo.id !== known.user.id)
			throw new AttemptRefused("link_taken", linkTo.id);
		// An id may come later than the first sign-in: WeChat's unionid.
		const ids = [profile.subject, ...profile.otherSubjects];
		await stores.thirdPartyAccounts.addAliases(known.account, ids);
		return known;
	}
	if (linkTo !== undefined) return link(stores, proved, linkTo, "by hand");
	const joined = await findByAddress(stores, proved);
	if (joined !== undefined) return link(stores, proved, joined, "by e-mail");
	if (!provider.signUp) throw new AttemptRefused("sign_up_not_allowed");
	return link(stores, proved, await signUp(stores, proved), "with a new account");
}

/** By the subject first, then by any other id of the same person. */
async function findKnown(
	stores: IdentityStores,
	{ provider, profile }: Proved,
): Promise<Resolved | undefined> {
	for (const subject of [profile.subject, ...profile.otherSubjects]) {
		const found = await stores.thirdPartyAccounts.findUser(provider.tenantId, provider.provider, subject);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** Looked for again once nobody else can link: whoever was before us is seen now. */
async function findHeld(stores: IdentityStores, proved: Proved): Promise<Resolved | undefined> {
	const { tenantId, id } = proved.provider;
	if (!(await stores.identityProviders.hold(tenantId, id))) throw new AttemptRefused("provider_error");
	return findKnown(stores, proved);
}

/** Whoever asked for the link, if they are still signed in. */
async function findLinker({ sessions }: IdentityStores, { attempt, nowMs }: Proved): Promise<User> {
	const linkTo = attempt.linkTo;
	const signedIn = linkTo === null ? undefined : await sessions.findSignedIn(linkTo.sessionId, nowMs);
	if (signedIn === undefined || signedIn.user.id !== linkTo?.userId || signedIn.tenantId !== attempt.tenantId)
		throw new AttemptRefused("session_ended", linkTo?.userId);
	// Whoever is signed out by a new password in this very moment links nothing any more.
	if (!(await sessions.hold(attempt.tenantId, signedIn.user.id, linkTo.sessionId)))
		throw new AttemptRefused("session_ended", linkTo.userId);
	return signedIn.user;
}

/**
 * The account with the same address, when the provider says the address is verified and we know it to be, too. A
 * platform admin is never joined: the tenant's admin, who manages its providers, could become them.
 */
async function findByAddress(
	{ users }: IdentityStores,
	{ attempt, profile }: Proved,
): Promise<User | undefined> {
	const address = addressOf(profile);
	if (address === null || !address.isVerified) return undefined;
	const found = await users.findByLogin(attempt.tenantId, address.email);
	if (found === undefined) return undefined;
	const { passwordHash: _, ...user } = found;
	const mayJoin =
		!user.roles.includes("platform_admin") &&
		(await users.holdVerifiedEmail(attempt.tenantId, user.id, address.email));
	if (!mayJoin) throw new AttemptRefused("account_exists", user.id);
	return user;
}

async function signUp({ users, audit }: IdentityStores, proved: Proved): Promise<User> {
	const { attempt, provider, profile, newUserId: id, origin, nowMs } = proved;
	const fields = accountFor(profile, { id, tenantId: attempt.tenantId, nowMs });
	for (const username of usernameCandidates(profile, id)) {
		const user = { ...fields, username };
		const taken = await users.insert({ ...user, passwordHash: NO_PASSWORD });
		if (taken === "email") throw new AttemptRefused("account_exists");
		if (taken === "username") continue;
		await audit.append({
			tenantId: user.tenantId,
			actor: `user:${id}`,
			action: "user.registered",
			target: `user:${id}`,
			origin,
			details: { username, status: user.status, provider: provider.provider },
		});
		return user;
	}
	throw new Error("a username with a piece of a new id is taken");
}

async function link(
	{ thirdPartyAccounts, audit, mail }: IdentityStores,
	{ attempt, provider, profile, newAccountId, origin, nowMs }: Proved,
	user: User,
	how: "by hand" | "by e-mail" | "with a new account",
): Promise<Resolved> {
	const account: ThirdPartyAccount = {
		id: newAccountId,
		tenantId: attempt.tenantId,
		userId: user.id,
		provider: provider.provider,
		providerUserId: profile.subject,
		linkedAtMs: nowMs,
	};
	// An admin may have linked it by hand in this very moment.
	if (!(await thirdPartyAccounts.insert(account))) throw new AttemptRefused("link_taken", user.id);
	await thirdPartyAccounts.addAliases(account, profile.otherSubjects);
	await audit.append({
		tenantId: attempt.tenantId,
		actor: `user:${user.id}`,
		action: "third_party_account.linked",
		target: `user:${user.id}`,
		origin,
		details: { account_id: account.id, provider: account.provider, how },
	});
	// Whoever has just made the account knows.
	if (how !== "with a new account") await mail.put(linkedMail(user, provider.displayName, nowMs, origin));
	return { user, account };
}
