// An admin sets up a provider people may sign in with.

import type { SecretBox } from "../../crypto/secret-box.ts";
import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";
import type { IpAddress } from "../../kernel/ip.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import type { SignedIn } from "../auth/model.ts";
import { checkPlatformAdmin } from "../users/model.ts";
import { parseIssuer } from "./issuer-url.ts";
import {
	type IdentityProvider,
	type IdentityProviderStore,
	identityProviderContext,
	PROVIDERS_MAX,
	type ProviderKind,
} from "./model.ts";

export interface CreateProviderDeps {
	readonly db: Persistence<{ identityProviders: IdentityProviderStore; audit: AuditLog }>;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
	readonly isAllowedAddress: (ip: IpAddress) => boolean;
}

export interface NewProvider {
	readonly provider: string;
	readonly kind: ProviderKind;
	readonly displayName: string;
	readonly clientId: string;
	readonly clientSecretPlain: string;
	readonly issuer: string | null;
	readonly enabled: boolean;
	readonly signUp: boolean;
}

/**
 * @throws AppError `request.invalid` (`issuer`), `identity_provider.slug_taken`, `identity_provider.too_many`;
 * `role.required` where a platform admin has an account under the slug.
 */
export async function createProvider(
	{ db, secretBox, clock, isAllowedAddress }: CreateProviderDeps,
	{ clientSecretPlain, ...wanted }: NewProvider,
	{ caller, origin }: { readonly caller: SignedIn; readonly origin: Origin },
): Promise<IdentityProvider> {
	const { tenantId, user: admin } = caller;
	const now = clock();
	const id = newId(now);
	const provider: IdentityProvider = {
		...wanted,
		id,
		tenantId,
		issuer: parseIssuer(wanted.issuer, wanted.kind, isAllowedAddress),
		clientSecretSetAtMs: now,
		createdBy: admin.id,
		createdAtMs: now,
		updatedAtMs: now,
	};
	const clientSecretSealed = secretBox.seal(clientSecretPlain, identityProviderContext(id));
	await db.transaction(async ({ identityProviders, audit }) => {
		const outcome = await identityProviders.insert({ ...provider, clientSecretSealed }, PROVIDERS_MAX);
		if (outcome === "taken")
			throw new AppError("identity_provider.slug_taken", "provider is taken: another one is called so");
		if (outcome === "too_many")
			throw new AppError(
				"identity_provider.too_many",
				`a tenant has at most ${PROVIDERS_MAX} identity providers`,
			);
		// Accounts can be linked before there is a provider: whoever makes it decides who they are.
		if (await identityProviders.standsForPlatformAdmin(tenantId, provider.provider))
			checkPlatformAdmin(admin);
		await audit.append({
			tenantId,
			actor: `user:${admin.id}`,
			action: "identity_provider.created",
			target: `identity_provider:${id}`,
			origin,
			details: {
				provider: provider.provider,
				kind: provider.kind,
				issuer: provider.issuer,
				enabled: provider.enabled,
				sign_up: provider.signUp,
			},
		});
	});
	return provider;
}
