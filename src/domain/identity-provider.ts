// An identity provider of a tenant: an external service that users sign in with.

import { AppError } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { ProviderTest } from "./provider-test.ts";

/** Slug of a provider. */
export const PROVIDER = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Each kind is implemented in `adapters/providers/`. */
export const PROVIDER_KINDS = [
	"oidc",
	"google",
	"microsoft",
	"apple",
	"github",
	"gitlab",
	"wechat",
	"feishu",
	"dingtalk",
] as const;
export type ProviderKind = (typeof PROVIDER_KINDS)[number];

/** Whether a provider of this kind has an `issuer`; with `none`, all providers of the kind share one fixed URL. */
export const ISSUER_OF_KIND: Readonly<Record<ProviderKind, "required" | "optional" | "none">> = {
	oidc: "required",
	google: "none",
	microsoft: "optional",
	apple: "none",
	github: "optional",
	gitlab: "optional",
	wechat: "none",
	feishu: "optional",
	dingtalk: "none",
};

export const PROVIDERS_MAX = 50;
/** Lengths in code points. Apple's "secret" is a private key with its ids. */
export const PROVIDER_NAME_MAX = 100;
export const CLIENT_ID_MAX = 255;
export const CLIENT_SECRET_MAX = 4_096;
export const ISSUER_MAX = 2_048;

export interface IdentityProvider {
	readonly id: string;
	readonly tenantId: string;
	/** Slug, unique in the tenant. Immutable: linked accounts refer to it. */
	readonly provider: string;
	/** Immutable for the same reason. */
	readonly kind: ProviderKind;
	readonly displayName: string;
	readonly clientId: string;
	readonly clientSecretSetAtMs: number;
	/** https; null for a kind with a fixed URL. */
	readonly issuer: string | null;
	/** Whether users may sign in with it. */
	readonly enabled: boolean;
	/** Whether an unknown user gets a new account. */
	readonly signUp: boolean;
	/** Null before the first test. */
	readonly lastTest: ProviderTest | null;
	readonly createdBy: string | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** `clientSecretSealed` opens with `identityProviderContext(id)`. */
export interface SealedIdentityProvider extends IdentityProvider {
	readonly clientSecretSealed: string;
}

/** Associated data of a provider's sealed secret. */
export function identityProviderContext(id: string): string {
	return `identity_provider:${id}`;
}

/** Also used for another tenant's provider, and at sign-in for a disabled one. */
export function identityProviderNotFound(): AppError {
	return new AppError("identity_provider.not_found", "no such identity provider");
}

/** Absent means unchanged. */
export type IdentityProviderChanges = Partial<
	Omit<
		SealedIdentityProvider,
		"id" | "tenantId" | "provider" | "kind" | "lastTest" | "createdBy" | "createdAtMs" | "updatedAtMs"
	>
>;

export interface IdentityProviderStore {
	/** Call inside a transaction. A unique index enforces the slug, and locking the tenant's row makes `max` exact. */
	insert(provider: SealedIdentityProvider, max: number): Promise<"inserted" | "taken" | "too_many">;
	findById(tenantId: string, id: string): Promise<SealedIdentityProvider | undefined>;
	findEnabled(tenantId: string, provider: string): Promise<SealedIdentityProvider | undefined>;
	/** Newest first. */
	list(tenantId: string, page: PageQuery): Promise<Page<IdentityProvider>>;
	/** By display name, at most `PROVIDERS_MAX`. */
	listEnabled(tenantId: string): Promise<IdentityProvider[]>;
	update(tenantId: string, id: string, changes: IdentityProviderChanges, nowMs: number): Promise<boolean>;
	/** Replaces the result of the last test, which is no change of the provider. */
	recordTest(tenantId: string, id: string, lastTest: ProviderTest): Promise<boolean>;
	/**
	 * Call inside a transaction. Locks the row, which serializes changes to the provider with links to its accounts.
	 * @returns false if it was deleted.
	 */
	hold(tenantId: string, id: string): Promise<boolean>;
	/** Whether any user has linked an account at this provider; exact while the row is locked. */
	hasAccounts(tenantId: string, provider: string): Promise<boolean>;
	/** Whether a platform admin has an account at this provider. */
	authenticatesPlatformAdmin(tenantId: string, provider: string): Promise<boolean>;
	remove(tenantId: string, id: string): Promise<boolean>;
}
