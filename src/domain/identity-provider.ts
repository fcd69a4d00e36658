// An identity provider of a tenant: an issuer that it trusts to sign users in, or to vouch for workloads or users.

import { AppError } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { ClientJwks } from "./oauth-client.ts";
import type { ProviderTest } from "./provider-test.ts";
import type { ManagedBy } from "./tenant.ts";

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

/**
 * What a tenant trusts an issuer for. `workloads`: its tokens authenticate OAuth clients (RFC 7523, section 2.2).
 * `assertions`: its identity assertions get tokens for its users (RFC 7523, section 2.1).
 */
export const ISSUER_USES = ["sign_in", "workloads", "assertions"] as const;
export type IssuerUse = (typeof ISSUER_USES)[number];

/** The claim that identifies a user: `sub` of Entra ID differs between applications, `oid` does not. */
export const SUBJECT_CLAIMS = ["sub", "oid"] as const;
export type SubjectClaim = (typeof SUBJECT_CLAIMS)[number];

/** The kinds that may use another claim than `sub`. */
export const KINDS_WITH_SUBJECT_CLAIM: readonly ProviderKind[] = ["oidc", "microsoft"];

/**
 * For which addresses its word counts that a user owns them: for all, or only in domains that were verified for it. With a
 * verified domain, it counts only there, also with `any`.
 */
export const EMAIL_DOMAINS = ["any", "verified"] as const;
export type EmailDomains = (typeof EMAIL_DOMAINS)[number];

export const PROVIDERS_MAX = 50;
/** Lengths in code points. Apple's "secret" is a private key with its ids. */
export const PROVIDER_NAME_MAX = 100;
export const CLIENT_ID_MAX = 255;
export const CLIENT_SECRET_MAX = 4_096;
export const ISSUER_MAX = 2_048;
export const AUDIENCE_MAX = 512;
/** Of a pasted key set: keys, and bytes of its JSON text. */
export const ISSUER_KEYS_MAX = 50;
export const ISSUER_KEYS_MAX_BYTES = 16 * 1_024;

export interface IdentityProvider {
	readonly id: string;
	readonly tenantId: string;
	/** Slug, unique in the tenant. Immutable: linked accounts refer to it. */
	readonly provider: string;
	/** Immutable for the same reason. */
	readonly kind: ProviderKind;
	readonly displayName: string;
	/** At least one. */
	readonly uses: readonly IssuerUse[];
	/** Null only without the use `sign_in`, like the time of the secret. */
	readonly clientId: string | null;
	readonly clientSecretSetAtMs: number | null;
	/** https; null for a kind with a fixed URL. */
	readonly issuer: string | null;
	/** Where its keys are, instead of where its discovery document says; only for `workloads` and `assertions`, like the next two. */
	readonly jwksUri: string | null;
	/** Its keys themselves, for an issuer that this service cannot reach. */
	readonly jwks: ClientJwks | null;
	readonly jwksSetAtMs: number | null;
	/** The audience of its tokens for workloads, only for `workloads`; null for the issuer of this service. */
	readonly audience: string | null;
	readonly subjectClaim: SubjectClaim;
	/** The values of `acr` in its assertions that mean two factors, beside `mfa` in `amr`; empty without `assertions`. */
	readonly mfaAcr: readonly string[];
	readonly emailDomains: EmailDomains;
	/** Whether it is trusted now, for all its uses. */
	readonly enabled: boolean;
	/** Whether an unknown user gets a new account. */
	readonly signUp: boolean;
	/** Null before the first test. */
	readonly lastTest: ProviderTest | null;
	readonly createdBy: string | null;
	readonly managedBy: ManagedBy | null;
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

export function isTrustedFor({ uses }: Pick<IdentityProvider, "uses">, use: IssuerUse): boolean {
	return uses.includes(use);
}

/** Absent means unchanged. */
export type IdentityProviderChanges = Partial<
	Omit<
		SealedIdentityProvider,
		| "id"
		| "tenantId"
		| "provider"
		| "kind"
		| "lastTest"
		| "createdBy"
		| "managedBy"
		| "createdAtMs"
		| "updatedAtMs"
	>
>;

export interface IdentityProviderStore {
	/**
	 * Call inside a transaction. Unique indexes enforce the slug, and the URL of enabled issuers of assertions; locking the
	 * tenant's row makes `max` exact.
	 */
	insert(
		provider: SealedIdentityProvider,
		max: number,
	): Promise<"inserted" | "taken" | "issuer_taken" | "too_many">;
	findById(tenantId: string, id: string): Promise<SealedIdentityProvider | undefined>;
	/** Only for sign-in, like `listEnabled`. */
	findEnabled(tenantId: string, provider: string): Promise<SealedIdentityProvider | undefined>;
	/** Newest first. */
	list(tenantId: string, page: PageQuery): Promise<Page<IdentityProvider>>;
	/** By display name, at most `PROVIDERS_MAX`. */
	listEnabled(tenantId: string): Promise<IdentityProvider[]>;
	/** The enabled issuers of assertions, oldest first, at most `PROVIDERS_MAX`. */
	listAsserting(tenantId: string): Promise<IdentityProvider[]>;
	/** @param changes with `lastTest: null` if the last test was of other settings */
	update(
		tenantId: string,
		id: string,
		changes: IdentityProviderChanges & { readonly lastTest?: null },
		nowMs: number,
	): Promise<"updated" | "missing" | "issuer_taken">;
	/** Replaces the result of the last test, which is no change of the provider. */
	/** @returns false if the provider changed after the test read it */
	recordTest(tested: IdentityProvider, lastTest: ProviderTest): Promise<boolean>;
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
