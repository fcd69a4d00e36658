// Gives an issuer a directory, changes and deletes it, and rotates its token.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { roleIdsOf } from "../../../domain/application-role.ts";
import { named } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import {
	type DefaultGrant,
	type Directory,
	type DirectorySettings,
	directoryNotFound,
	type NewDirectoryToken,
} from "../../../domain/directory.ts";
import { identityProviderNotFound } from "../../../domain/identity-provider.ts";
import type { InPerson } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import { differences, wireNames } from "../../../kernel/changes.ts";
import { isoTimeOrNull, SECOND_MS } from "../../../kernel/clock.ts";
import { CREDENTIAL_PREFIX } from "../../../kernel/credential-prefix.ts";
import { AppError, found, invalidField } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

const HINT_CHARACTERS = 4;

/** Roles by name or id. */
export interface DirectoryWish extends Omit<DirectorySettings, "defaultGrants"> {
	readonly defaultGrants: readonly { readonly appId: string; readonly roles: readonly string[] }[];
}

type PutStore =
	| "identityProviders"
	| "directories"
	| "applications"
	| "applicationRoles"
	| "oauthClients"
	| "audit";

/**
 * Creates the directory, or replaces its settings. Idempotent. Its people keep what they have.
 *
 * @throws AppError `identity_provider.not_found`, `request.invalid` (`default_grants.<index>`, `client_id`).
 */
export async function putDirectory(
	{ db, clock }: Needs<PutStore, "clock">,
	issuerId: string,
	{ defaultGrants, ...wish }: DirectoryWish,
	caller: InPerson,
): Promise<{ readonly directory: Directory; readonly isNew: boolean; readonly tokenPlain?: string }> {
	const nowMs = clock();
	const { tenantId } = caller;
	return await db.transaction(async (stores) => {
		const { identityProviders, directories, audit } = stores;
		// Locks the issuer, so that it is not deleted meanwhile, and serializes this.
		await identityProviders.hold(tenantId, issuerId);
		const issuer = found(await identityProviders.findById(tenantId, issuerId), identityProviderNotFound);
		const grants = await defaultGrantsOf(stores, tenantId, defaultGrants);
		const settings: DirectorySettings = { ...wish, defaultGrants: grants };
		const { clientId } = settings;
		// Only a service acts for itself.
		if (clientId !== null && (await stores.oauthClients.find(tenantId, clientId))?.type !== "service")
			throw invalidField("client_id", "not_a_service");
		const target = named("directory", issuerId, issuer.provider);
		const details = {
			domains: [...settings.domains],
			on_remove: settings.onRemove,
			adopt: settings.adopt,
			client_id: clientId,
			default_grants: grants.map(({ appId }) => appId),
		};
		const before = await directories.findForUpdate(tenantId, issuerId);
		if (before === undefined) {
			const { tokenPlain, ...token } = newToken();
			const stored = { ...settings, ...token, issuerId, tenantId, createdAtMs: nowMs, updatedAtMs: nowMs };
			if (!(await directories.insert(stored))) throw new Error("a directory appeared under a lock");
			await audit.append(caller, "directory.created", target, details);
			return { directory: stored, isNew: true, tokenPlain };
		}
		const changes = differences<DirectorySettings>(before, settings);
		if (Object.keys(changes).length === 0) return { directory: before, isNew: false };
		await directories.update(tenantId, issuerId, changes, nowMs);
		await audit.append(caller, "directory.updated", target, { ...details, fields: wireNames(changes) });
		return { directory: { ...before, ...changes, updatedAtMs: nowMs }, isNew: false };
	});
}

/**
 * The replaced token stays valid for `overlapSeconds`; an earlier one becomes invalid immediately.
 *
 * @throws AppError `directory.not_found`.
 */
export async function rotateToken(
	{ db, clock }: Needs<"directories" | "identityProviders" | "audit", "clock">,
	issuerId: string,
	overlapSeconds: number,
	caller: InPerson,
): Promise<{ readonly directory: Directory; readonly tokenPlain: string }> {
	const nowMs = clock();
	const { tenantId } = caller;
	return await db.transaction(async (stores) => {
		const { directories, audit } = stores;
		const before = found(await directories.findForUpdate(tenantId, issuerId), directoryNotFound);
		const previousTokenExpiresAtMs = overlapSeconds === 0 ? null : nowMs + overlapSeconds * SECOND_MS;
		const { tokenPlain, ...fresh } = newToken();
		const previousTokenDigest = overlapSeconds === 0 ? null : before.tokenDigest;
		const token = { ...fresh, previousTokenDigest, previousTokenExpiresAtMs };
		await directories.update(tenantId, issuerId, token, nowMs);
		const details = { previous_token_expires_at: isoTimeOrNull(previousTokenExpiresAtMs) };
		const target = await targetOf(stores, tenantId, issuerId);
		await audit.append(caller, "directory.token_rotated", target, details);
		return { directory: { ...before, ...token, updatedAtMs: nowMs }, tokenPlain };
	});
}

/**
 * Its people and groups stay, and administrators manage them from now on.
 *
 * @throws AppError `directory.not_found`.
 */
export async function removeDirectory(
	{ db }: Needs<"directories" | "identityProviders" | "audit">,
	issuerId: string,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async (stores) => {
		const { directories, audit } = stores;
		found(await directories.findForUpdate(tenantId, issuerId), directoryNotFound);
		const counts = await directories.count(tenantId, issuerId);
		await directories.remove(tenantId, issuerId);
		await audit.append(caller, "directory.deleted", await targetOf(stores, tenantId, issuerId), counts);
	});
}

async function targetOf(
	{ identityProviders }: Stores<"identityProviders">,
	tenantId: string,
	issuerId: string,
) {
	const issuer = await identityProviders.findById(tenantId, issuerId);
	return named("directory", issuerId, issuer?.provider ?? "");
}

/** `tokenPlain`: the prefix and 43 base64url characters, 256 bits, to show once. */
function newToken(): NewDirectoryToken & { readonly tokenPlain: string } {
	const tokenPlain = `${CREDENTIAL_PREFIX.directory}${randomToken()}`;
	return {
		tokenPlain,
		tokenDigest: tokenDigest(tokenPlain),
		tokenHint: tokenPlain.slice(-HINT_CHARACTERS),
		previousTokenDigest: null,
		previousTokenExpiresAtMs: null,
	};
}

async function defaultGrantsOf(
	{ applications, applicationRoles }: Stores<"applications" | "applicationRoles">,
	tenantId: string,
	wanted: DirectoryWish["defaultGrants"],
): Promise<DefaultGrant[]> {
	const grants: DefaultGrant[] = [];
	for (const [index, { appId, roles }] of wanted.entries()) {
		const field = `default_grants.${index}`;
		if ((await applications.findById(tenantId, appId)) === undefined)
			throw invalidField(`${field}.app_id`, "not_an_application");
		if (grants.some((grant) => grant.appId === appId)) throw invalidField(`${field}.app_id`, "duplicate");
		grants.push({ appId, roleIds: rolesOf(roles, await applicationRoles.listAll(tenantId, appId), field) });
	}
	return grants;
}

function rolesOf(
	roles: readonly string[],
	defined: Parameters<typeof roleIdsOf>[1],
	field: string,
): string[] {
	try {
		return roleIdsOf(roles, defined);
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		const place = error.fields[0]?.field ?? "roles";
		throw invalidField(`${field}.${place}`, "not_a_role");
	}
}
