// The rules that the OpenID provider calls: access to an application, its claims, and consent.

import { type AccessFacts, heldNames, judgeAccess, LISTED_MAX, permitsAny } from "../../../domain/access.ts";
import { named } from "../../../domain/audit.ts";
import type { AuditAction } from "../../../domain/audit-action.ts";
import { anonymousCaller, systemCaller } from "../../../domain/caller.ts";
import type { ScimAttributes } from "../../../domain/directory.ts";
import { findEnforcedRefusal } from "../../../domain/enforced-sign-in.ts";
import type { ClaimAttribute, ClientClaim, PresentedOAuthClient } from "../../../domain/oauth-client.ts";
import { covers } from "../../../domain/oauth-consent.ts";
import type { OAuthGrant } from "../../../domain/oauth-record.ts";
import { scopesOfRoles } from "../../../domain/oauth-scope.ts";
import type { Claims, OpenIdRules, ScopeHolder } from "../../../domain/openid-provider.ts";
import type { Stores } from "../../../domain/stores.ts";
import { SUPPORT_METHOD } from "../../../domain/support-session.ts";
import { isPlaceholderAddress, type User } from "../../../domain/user.ts";
import { SECOND_MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";
import { enterpriseText } from "../directories/scim-person.ts";
import { findEntryRefusal, findSessionRefusal, lacksRequiredFactor } from "../steps/may-enter.ts";
import { type AssertionStore, createAssertionRules } from "./assertion-rules.ts";
import { listRequestedApis } from "./decide-interaction.ts";

type Needed = Needs<
	| AssertionStore
	| "accessFacts"
	| "applicationRoles"
	| "applications"
	| "groups"
	| "oauthClients"
	| "oauthConsents"
	| "secondFactors",
	"clock" | "wakeMail"
>;

/** Memberships of a user that claims can name. */
const GROUPS_MAX = 1_000;
/** Texts of the user, and of the user's directory, for claims of a client; empty ones are absent. */
const ATTRIBUTES: Readonly<Record<ClaimAttribute, (user: User, attributes: ScimAttributes) => string>> = {
	username: ({ username }) => username,
	email: ({ email }) => (isPlaceholderAddress(email) ? "" : email),
	display_name: ({ displayName }) => displayName,
	locale: ({ locale }) => locale ?? "",
	avatar_url: ({ avatarUrl }) => avatarUrl,
	department: (_, attributes) => enterpriseText(attributes, "department"),
	manager: (_, attributes) => enterpriseText(attributes, "manager"),
};

const REUSE_ACTIONS = { code: "oauth.code_reused", refresh_token: "oauth.refresh_reused" } as const;

export function createOpenIdRules(needs: Needed): OpenIdRules {
	const { db, clock } = needs;
	const { stores } = db;
	return {
		...createAssertionRules(needs),
		async findRefusal({ tenantId, userId, amr }, { applicationId }, resources) {
			const user = await stores.users.findById(tenantId, userId);
			if (user === undefined) return new AppError("account.disabled", "this account no longer exists");
			const apis = await listRequestedApis({ db }, tenantId, resources);
			const appIds = [applicationId, ...apis.map((api) => api.applicationId)];
			return await findSessionRefusal(stores, user, amr, appIds);
		},
		mayUse,
		async findUser({ tenantId, userId, amr, grantId }, client) {
			const user = await stores.users.findById(tenantId, userId);
			if (user === undefined || !(await mayUse(user, client, amr))) return undefined;
			const grant = grantId === undefined ? undefined : await stores.oauthGrants.findLive(grantId, clock());
			return grant !== undefined && (await isEnforcedElsewhere(user, grant.sessionId)) ? undefined : user;
		},
		/** Reads the user with the session, as requests with its access token do: both rows are cached. */
		async findUserOfGrant({ sessionId, userId }, clients, amr) {
			const holder = await stores.sessions.findSignedIn(sessionId, clock());
			if (holder?.user.id !== userId) return undefined;
			if (clients.some(({ tenantId }) => tenantId !== holder.tenantId)) return undefined;
			const [isEnforced, ...uses] = await Promise.all([
				isEnforcedElsewhere(holder.user, sessionId),
				...clients.map((client) => mayUse(holder.user, client, amr)),
			]);
			return uses.every(Boolean) && !isEnforced ? holder.user : undefined;
		},
		async claimsOf(user, { applicationId }, scopes) {
			return {
				...(scopes.includes("profile") ? profileOf(user) : {}),
				...(scopes.includes("email") ? emailOf(user) : {}),
				...(scopes.includes("roles") ? await rolesOf(user, applicationId) : {}),
			};
		},
		async ownClaimsOf(user, { claims }) {
			const held = claims.some(({ from }) => from === "group") ? await groupsOf(user) : new Set<string>();
			const attributes = claims.some(isOfDirectory) ? await attributesOf(user) : {};
			const claimOf = ({ from, value }: ClientClaim): unknown => {
				if (from === "constant") return value;
				if (from === "group") return held.has(value) || undefined;
				return ATTRIBUTES[value as ClaimAttribute]?.(user, attributes) || undefined;
			};
			const entries = claims.map((claim) => [claim.name, claimOf(claim)] as const);
			return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
		},
		async scopesOf({ tenantId, applicationId }, holder) {
			const [roles, facts] = await Promise.all([
				stores.applicationRoles.listAll(tenantId, applicationId),
				holder && factsOf(tenantId, applicationId, holder),
			]);
			const scopes = scopesOfRoles(roles);
			if (facts === undefined || scopes.length === 0) return scopes;
			const held = new Set(heldNames(facts, judgeAccess(facts)).permissions);
			return scopes.filter((scope) => permitsAny(held, scope));
		},
		/** Of concurrent calls, one ends the grant and records the reuse. */
		async endGrant(grantId, reuse, origin) {
			await db.transaction(async (inside) => {
				const grant = await inside.oauthGrants.end(grantId);
				if (grant === undefined || reuse === undefined) return;
				await record(inside, grant, REUSE_ACTIONS[reuse], origin);
			});
		},
		async recordRetry(grantId, origin) {
			await db.transaction(async (inside) => {
				const grant = await inside.oauthGrants.hold(grantId);
				if (grant !== undefined) await record(inside, grant, "oauth.code_retried", origin);
			});
		},
		async recordWorkloadRefusal({ tenantId, applicationId, application }, reason, origin) {
			const target = named("oauth_client", applicationId, application.name);
			await db.transaction(({ audit }) =>
				audit.append(systemCaller(tenantId, origin), "oauth_client.workload_refused", target, { reason }),
			);
		},
		async isConsented(userId, { applicationId, firstParty }, requested) {
			return firstParty || covers(await stores.oauthConsents.find(userId, applicationId), requested);
		},
	};

	async function mayUse(
		user: User,
		{ tenantId, applicationId: appId }: PresentedOAuthClient,
		amr: readonly string[] | undefined,
	): Promise<boolean> {
		// At once: one turn of the event loop batches the reads.
		const [refusal, lacks] = await Promise.all([
			findEntryRefusal(stores, user, appId),
			// An access token expires in minutes and does not contain the authentication methods; the next refresh is checked.
			amr !== undefined && lacksRequiredFactor(stores, { tenantId, appId, amr }),
		]);
		return refusal === undefined && !lacks;
	}

	/** Whether the sign-in was under way while its domain was bound to an issuer: what began before has ended with that change. */
	async function isEnforcedElsewhere(user: User, sessionId: string): Promise<boolean> {
		const session = await stores.sessions.findById(sessionId);
		// In a support session, it is the supporter who signed in.
		if (session === undefined || session.amr.includes(SUPPORT_METHOD)) return false;
		return (await findEnforcedRefusal(stores, user, session.provider)) !== undefined;
	}

	function factsOf(tenantId: string, appId: string, { kind, id }: ScopeHolder): Promise<AccessFacts> {
		return kind === "user"
			? stores.accessFacts.load(tenantId, id, appId)
			: stores.accessFacts.loadOfCaller(tenantId, { kind, id }, appId);
	}

	async function groupsOf({ tenantId, id }: User): Promise<ReadonlySet<string>> {
		const { items } = await stores.groups.listOfUser(tenantId, id, { page: 1, pageSize: GROUPS_MAX });
		return new Set(items.map(({ name }) => name));
	}

	async function attributesOf({ tenantId, id }: User): Promise<ScimAttributes> {
		return (await stores.directoryPeople.findOfUser(tenantId, id))?.attributes ?? {};
	}

	async function rolesOf({ tenantId, id }: User, appId: string): Promise<Claims> {
		const facts = await stores.accessFacts.load(tenantId, id, appId);
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
	grant: Pick<OAuthGrant, "tenantId" | "userId" | "clientId" | "sessionId">,
	action: AuditAction,
	origin: Origin,
): Promise<void> {
	const { tenantId, userId, clientId, sessionId } = grant;
	const user = await users.findById(tenantId, userId);
	const application = await applications.findById(tenantId, clientId);
	const target = named("user", userId, user?.username ?? "");
	const details = { app_id: clientId, app_name: application?.name ?? "", session_id: sessionId };
	await audit.append(anonymousCaller(tenantId, origin), action, target, details);
}

function isOfDirectory({ from, value }: ClientClaim): boolean {
	return from === "attribute" && (value === "department" || value === "manager");
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
