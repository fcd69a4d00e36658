// When reviewers are mailed about new requests.

import { DAY_MS, HOUR_MS } from "../kernel/clock.ts";

/** `at_once`: one mail for each request. The others: one mail for all that wait, so long after the first new one. */
export const REQUEST_MAIL_FREQUENCIES = ["at_once", "hourly", "daily"] as const;
export type RequestMailFrequency = (typeof REQUEST_MAIL_FREQUENCIES)[number];

export const DIGEST_DELAYS_MS = { hourly: HOUR_MS, daily: DAY_MS } as const;

export interface RequestMails {
	readonly userId: string;
	readonly tenantId: string;
	readonly frequency: RequestMailFrequency;
	/** When the next digest is due; null without a new request. */
	readonly dueAtMs: number | null;
}

export interface RequestMailStore {
	/** `at_once` for users who have chosen nothing. */
	frequencyOf(tenantId: string, userId: string): Promise<RequestMailFrequency>;
	/** Makes a digest that waits due. */
	set(tenantId: string, userId: string, frequency: RequestMailFrequency, nowMs: number): Promise<void>;
	/**
	 * Inside the transaction that writes a request: leaves it to the next digest of the user, which is sent after that
	 * transaction.
	 *
	 * @returns false if the user is mailed at once.
	 */
	postpone(tenantId: string, userId: string, nowMs: number): Promise<boolean>;
	/** The longest due first. */
	listDue(nowMs: number, limit: number): Promise<Pick<RequestMails, "tenantId" | "userId">[]>;
	/**
	 * Inside a transaction. Requests that were written before are visible afterwards.
	 *
	 * @returns true for exactly one caller.
	 */
	claim(due: Pick<RequestMails, "tenantId" | "userId">, nowMs: number): Promise<boolean>;
}
