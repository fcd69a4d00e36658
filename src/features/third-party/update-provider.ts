// An admin changes a provider: its name, credentials, address, and who may come in by it.

import type { SecretBox } from "../../crypto/secret-box.ts";
import { differences, type Patch, wireNames } from "../../kernel/changes.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import type { IpAddress } from "../../kernel/ip.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AdminContext } from "../applications/model.ts";
import type { AuditLog } from "../audit/model.ts";
import { parseIssuer } from "./issuer-url.ts";
import {
	type IdentityProvider,
	type IdentityProviderChanges,
	type IdentityProviderStore,
	identityProviderContext,
	identityProviderNotFound,
} from "./model.ts";

export interface UpdateProviderDeps {
	readonly db: Persistence<{ identityProviders: IdentityProviderStore; audit: AuditLog }>;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
	readonly isAllowedAddress: (ip: IpAddress) => boolean;
}

type Fields = Omit<IdentityProviderChanges, "clientSecretSealed" | "clientSecretSetAtMs">;
/** What an admin may change; absent means unchanged, and a secret that is given is a new one. */
export type ProviderPatch = Patch<Fields & { readonly clientSecretPlain?: string }>;

/**
 * A patch that changes nothing writes nothing. While accounts are linked the provider stays where it is: at another
 * address the same ids are other people.
 *
 * @throws AppError `request.invalid` (`issuer`), `identity_provider.not_found`, `identity_provider.in_use` (`issuer`).
 */
export async function updateProvider(
	{ db, secretBox, clock, isAllowedAddress }: UpdateProviderDeps,
	id: string,
	{ clientSecretPlain, ...patch }: ProviderPatch,
	{ tenantId, actor, origin }: AdminContext,
): Promise<IdentityProvider> {
	const now = clock();
	const secret = clientSecretPlain !== undefined && {
		clientSecretSealed: secretBox.seal(clientSecretPlain, identityProviderContext(id)),
		clientSecretSetAtMs: now,
	};
	return db.transaction(async ({ identityProviders, audit }) => {
		// Held first, so that nobody links an account between the look and the change.
		await identityProviders.hold(tenantId, id);
		const before = await identityProviders.findById(tenantId, id);
		if (before === undefined) throw identityProviderNotFound();
		const issuer =
			patch.issuer === undefined ? undefined : parseIssuer(patch.issuer, before.kind, isAllowedAddress);
		const changes = differences<Fields>(before, { ...patch, issuer });
		if (Object.keys(changes).length === 0 && secret === false) return before;
		if (changes.issuer !== undefined && (await identityProviders.hasAccounts(tenantId, before.provider)))
			throw inUse("issuer cannot change");
		await identityProviders.update(tenantId, id, { ...changes, ...secret }, now);
		await audit.append({
			tenantId,
			actor,
			action: "identity_provider.updated",
			target: `identity_provider:${id}`,
			origin,
			details: {
				fields: [...wireNames(changes), ...(secret === false ? [] : ["client_secret"])],
				...(changes.issuer !== undefined && { issuer: changes.issuer }),
				...(changes.enabled !== undefined && { enabled: changes.enabled }),
				...(changes.signUp !== undefined && { sign_up: changes.signUp }),
			},
		});
		return { ...before, ...changes, ...secret, updatedAtMs: now };
	});
}

export function inUse(what: string): AppError {
	return new AppError(
		"identity_provider.in_use",
		`${what} while accounts of this provider are linked: disable it, or unlink them first`,
	);
}
