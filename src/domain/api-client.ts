// An API client: the credentials with which an external system signs its requests.

import { DAY_MS } from "../kernel/clock.ts";
import { CREDENTIAL_PREFIX } from "../kernel/credential-prefix.ts";
import { AppError, found, invalidField } from "../kernel/error.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { AllowlistMode } from "./allowlist.ts";
import type { EndedSecret, NewSecret, SealedSecrets } from "./client-secret.ts";
import type { Locale } from "./locale.ts";
import type { PartnerKey } from "./partner-key.ts";
import type { DisabledReason } from "./user.ts";

/** `unclaimed`: approved, but its Secret has not been claimed yet; it cannot sign. */
export const API_CLIENT_STATUSES = ["unclaimed", "active", "disabled"] as const;
export type ApiClientStatus = (typeof API_CLIENT_STATUSES)[number];

/** `test`: created by an applicant before the decision; sees made-up users only. */
export const CLIENT_MODES = ["live", "test"] as const;
export type ClientMode = (typeof CLIENT_MODES)[number];

/** The application of every test client. No application has this id. */
export const TEST_APP_ID = "00000000-0000-7000-8000-000000000100";
/** Only keys of test clients begin with it. */
export const TEST_KEY_PREFIX = `${CREDENTIAL_PREFIX.apiKey}test_`;
/** How long a test client works after its access request was approved. */
export const TEST_CLIENT_KEPT_MS = 30 * DAY_MS;

export const SCOPES = ["users:read", "access:check", "third-party:read", "access:check:tenant"] as const;
export type Scope = (typeof SCOPES)[number];
export const DEFAULT_SCOPES: readonly Scope[] = ["users:read", "access:check", "third-party:read"];

export const CLIENT_NAME_MAX = 200;
/** A client not used for this long is dormant. */
export const DORMANT_AFTER_MS = 90 * DAY_MS;
/** A client that expires within this time needs attention. */
export const EXPIRES_SOON_MS = 30 * DAY_MS;
export const API_KEY = /^ak_[A-Za-z0-9_-]{16,64}$/;

/** The applicant of the client's access request. */
export interface ClientOwner {
	readonly name: string;
	readonly email: string;
	readonly company: string;
	readonly purpose: string;
	readonly locale: Locale;
}

export interface ApiClient {
	readonly id: string;
	readonly tenantId: string;
	/** `TEST_APP_ID` for a test client. */
	readonly appId: string;
	readonly mode: ClientMode;
	readonly name: string;
	readonly apiKey: string;
	/** Last four characters of the Secret, `""` without one. */
	readonly secretHint: string;
	readonly status: ApiClientStatus;
	/** Null unless the service disabled the client. */
	readonly disabledReason: DisabledReason | null;
	readonly scopes: readonly Scope[];
	/** IP addresses and CIDRs in canonical text; empty allows any address. */
	readonly ipAllowlist: readonly string[];
	readonly ipAllowlistMode: AllowlistMode;
	readonly expiresAtMs: number | null;
	readonly lastUsedAtMs: number | null;
	readonly lastUsedIp: string;
	readonly secretCreatedAtMs: number | null;
	readonly previousSecretExpiresAtMs: number | null;
	/** Instead of a Secret; empty with one. Also held ones, beside which the Secret remains valid. */
	readonly publicKeys: readonly PartnerKey[];
	readonly accessRequestId: string | null;
	/** Null for a client created by an administrator. */
	readonly owner: ClientOwner | null;
	readonly createdBy: string | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

export function apiClientNotFound(): AppError {
	return new AppError("api_client.not_found", "no such API client");
}

/** @throws AppError `api_client.test_mode` for a test client. */
export function requireLive({ mode }: Pick<ApiClient, "mode">, what: string): void {
	if (mode === "test") throw new AppError("api_client.test_mode", `this is a test client: ${what}`);
}

/** Scopes in the order of `SCOPES`, deduplicated: the stored form. */
export function sortScopes(scopes: readonly Scope[]): Scope[] {
	return SCOPES.filter((scope) => scopes.includes(scope));
}

/** @throws AppError `request.invalid` (`expires_at`) unless null or in the future. */
export function checkExpiry(expiresAtMs: number | null, nowMs: number): void {
	if (expiresAtMs !== null && expiresAtMs <= nowMs) throw invalidField("expires_at", "future");
}

/** The fields an update may change; absent means unchanged. */
export type ApiClientChanges = Partial<
	Pick<ApiClient, "name" | "scopes" | "ipAllowlist" | "ipAllowlistMode" | "expiresAtMs">
> & {
	readonly status?: "active" | "disabled";
};

/** A client to store; its owner is the applicant of its access request. */
export type StoredClient = Omit<ApiClient, "owner"> & SealedSecrets;

/** What a new client is unless something else is given: without a Secret, a key, and an owner, and never used. */
export const NEW_CLIENT = {
	mode: "live",
	secretHint: "",
	disabledReason: null,
	ipAllowlist: [],
	ipAllowlistMode: "enforce",
	expiresAtMs: null,
	lastUsedAtMs: null,
	lastUsedIp: "",
	secretCreatedAtMs: null,
	previousSecretExpiresAtMs: null,
	publicKeys: [],
	accessRequestId: null,
	owner: null,
	createdBy: null,
} as const satisfies Partial<ApiClient>;

/**
 * `name`: from A to Z; `expires_at`: what expires first; the others: the most calls of the last 24 hours first. Ties: newest
 * first.
 */
export const API_CLIENT_ORDERS = ["newest", "name", "expires_at", "calls_24h", "refused_24h"] as const;
export type ApiClientOrder = (typeof API_CLIENT_ORDERS)[number];

export interface ApiClientQuery {
	readonly tenantId: string;
	/** `sinceMs`: the start of the first hour whose calls count. Without effect in an export. */
	readonly sort?: { readonly by: ApiClientOrder; readonly sinceMs: number };
	/** Part of name or API key, or of its applicant's name, email, or company. */
	readonly q?: string;
	readonly appId?: string;
	readonly status?: ApiClientStatus;
	readonly mode?: ClientMode;
	/** Only clients that are dormant at `nowMs`, or only those that are not. */
	readonly dormant?: { readonly is: boolean; readonly nowMs: number };
	/** Inclusive. */
	readonly expiresAfterMs?: number | undefined;
	/** Exclusive. */
	readonly expiresBeforeMs?: number | undefined;
}

export interface ApiClientUse {
	readonly id: string;
	readonly atMs: number;
	readonly ip: string;
}

export interface ApiClientStore {
	insert(client: StoredClient): Promise<void>;
	findById(tenantId: string, id: string): Promise<(ApiClient & SealedSecrets) | undefined>;
	/** Inside a transaction: also locks the client until its end, which serializes concurrent changes. */
	findForUpdate(tenantId: string, id: string): Promise<(ApiClient & SealedSecrets) | undefined>;
	/** Searches all tenants: the key identifies the client, the signature authenticates it. */
	findByApiKey(apiKey: string): Promise<(ApiClient & SealedSecrets) | undefined>;
	list(query: ApiClientQuery, page: PageQuery): Promise<Page<ApiClient>>;
	/** Counts the active live clients that expire from `fromMs` to before `toMs`. */
	countExpiring(tenantId: string, fromMs: number, toMs: number): Promise<number>;
	/**
	 * `status: "active"` does not claim: an unclaimed client is refused (`"unclaimed"`, nothing changed), and a disabled
	 * one without a Secret or a key becomes `unclaimed` again.
	 */
	update(
		tenantId: string,
		id: string,
		changes: ApiClientChanges,
		nowMs: number,
	): Promise<"updated" | "missing" | "unclaimed">;
	/**
	 * Replaces the sealed Secret `expected`, compared in the same statement, so one of two concurrent calls wins. `null`
	 * is the claim: the client must be `unclaimed` and becomes `active`; otherwise the status stays.
	 *
	 * @returns false if the client was deleted, has another Secret, or (claim) was claimed or disabled.
	 */
	replaceSecret(
		tenantId: string,
		id: string,
		expected: string | null,
		secret: NewSecret,
		nowMs: number,
	): Promise<boolean>;
	/**
	 * Replaces the keys of a client that `findForUpdate` locked. A client that gets one is no longer unclaimed.
	 *
	 * @param ended the Secret that the first live key replaces
	 */
	setPublicKeys(
		tenantId: string,
		id: string,
		publicKeys: readonly PartnerKey[],
		ended: EndedSecret | undefined,
		nowMs: number,
	): Promise<void>;
	remove(tenantId: string, id: string): Promise<boolean>;
	/** Sets when the test client of an access request expires, if there is one. */
	endTest(tenantId: string, accessRequestId: string, expiresAtMs: number): Promise<void>;
	/** Deletes expired test clients. */
	purge(nowMs: number, limit: number): Promise<number>;
	/** Call inside a transaction. Records when and from where clients were last used; never moves back in time. */
	noteUse(uses: readonly ApiClientUse[]): Promise<void>;
}

/** Not used for 90 days. If never used, counted from the creation of its Secret, or else of the client. */
export function isDormant(
	client: Pick<ApiClient, "lastUsedAtMs" | "secretCreatedAtMs" | "createdAtMs">,
	nowMs: number,
): boolean {
	const since = client.lastUsedAtMs ?? client.secretCreatedAtMs ?? client.createdAtMs;
	return since <= nowMs - DORMANT_AFTER_MS;
}

/** Whether the client may sign requests now. */
export function isUsable(client: Pick<ApiClient, "status" | "expiresAtMs">, nowMs: number): boolean {
	return client.status === "active" && (client.expiresAtMs === null || nowMs < client.expiresAtMs);
}

/** @throws AppError `api_client.not_found`. */
export async function getApiClient(
	apiClients: ApiClientStore,
	tenantId: string,
	id: string,
): Promise<ApiClient> {
	return found(await apiClients.findById(tenantId, id), apiClientNotFound);
}

export function unclaimed(reason: string): AppError {
	return new AppError("api_client.unclaimed", `the applicant has not claimed this API client yet: ${reason}`);
}
