// An API client: the credentials by which an outside system signs its requests.

import { DAY_MS } from "../../kernel/clock.ts";
import { AppError, invalidEntries, invalidField } from "../../kernel/error.ts";
import { parseCidr } from "../../kernel/ip.ts";
import type { Page, PageQuery } from "../../kernel/page.ts";
import type { Locale } from "../mail/model.ts";

/** `unclaimed`: approved, but its Secret was not fetched yet; it cannot sign. */
export const API_CLIENT_STATUSES = ["unclaimed", "active", "disabled"] as const;
export type ApiClientStatus = (typeof API_CLIENT_STATUSES)[number];

export const SCOPES = ["users:read", "access:check", "third-party:read", "access:check:tenant"] as const;
export type Scope = (typeof SCOPES)[number];
export const DEFAULT_SCOPES: readonly Scope[] = ["users:read", "access:check", "third-party:read"];

/** `report`: an address that is not on the allowlist is let through and counted. */
export const ALLOWLIST_MODES = ["enforce", "report"] as const;
export type AllowlistMode = (typeof ALLOWLIST_MODES)[number];

export const CLIENT_NAME_MAX = 200;
export const ALLOWLIST_MAX = 100;
export const OVERLAP_SECONDS_MAX = 30 * 86_400;
/** How long the old Secret counts after its own client rotated it, unless the call says. */
export const ROTATION_OVERLAP_SECONDS = 86_400;
/** Addresses counted for a client while its allowlist only reports; those that come later are not counted. */
export const ALLOWLIST_MISSES_MAX = 1_000;
/** A client that was not used for as long is dormant. */
export const DORMANT_AFTER_MS = 90 * DAY_MS;
/** How many days before a client expires its owner is told. */
export const EXPIRY_NOTICE_DAYS = [30, 7] as const;
export type ExpiryNoticeDays = (typeof EXPIRY_NOTICE_DAYS)[number];
export const API_KEY = /^ak_[A-Za-z0-9_-]{16,64}$/;

/** Who asked for a client and why, as its access request has it. */
export interface ClientOwner {
	readonly name: string;
	readonly email: string;
	readonly purpose: string;
	/** Language of the owner's mails. */
	readonly locale: Locale;
}

export interface ApiClient {
	readonly id: string;
	readonly tenantId: string;
	readonly appId: string;
	readonly name: string;
	readonly apiKey: string;
	/** Last four characters of the Secret, `""` while unclaimed. */
	readonly secretHint: string;
	readonly status: ApiClientStatus;
	readonly scopes: readonly Scope[];
	/** Addresses and CIDRs in canonical text; empty means any address. */
	readonly ipAllowlist: readonly string[];
	readonly ipAllowlistMode: AllowlistMode;
	readonly expiresAtMs: number | null;
	readonly lastUsedAtMs: number | null;
	readonly lastUsedIp: string;
	readonly secretCreatedAtMs: number | null;
	readonly previousSecretExpiresAtMs: number | null;
	readonly accessRequestId: string | null;
	/** Null for a client an administrator made. */
	readonly owner: ClientOwner | null;
	readonly createdBy: string | null;
	readonly createdAtMs: number;
	readonly updatedAtMs: number;
}

export function apiClientNotFound(): AppError {
	return new AppError("api_client.not_found", "no such API client");
}

/**
 * An `ip_allowlist` from a caller in canonical text, each range once, in the order given.
 *
 * @throws AppError `request.invalid`, with every bad entry as `ip_allowlist.<index>` and why.
 */
export function parseAllowlist(texts: readonly string[]): string[] {
	const canonical = new Set<string>();
	const problems: { index: number; message: string }[] = [];
	for (const [index, text] of texts.entries()) {
		const cidr = parseCidr(text);
		if ("error" in cidr) problems.push({ index, message: cidr.error });
		else canonical.add(cidr.text);
	}
	if (problems.length > 0) throw invalidEntries("ip_allowlist", problems);
	return [...canonical];
}

/** Scopes in the order of `SCOPES`, each once: what is stored and shown. */
export function sortScopes(scopes: readonly Scope[]): Scope[] {
	return SCOPES.filter((scope) => scopes.includes(scope));
}

/** A client whose time is over before it begins is a mistake. @throws AppError `request.invalid`. */
export function checkExpiry(expiresAtMs: number | null, nowMs: number): void {
	if (expiresAtMs !== null && expiresAtMs <= nowMs) throw invalidField("expires_at", "must be in the future");
}

/** The sealed Secrets of a client; both open with `secretContext(client.id)` as associated data. */
export interface SealedSecrets {
	readonly secretSealed: string | null;
	readonly previousSecretSealed: string | null;
}

/** What an update may touch; absent means unchanged. */
export type ApiClientChanges = Partial<
	Pick<ApiClient, "name" | "scopes" | "ipAllowlist" | "ipAllowlistMode" | "expiresAtMs">
> & {
	readonly status?: "active" | "disabled";
};

/** A client to be stored; its owner is whoever sent its access request. */
export type StoredClient = Omit<ApiClient, "owner"> & SealedSecrets;

export interface NewSecret extends SealedSecrets {
	readonly secretHint: string;
	readonly secretCreatedAtMs: number;
	readonly previousSecretExpiresAtMs: number | null;
}

export interface ApiClientQuery {
	readonly tenantId: string;
	readonly appId?: string;
	readonly status?: ApiClientStatus;
	/** Those that are dormant at `nowMs`, or those that are not. */
	readonly dormant?: { readonly is: boolean; readonly nowMs: number };
}

export interface ApiClientStore {
	insert(client: StoredClient): Promise<void>;
	findById(tenantId: string, id: string): Promise<(ApiClient & SealedSecrets) | undefined>;
	/** Over all tenants: the key names the client, the signature proves it. */
	findByApiKey(apiKey: string): Promise<(ApiClient & SealedSecrets) | undefined>;
	list(query: ApiClientQuery, page: PageQuery): Promise<Page<ApiClient>>;
	/**
	 * `status: "active"` cannot stand in for a claim: an unclaimed client is refused (`"unclaimed"`, nothing changed), and a
	 * disabled one that has no Secret yet goes back to `unclaimed`.
	 */
	update(
		tenantId: string,
		id: string,
		changes: ApiClientChanges,
		nowMs: number,
	): Promise<"updated" | "missing" | "unclaimed">;
	/**
	 * Puts a new Secret in place; `expected` is the sealed Secret it replaces, compared in the same statement, so that
	 * of two at once one wins. `null` is the claim: the client must be `unclaimed` and becomes `active`; otherwise the
	 * status stays as it is.
	 *
	 * @returns false when the client is gone, has another Secret by now, or (claim) was claimed or disabled.
	 */
	replaceSecret(
		tenantId: string,
		id: string,
		expected: string | null,
		secret: NewSecret,
		nowMs: number,
	): Promise<boolean>;
	remove(tenantId: string, id: string): Promise<boolean>;
	/** Notes when and from where clients were last used, never back in time; a job calls it in a transaction for many at once. */
	noteUse(
		uses: readonly { readonly id: string; readonly atMs: number; readonly ip: string }[],
	): Promise<void>;
}

/** One address that called while the allowlist only reported, and would have been refused. */
export interface AllowlistMiss {
	/** Canonical text. */
	readonly ip: string;
	readonly requests: number;
	readonly firstSeenAtMs: number;
	readonly lastSeenAtMs: number;
}

export interface AllowlistMissStore {
	/**
	 * Adds to what was counted; of addresses beyond `ALLOWLIST_MISSES_MAX` of a client, and of clients that are gone,
	 * nothing is kept. A job calls it in a transaction for many at once.
	 */
	add(misses: readonly (AllowlistMiss & { readonly clientId: string })[]): Promise<void>;
	/** Forgets what was counted for a client of this tenant. */
	clear(tenantId: string, clientId: string): Promise<void>;
	/** All of a client of this tenant, the address with most requests first. */
	listAll(tenantId: string, clientId: string): Promise<AllowlistMiss[]>;
}

/** A client whose owner is due a notice that it will expire. */
export interface ExpiringClient {
	readonly id: string;
	readonly tenantId: string;
	readonly name: string;
	readonly expiresAtMs: number;
	readonly daysBefore: ExpiryNoticeDays;
	readonly owner: ClientOwner;
}

export interface ClientNoticeStore {
	/**
	 * Active clients with an owner that are within their last 30 days, or within their last 7, and were not given that
	 * notice for that expiry; at most `limit`, the soonest first. A client that was to live no longer than that from the
	 * start is not among them.
	 */
	listDue(nowMs: number, limit: number): Promise<ExpiringClient[]>;
	/** True for the first claim of (client, expiry, days), while the client is active and still expires then: one statement decides. */
	claim(client: ExpiringClient, nowMs: number): Promise<boolean>;
}

/** Not used for 90 days; one never used counts from when its Secret, or else itself, was made. */
export function isDormant(
	client: Pick<ApiClient, "lastUsedAtMs" | "secretCreatedAtMs" | "createdAtMs">,
	nowMs: number,
): boolean {
	const since = client.lastUsedAtMs ?? client.secretCreatedAtMs ?? client.createdAtMs;
	return since <= nowMs - DORMANT_AFTER_MS;
}

/** Associated data of a client's sealed Secret. */
export function secretContext(clientId: string): string {
	return `api_client:${clientId}`;
}

/** Whether the client's credentials are good for signing at this moment. */
export function isUsable(client: Pick<ApiClient, "status" | "expiresAtMs">, nowMs: number): boolean {
	return client.status === "active" && (client.expiresAtMs === null || nowMs < client.expiresAtMs);
}
