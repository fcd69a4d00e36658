// Signs users in by assertions of other authorization servers, and records those that are issued for others.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { named, userTarget } from "../../../domain/audit.ts";
import { systemCaller, userCaller } from "../../../domain/caller.ts";
import { findEnforcedRefusal } from "../../../domain/enforced-sign-in.ts";
import { isTrustedFor } from "../../../domain/identity-provider.ts";
import type { OpenIdRules, RedeemedAssertion } from "../../../domain/openid-provider.ts";
import { ACCESS_TOKEN_SECONDS } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/id.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { newSession } from "../steps/open-session.ts";
import { AttemptRefused } from "../third-party/record-failure.ts";
import { findByAddress, type IdentityStore, resolveIdentity } from "../third-party/resolve-identity.ts";

type AssertionRules = Pick<OpenIdRules, "findAsserted" | "redeemAssertion" | "recordAssertion">;
export type AssertionStore = IdentityStore | "oauthGrants" | "oauthRecords";

export function createAssertionRules(needs: Needs<AssertionStore, "clock" | "wakeMail">): AssertionRules {
	const { db, clock, wakeMail } = needs;
	return {
		async findAsserted(issuer, { subject, email }) {
			const { thirdPartyAccounts } = db.stores;
			const linked = await thirdPartyAccounts.findUser(issuer.tenantId, issuer.provider, subject);
			if (linked !== undefined) return { user: linked.user, isLinked: true };
			const joinable = await findByAddress(db.stores, issuer, profileOf(subject, email));
			return joinable === undefined || joinable.isClosed
				? undefined
				: { user: joinable.user, isLinked: false };
		},
		async redeemAssertion(redeemed, origin) {
			const { client, user, isLinked } = redeemed;
			const { tenantId, id: issuerId } = redeemed.issuer;
			const nowMs = clock();
			const work = async (stores: Stores<AssertionStore>) => {
				if (!(await stores.oauthRecords.insert(redeemed.use))) return "used";
				const signIn = { issuerId, userId: user.id, clientId: client.applicationId };
				const extend = () => stores.oauthGrants.extendAsserted(signIn, nowMs, endsOf(nowMs));
				const known = isLinked ? await extend() : undefined;
				if (known !== undefined) return { grantId: known };
				// From now on, neither can be disabled, and no other request opens a session of this user.
				if (!(await stores.identityProviders.hold(tenantId, issuerId))) return "ended";
				const issuer = await stores.identityProviders.findById(tenantId, issuerId);
				if (issuer?.enabled !== true || !isTrustedFor(issuer, "assertions")) return "ended";
				if (!(await stores.users.noteSignIn(tenantId, user.id, nowMs))) return "ended";
				if ((await findEnforcedRefusal(stores, user, issuer.provider)) !== undefined) return "ended";
				if (!isLinked) await join(stores, { ...redeemed, issuer }, origin, nowMs);
				return { grantId: (await extend()) ?? (await open(stores, redeemed, origin, nowMs)) };
			};
			try {
				const outcome = await db.transaction(work);
				if (!isLinked) wakeMail();
				return outcome;
			} catch (error) {
				if (error instanceof AttemptRefused) return "ended";
				throw error;
			}
		},
		async recordAssertion({ client, user, audience, clientIdThere, resource = null, scopes }, origin) {
			const { tenantId, applicationId, application } = client;
			const app = { app_id: applicationId, app_name: application.name };
			const details = { ...app, audience, client_id: clientIdThere, resource, scopes };
			const target = named("user", user.id, user.username);
			await db.transaction(({ audit }) =>
				audit.append(systemCaller(tenantId, origin), "oauth.assertion_issued", target, details),
			);
		},
	};
}

/** An asserted address is verified. */
function profileOf(subject: string, email: string | null) {
	const unknown = { otherSubjects: [], username: null, displayName: null, avatarUrl: null };
	return { ...unknown, subject, email, isEmailVerified: true };
}

/** Assertions that follow within this time extend nothing. */
const SPARE_SECONDS = 30;

/** The grant and the session end with the last access token, or shortly after it. */
function endsOf(nowMs: number) {
	const neededMs = nowMs + ACCESS_TOKEN_SECONDS * SECOND_MS;
	return { neededMs, expiresAtMs: neededMs + SPARE_SECONDS * SECOND_MS };
}

/** Links the user whose address the issuer asserts, and tells them. @throws AttemptRefused */
async function join(
	stores: Stores<IdentityStore>,
	{ issuer, user, asserted: { subject, email } }: RedeemedAssertion,
	origin: Origin,
	nowMs: number,
): Promise<void> {
	const joined = await resolveIdentity(stores, {
		attempt: { tenantId: issuer.tenantId, linkTo: null },
		provider: { ...issuer, signUp: false },
		profile: profileOf(subject, email),
		newAccountId: newId(nowMs),
		newUserId: "",
		origin,
		nowMs,
	});
	if (joined.user.id !== user.id) throw new AttemptRefused("link_taken", user.id);
}

/** @returns the id of the grant. */
async function open(
	{ sessions, oauthGrants, audit }: Stores<"sessions" | "oauthGrants" | "audit">,
	{ issuer, client, user, asserted, grantId }: RedeemedAssertion,
	origin: Origin,
	nowMs: number,
): Promise<string> {
	const { tenantId, applicationId: appId } = client;
	const { amr, authTime } = asserted;
	const authenticatedAtMs = authTime === undefined ? nowMs : authTime * SECOND_MS;
	const { expiresAtMs: end } = endsOf(nowMs);
	const session = newSession(
		{ user, appId, amr, provider: issuer.provider, authenticatedAtMs },
		// Its refresh token is never issued.
		{ secretDigest: tokenDigest(randomToken()), refreshExpiresAtMs: end, absoluteExpiresAtMs: end },
		origin,
		nowMs,
	);
	await sessions.insert(session);
	const { id: sessionId } = session;
	const times = { createdAtMs: nowMs, expiresAtMs: end };
	const grant = { id: grantId, tenantId, clientId: appId, userId: user.id, sessionId, payload: {}, ...times };
	await oauthGrants.insertAsserted(grant, issuer.id);
	const details = { session_id: sessionId, app_id: appId, amr, provider: issuer.provider };
	await audit.append(userCaller(user, origin), "user.signed_in", userTarget(user), details);
	return grantId;
}
