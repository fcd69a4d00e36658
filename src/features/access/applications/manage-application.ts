// Creates, reads, changes, and deletes applications.

import { checkIsPerson } from "../../../domain/admin-key.ts";
import {
	type Application,
	type ApplicationChanges,
	type ApplicationStore,
	applicationNotFound,
	NOT_REQUESTABLE,
	slugCandidates,
} from "../../../domain/application.ts";
import { roleIdsOf } from "../../../domain/application-role.ts";
import { named } from "../../../domain/audit.ts";
import type { Administrator, Caller } from "../../../domain/caller.ts";
import { isProgramError } from "../../../domain/program.ts";
import type { Stores } from "../../../domain/stores.ts";
import { changeDetails, differences, fieldChanges, type Patch } from "../../../kernel/changes.ts";
import { AppError, found, invalidField } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { checkUrisFor, parseRedirectUris } from "./redirect-uri.ts";
import type { Requestable, RequestableColumns } from "./requestable-wire.ts";

type Needed = Needs<"applications" | "audit", "clock">;

type NewApplication = Omit<
	Application,
	| "id"
	| "tenantId"
	| "kind"
	| "slug"
	| "lastSignInAtMs"
	| "accessRequestId"
	| "managedBy"
	| "supportSessions"
	| keyof typeof NOT_REQUESTABLE
	| "createdAtMs"
	| "updatedAtMs"
> & {
	/** Undefined: derived from the name, with a suffix if that is taken. */
	readonly slug?: string;
};

/** @throws AppError `application.not_found`. */
export async function getApplication(
	applications: ApplicationStore,
	tenantId: string,
	id: string,
): Promise<Application> {
	return found(await applications.findById(tenantId, id), applicationNotFound);
}

/** @throws AppError `request.invalid` (`redirect_uris`), `application.slug_taken`. */
export async function createApplication(
	{ db, clock }: Needed,
	fields: NewApplication,
	caller: Caller,
): Promise<Application> {
	const now = clock();
	const id = newId(now);
	const { tenantId } = caller;
	const redirectUris = parseRedirectUris(fields.redirectUris);
	const slugs = fields.slug === undefined ? slugCandidates(fields.name, id) : [fields.slug];
	return db.transaction(async ({ applications, audit }) => {
		for (const slug of slugs) {
			const times = { createdAtMs: now, updatedAtMs: now };
			const kind = "application" as const;
			const application = {
				...fields,
				id,
				tenantId,
				kind,
				slug,
				redirectUris,
				supportSessions: false,
				lastSignInAtMs: null,
				accessRequestId: null,
				managedBy: null,
				...NOT_REQUESTABLE,
				...times,
			};
			if (!(await applications.insert(application))) continue;
			await audit.append(caller, "application.created", named("application", id, application.name), {
				name: application.name,
				slug,
				access_policy: application.accessPolicy,
				status: application.status,
				...(application.requireMfa && { require_mfa: true }),
			});
			return application;
		}
		throw slugTaken(slugs[0] ?? "");
	});
}

/**
 * Writes nothing when the patch changes nothing.
 *
 * @throws AppError `request.invalid` (`redirect_uris`), `application.not_found`, `application.slug_taken`,
 * `application.is_program` (its name, redirect URIs, `requestable`, and a logo, which could imitate another one's),
 * `admin_key.not_allowed` (`support_sessions`).
 */
export async function updateApplication(
	{ db, clock }: Needs<"applications" | "applicationRoles" | "audit" | "groups" | "oauthClients", "clock">,
	id: string,
	{ requestable, ...patch }: Patch<ApplicationChanges & { readonly requestable: Requestable | null }>,
	caller: Administrator,
): Promise<Application> {
	const now = clock();
	const { redirectUris, supportSessions } = patch;
	if (supportSessions !== undefined) checkIsPerson(caller, "set support_sessions");
	if (redirectUris !== undefined) parseRedirectUris(redirectUris);
	return db.transaction(async (stores) => {
		if (redirectUris !== undefined)
			await checkUrisFor(stores.oauthClients, caller.tenantId, id, redirectUris);
		const { tenantId } = caller;
		const columns =
			requestable !== undefined && (await parseRequestable(stores, { tenantId, id }, requestable));
		return await changeApplication(stores, id, { ...patch, ...columns }, caller, now);
	});
}

/** The same within a transaction; does not check `redirect_uris`. */
export async function changeApplication(
	{ applications, audit }: Stores<"applications" | "audit">,
	id: string,
	patch: Patch<ApplicationChanges>,
	caller: Caller,
	now: number,
): Promise<Application> {
	const before = await getApplication(applications, caller.tenantId, id);
	const changes = differences<ApplicationChanges>(before, patch);
	if (Object.keys(changes).length === 0) return before;
	const { name, redirectUris, requestableLongest, logoUrl } = changes;
	// An empty logo URL only removes a logo.
	if (before.kind === "program" && (logoUrl || (redirectUris ?? requestableLongest ?? name) !== undefined))
		throw isProgramError();
	const outcome = await applications.update(caller.tenantId, id, changes, now);
	if (outcome === "missing") throw applicationNotFound();
	if (outcome === "slug_taken") throw slugTaken(changes.slug ?? before.slug);
	// The new values of fields that decide who has access and where sign-in redirects to.
	const details = changeDetails(changes, [
		"status",
		"accessPolicy",
		"redirectUris",
		"requireMfa",
		"supportSessions",
		"requestableRoleIds",
		"requestableLongest",
		"requestableReviewers",
	]);
	await audit.append(
		caller,
		"application.updated",
		named("application", id, before.name),
		details,
		fieldChanges(before, changes),
	);
	return { ...before, ...changes, updatedAtMs: now };
}

/**
 * Deletes its roles, grants, API clients and OAuth client in the same transaction; the audit event counts them.
 *
 * @throws AppError `application.not_found`, `application.is_program`.
 */
export async function deleteApplication(
	{ db }: Needs<"applications" | "oauthClients" | "audit">,
	id: string,
	caller: Caller,
): Promise<void> {
	await db.transaction(async ({ applications, oauthClients, audit }) => {
		const { name, slug, kind } = await getApplication(applications, caller.tenantId, id);
		if (kind === "program") throw isProgramError();
		const oauthClient = await oauthClients.remove(caller.tenantId, id);
		const removed = await applications.remove(caller.tenantId, id);
		const { roles, grants, apiClients } = found(removed, applicationNotFound);
		const counts = { roles, grants, api_clients: apiClients, ...(oauthClient && { oauth_clients: 1 }) };
		const details = { name, slug, ...counts };
		await audit.append(caller, "application.deleted", named("application", id, name), details);
	});
}

function slugTaken(slug: string): AppError {
	const taken = problem("used_by_application");
	return new AppError("application.slug_taken", `slug ${slug} ${taken.message}`, {
		fields: [{ field: "slug", ...taken }],
	});
}

/**
 * Inside a transaction.
 *
 * @throws AppError `request.invalid` (`roles.<index>` is no role, `requestable.reviewers` no group of the tenant).
 */
async function parseRequestable(
	{ applicationRoles, groups }: Stores<"applicationRoles" | "groups">,
	{ tenantId, id }: Pick<Application, "tenantId" | "id">,
	requestable: Requestable | null,
): Promise<RequestableColumns> {
	if (requestable === null) return NOT_REQUESTABLE;
	const { roles, longest, reviewers = null } = requestable;
	if (reviewers !== null && (await groups.findById(tenantId, reviewers)) === undefined)
		throw invalidField("requestable.reviewers", "not_a_group");
	const roleIds = roleIdsOf(roles, await applicationRoles.listAll(tenantId, id));
	return { requestableRoleIds: roleIds, requestableLongest: longest, requestableReviewers: reviewers };
}
