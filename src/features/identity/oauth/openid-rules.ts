// What the OpenID provider asks us: who may enter an application, which claims it gets, and what was consented to.

import { heldNames, judgeAccess, LISTED_MAX } from "../../../domain/access.ts";
import { covers } from "../../../domain/oauth-consent.ts";
import type { Claims, OpenIdRules } from "../../../domain/openid-provider.ts";
import { hasFactor } from "../../../domain/second-factor.ts";
import { isPlaceholderAddress, type User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { findEntryRefusal, lacksRequiredFactor } from "../steps/may-enter.ts";
import { endGrant } from "./end-grant.ts";

type Needed = Needs<
	| "users"
	| "accessFacts"
	| "secondFactors"
	| "oauthClients"
	| "oauthConsents"
	| "oauthGrants"
	| "applications"
	| "audit"
>;

export function createOpenIdRules({ db }: Needed): OpenIdRules {
	const { users, accessFacts, secondFactors, oauthClients, oauthConsents } = db.stores;
	return {
		/** What a ticket for the application checks, too. */
		async findRefusal({ tenantId, userId, amr }, { applicationId }, resources) {
			const user = await users.findById(tenantId, userId);
			if (user === undefined) return new AppError("account.disabled", "this account has gone");
			let lacks = !amr.includes("mfa") && hasFactor(await secondFactors.findEnrolled(tenantId, userId));
			for (const appId of [applicationId, ...(await apisOf(tenantId, resources))]) {
				const refusal = await findEntryRefusal(db.stores, user, appId);
				if (refusal !== undefined) return refusal;
				lacks ||= await lacksRequiredFactor(db.stores, { tenantId, appId, amr });
			}
			return lacks
				? new AppError("mfa.required", "a second factor is required here: sign in again")
				: undefined;
		},
		async findUser({ tenantId, userId, amr }, { applicationId: appId }) {
			const user = await users.findById(tenantId, userId);
			if (user === undefined || (await findEntryRefusal(db.stores, user, appId)) !== undefined)
				return undefined;
			// An access token lives for minutes and does not say how its person signed in; the next refresh is checked.
			const lacks = amr !== undefined && (await lacksRequiredFactor(db.stores, { tenantId, appId, amr }));
			return lacks ? undefined : user;
		},
		async claimsOf(user, { applicationId }, scopes) {
			return {
				...(scopes.includes("profile") ? profileOf(user) : {}),
				...(scopes.includes("email") ? emailOf(user) : {}),
				...(scopes.includes("roles") ? await rolesOf(user, applicationId) : {}),
			};
		},
		endGrant: (grantId, reuse, origin) => endGrant({ db }, grantId, reuse, origin),
		async isConsented(userId, { applicationId, firstParty }, asked) {
			return firstParty || covers(await oauthConsents.find(userId, applicationId), asked);
		},
	};

	/** The applications behind resources; a resource that has gone is refused where its token is issued. */
	async function apisOf(tenantId: string, resources: readonly string[]): Promise<string[]> {
		const apis: string[] = [];
		for (const resource of resources) {
			const api = await oauthClients.findByResource(tenantId, resource);
			if (api !== undefined) apis.push(api.applicationId);
		}
		return apis;
	}

	async function rolesOf({ tenantId, id }: User, appId: string): Promise<Claims> {
		const facts = await accessFacts.load(tenantId, id, appId);
		const { roles, permissions } = heldNames(facts, judgeAccess(facts));
		const groups = new Set(facts.grants.flatMap(({ group }) => group?.name ?? []));
		return {
			roles: roles.slice(0, LISTED_MAX),
			permissions: permissions.slice(0, LISTED_MAX),
			groups: [...groups].sort().slice(0, LISTED_MAX),
		};
	}
}

/** Absent where the person has none. */
function profileOf({ displayName, username, avatarUrl, locale, updatedAtMs }: User): Claims {
	return {
		name: displayName || username,
		preferred_username: username,
		...(avatarUrl === "" ? {} : { picture: avatarUrl }),
		...(locale === null ? {} : { locale }),
		updated_at: Math.floor(updatedAtMs / SECOND_MS),
	};
}

function emailOf({ email, emailVerified }: User): Claims {
	return isPlaceholderAddress(email) ? {} : { email, email_verified: emailVerified };
}
