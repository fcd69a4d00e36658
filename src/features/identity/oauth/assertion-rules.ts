// Signs users in by assertions of other authorization servers, and records those that are issued for others.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { named, userTarget } from "../../../domain/audit.ts";
import { systemCaller, userCaller } from "../../../domain/caller.ts";
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
import { type IdentityStore, resolveIdentity } from "../third-party/resolve-identity.ts";

type AssertionRules = Pick<OpenIdRules, "findAsserted" | "redeemAssertion" | "recordAssertion">;
export type AssertionStore = IdentityStore | "oauthGrants" | "oauthRecords";

export function createAssertionRules({
	db,
	clock,
	wakeMail,
}: Needs<AssertionStore, "clock" | "wakeMail">): AssertionRules {
	return {
		async findAsserted({ issuer, asserted: { subject, email }, use }, origin) {
			const { tenantId, provider } = issuer;
			const linked = await db.stores.thirdPartyAccounts.findUser(tenantId, provider, subject);
			if (linked !== undefined || email === null || issuer.emailDomains !== "any") return linked?.user.id;
			const nowMs = clock();
			const proved = {
				attempt: { tenantId, linkTo: null },
				provider: { ...issuer, signUp: false },
				profile: { ...NO_PROFILE, subject, email, isEmailVerified: true },
				newAccountId: newId(nowMs),
				newUserId: "",
				origin,
				nowMs,
			};
			try {
				const joined = await db.transaction(async (stores) => {
					// Its user may have ended the link that it made.
					if ((await stores.oauthRecords.findLive(use.digest, nowMs)) !== undefined) return undefined;
					const { user } = await resolveIdentity(stores, proved);
					if (user.status !== "active") throw new AttemptRefused("account_disabled", user.id);
					return user;
				});
				wakeMail();
				return joined?.id;
			} catch (error) {
				if (error instanceof AttemptRefused) return undefined;
				throw error;
			}
		},
		async redeemAssertion(redeemed, origin) {
			const nowMs = clock();
			return await db.transaction(async (stores) => {
				if (!(await stores.oauthRecords.insert(redeemed.use))) return "used";
				const signIn = {
					issuerId: redeemed.issuer.id,
					userId: redeemed.user.id,
					clientId: redeemed.client.applicationId,
				};
				const extend = () => stores.oauthGrants.extendAsserted(signIn, nowMs, endOf(nowMs));
				const known = await extend();
				if (known !== undefined) return { grantId: known };
				// From now on, neither can be disabled, and no other request opens a session of this user.
				const isHeld = await stores.identityProviders.hold(redeemed.issuer.tenantId, redeemed.issuer.id);
				if (!isHeld || !(await isTrusted(stores, redeemed))) return "ended";
				if (!(await stores.users.noteSignIn(redeemed.user.tenantId, redeemed.user.id, nowMs))) return "ended";
				return { grantId: (await extend()) ?? (await open(stores, redeemed, origin, nowMs)) };
			});
		},
		async recordAssertion({ client, user, audience, clientIdThere, resource, scopes }, origin) {
			const { tenantId, applicationId, application } = client;
			const details = {
				app_id: applicationId,
				app_name: application.name,
				audience,
				client_id: clientIdThere,
				resource: resource ?? null,
				scopes,
			};
			const target = named("user", user.id, user.username);
			await db.transaction(({ audit }) =>
				audit.append(systemCaller(tenantId, origin), "oauth.assertion_issued", target, details),
			);
		},
	};
}

const NO_PROFILE = { otherSubjects: [], username: null, displayName: null, avatarUrl: null };

/** The grant and the session end with the access token. */
const endOf = (nowMs: number): number => nowMs + ACCESS_TOKEN_SECONDS * SECOND_MS;

async function isTrusted(
	{ identityProviders }: Stores<"identityProviders">,
	{ issuer: { tenantId, id } }: RedeemedAssertion,
): Promise<boolean> {
	const issuer = await identityProviders.findById(tenantId, id);
	return issuer?.enabled === true && isTrustedFor(issuer, "assertions");
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
	const end = endOf(nowMs);
	const session = newSession(
		{ user, appId, amr, authenticatedAtMs },
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
