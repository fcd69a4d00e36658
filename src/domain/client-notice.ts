// Notices to the owners of API clients that expire soon.

import type { ClientOwner } from "./api-client.ts";

/** How many days before the expiry of a client its owner is notified. */
export const EXPIRY_NOTICE_DAYS = [30, 7] as const;
export type ExpiryNoticeDays = (typeof EXPIRY_NOTICE_DAYS)[number];

/** A client whose owner must be notified of its expiry. */
export interface ExpiringClient {
	readonly id: string;
	readonly tenantId: string;
	readonly name: string;
	readonly expiresAtMs: number;
	readonly daysBefore: ExpiryNoticeDays;
	readonly owner: Omit<ClientOwner, "company">;
}

export interface ClientNoticeStore {
	/**
	 * Active clients with an owner that expire within 30 or 7 days and have no such notice for this expiry; at most
	 * `limit`, the soonest first. Excludes clients whose whole lifetime is no longer than that.
	 */
	listDue(nowMs: number, limit: number): Promise<ExpiringClient[]>;
	/**
	 * True for the first claim of (client, expiry, days), if the client is active and its expiry unchanged: one statement
	 * decides.
	 */
	claim(client: ExpiringClient, nowMs: number): Promise<boolean>;
}
