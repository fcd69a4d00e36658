// The rules that the OpenID provider calls: access to an application, its claims, and consent.

import { heldNames, judgeAccess, LISTED_MAX, permitsAny } from "../../../domain/access.ts";
import { named } from "../../../domain/audit.ts";
import type { AuditAction } from "../../../domain/audit-action.ts";
import { anonymousCaller, systemCaller } from "../../../domain/caller.ts";
import { covers } from "../../../domain/oauth-consent.ts";
import type { OAuthGrant } from "../../../domain/oauth-record.ts";
import { scopesOfRoles } from "../../../domain/oauth-scope.ts";
import type { Claims, OpenIdRules } from "../../../domain/openid-provider.ts";
import type { Stores } from "../../../domain/stores.ts";
import { isPlaceholderAddress, type User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { findEntryRefusal, findSessionRefusal, lacksRequiredFactor } from "../steps/may-enter.ts";
import { type AssertionStore, createAssertionRules } from "./assertion-rules.ts";
import { listRequestedApis } from "./decide-interaction.ts";

type Needed = Needs<
	| "users"
	| "accessFacts"
	| "applicationRoles"
	| "secondFactors"
	| "oauthClients"
	| "oauthConsents"
	| "oauthGrants"
	| "applications"
	| "audit"
	| "sessions"
	| AssertionStore,
	"clock" | "wakeMail"
>;

const REUSE_ACTIONS = { code: "oauth.code_reused", refresh_token: "oauth.refresh_reused" } as const;

export function createOpenIdRules(needs: Needed): OpenIdRules {
	const { db, clock } = needs;
	const { users, accessFacts, applicationRoles, oauthConsents, sessions } = db.stores;
	return {
		...createAssertionRules(needs),
		async findRefusal({ tenantId, userId, amr }, { applicationId }, resources) {
			const user = await users.findById(tenantId, userId);
			if (user === undefined) return new AppError("account.disabled", "this account no longer exists");
			const apis = await listRequestedApis({ db }, tenantId, resources);
			const appIds = [applicationId, ...apis.map((api) => api.applicationId)];
			return await findSessionRefusal(db.stores, user, amr, appIds);
		},
		async findUser({ tenantId, userId, amr }, { applicationId: appId }) {
			const user = await users.findById(tenantId, userId);
			if (user === undefined || (await findEntryRefusal(db.stores, user, appId)) !== undefined)
				return undefined;
			// An access token expires in minutes and does not contain the authentication methods; the next refresh is checked.
			const lacks = amr !== undefined && (await lacksRequiredFactor(db.stores, { tenantId, appId, amr }));
			return lacks ? undefined : user;
		},
		/** Reads the user with the session, as requests with its access token do: both rows are cached. */
		async findUserOfGrant({ sessionId, userId }, clients) {
			const holder = await sessions.findSignedIn(sessionId, clock());
			if (holder?.user.id !== userId) return undefined;
			for (const { tenantId, applicationId } of clients) {
				if (holder.tenantId !== tenantId) return undefined;
				if ((await findEntryRefusal(db.stores, holder.user, applicationId)) !== undefined) return undefined;
			}
			return holder.user;
		},
		async claimsOf(user, { applicationId }, scopes) {
			return {
				...(scopes.includes("profile") ? profileOf(user) : {}),
				...(scopes.includes("email") ? emailOf(user) : {}),
				...(scopes.includes("roles") ? await rolesOf(user, applicationId) : {}),
			};
		},
		async scopesOf({ tenantId, applicationId }, holder) {
			const scopes = scopesOfRoles(await applicationRoles.listAll(tenantId, applicationId));
			if (holder === undefined || scopes.length === 0) return scopes;
			const { kind, id } = holder;
			const facts =
				kind === "user"
					? await accessFacts.load(tenantId, id, applicationId)
					: await accessFacts.loadOfCaller(tenantId, { kind, id }, applicationId);
			const held = new Set(heldNames(facts, judgeAccess(facts)).permissions);
			return scopes.filter((scope) => permitsAny(held, scope));
		},
		/** Of concurrent calls, one ends the grant and records the reuse. */
		async endGrant(grantId, reuse, origin) {
			await db.transaction(async (stores) => {
				const grant = await stores.oauthGrants.end(grantId);
				if (grant === undefined || reuse === undefined) return;
				await record(stores, grant, REUSE_ACTIONS[reuse], origin);
			});
		},
		async recordRetry(grantId, origin) {
			await db.transaction(async (stores) => {
				const grant = await stores.oauthGrants.hold(grantId);
				if (grant !== undefined) await record(stores, grant, "oauth.code_retried", origin);
			});
		},
		async recordWorkloadRefusal({ tenantId, applicationId, application }, reason, origin) {
			const target = named("oauth_client", applicationId, application.name);
			await db.transaction(({ audit }) =>
				audit.append(systemCaller(tenantId, origin), "oauth_client.workload_refused", target, { reason }),
			);
		},
		async isConsented(userId, { applicationId, firstParty }, requested) {
			return firstParty || covers(await oauthConsents.find(userId, applicationId), requested);
		},
	};

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

async function record(
	{ users, applications, audit }: Stores<"users" | "applications" | "audit">,
	{
		tenantId,
		userId,
		clientId,
		sessionId,
	}: Pick<OAuthGrant, "tenantId" | "userId" | "clientId" | "sessionId">,
	action: AuditAction,
	origin: Origin,
): Promise<void> {
	const user = await users.findById(tenantId, userId);
	const application = await applications.findById(tenantId, clientId);
	const target = named("user", userId, user?.username ?? "");
	const details = { app_id: clientId, app_name: application?.name ?? "", session_id: sessionId };
	await audit.append(anonymousCaller(tenantId, origin), action, target, details);
}

/** Omits claims that the user has no value for. */
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
