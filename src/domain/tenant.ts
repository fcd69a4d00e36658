// A tenant: users, applications, and data, isolated from all others in the installation.

import { AppError, refusedField } from "../kernel/error.ts";
import { problem } from "../kernel/field-reason.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { Caller } from "./caller.ts";

/** `configuration`: the configuration file that was applied last has it. */
export const MANAGED_BY = ["configuration"] as const;
export type ManagedBy = (typeof MANAGED_BY)[number];

export interface Tenant {
	readonly id: string;
	readonly name: string;
	/** `TENANT_SLUG`, at most `TENANT_SLUG_MAX` characters, unique in the installation. */
	readonly slug: string;
	/** Whether all its users must sign in with a second factor; initially false. */
	readonly requireMfa: boolean;
	/** Addresses that its mails may come from, in addition to the installation's. Lower case; initially none. */
	readonly senderAddresses: readonly string[];
	/** Whether its users may request programs that were not reviewed; initially false. */
	readonly programRequests: boolean;
	/** Whether its users may sign in with a mailed code instead of a password; initially false. */
	readonly mailedCode: boolean;
	/** Whether applicants may create test clients before the decision; initially false. */
	readonly testClients: boolean;
	/** Of its switches. */
	readonly managedBy: ManagedBy | null;
	readonly brandingManagedBy: ManagedBy | null;
	/** Days without use after which people are disabled; null for never, initially. */
	readonly dormantAfterDays: number | null;
	/** The same for API clients. */
	readonly clientDormantAfterDays: number | null;
	/** Whether a key that a partner adds signs nothing until a reviewer accepts it; initially false. */
	readonly partnerKeysNeedReview: boolean;
	/** Whether users who cannot use their second factors may notify the administrators at sign-in; initially false. */
	readonly secondFactorHelp: boolean;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

/** The tenant that the first start creates. It serves requests that specify no tenant. */
export const DEFAULT_TENANT_SLUG = "default";

/** Limits, in code points. */
export const TENANT_NAME_MAX = 200;
export const TENANT_SLUG_MAX = 64;
export const TENANT_SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
export const SENDER_ADDRESSES_MAX = 20;
/** Days of `dormantAfterDays`. */
export const DORMANT_DAYS_MIN = 30;
export const DORMANT_DAYS_MAX = 730;

/** The settings of a new tenant. */
export const TENANT_SETTINGS = {
	requireMfa: false,
	programRequests: false,
	mailedCode: false,
	testClients: false,
	partnerKeysNeedReview: false,
	secondFactorHelp: false,
	senderAddresses: [],
	dormantAfterDays: null,
	clientDormantAfterDays: null,
} as const satisfies Partial<Tenant>;
export const NEW_TENANT = { ...TENANT_SETTINGS, managedBy: null, brandingManagedBy: null } as const;

/** Absent means unchanged. */
export type TenantChanges = Partial<Pick<Tenant, "name" | "slug" | keyof typeof TENANT_SETTINGS>>;

/** The ids of the managed records of each kind. */
export type ManagedIds = Readonly<
	Record<
		"groups" | "identityProviders" | "applications" | "webhooks" | "tenants" | "brandings",
		ReadonlySet<string>
	>
>;

export interface TenantQuery {
	/** Part of name or slug, ignoring case and accents. */
	readonly q?: string;
}

/** A caller who is not signed in: `userId` is null. */
export type Visitor = Caller;

export function tenantNotFound(): AppError {
	return new AppError("tenant.not_found", "no such tenant");
}

export function tenantSlugTaken(slug: string): AppError {
	const taken = problem("used_by_tenant");
	return new AppError("tenant.slug_taken", `slug ${slug} ${taken.message}`, {
		fields: [{ field: "slug", ...taken }],
	});
}

/** The tenant with this slug serves requests that specify no tenant, so it must always exist. */
export function defaultSlugError(): AppError {
	return refusedField("tenant.is_default", "slug", problem("default_tenant"));
}

export interface TenantStore {
	/** @returns false when the slug is taken. */
	insert(tenant: Omit<Tenant, keyof typeof NEW_TENANT>): Promise<boolean>;
	findById(id: string): Promise<Tenant | undefined>;
	findBySlug(slug: string): Promise<Tenant | undefined>;
	/** Whether any tenant accepts requests for programs. */
	isAnyTakingPrograms(): Promise<boolean>;
	/** Oldest first. */
	listAll(): Promise<Tenant[]>;
	list(query: TenantQuery, page: PageQuery): Promise<Page<Tenant>>;
	/** Call inside a transaction, which others that call it wait for, of every tenant. */
	holdPlans(): Promise<void>;
	/**
	 * Call inside a transaction. Marks these records as managed by configuration, and no others of the tenant.
	 * @returns the number of changed records.
	 */
	markManaged(id: string, ids: ManagedIds): Promise<number>;
	update(id: string, changes: TenantChanges, nowMs: number): Promise<"updated" | "missing" | "slug_taken">;
}
