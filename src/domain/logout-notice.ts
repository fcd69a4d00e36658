// Notifies relying parties of ended sessions (OpenID Connect Back-Channel Logout 1.0).

import { DAY_MS } from "../kernel/clock.ts";
import type { IdTokenAlg } from "./oauth-client.ts";
import type { DeliveryBacklog } from "./webhook-delivery.ts";

/** Time from the end of the session to the last attempt. */
export const LOGOUT_GIVE_UP_MS = 3 * DAY_MS;

/** One ended session and one client that held a grant in it. */
export interface LogoutNotice {
	readonly sessionId: string;
	readonly clientId: string;
	readonly tenantId: string;
	readonly userId: string;
	/** Includes an attempt in progress. */
	readonly attempts: number;
	/** During an attempt: when the next one begins if this process dies. */
	readonly nextAttemptAtMs: number;
	readonly giveUpAtMs: number;
	/** `""` before the first failure. */
	readonly lastError: string;
	readonly createdAtMs: number;
}

/** A notice claimed for one attempt. An outcome is recorded only while `attempts` is unchanged. */
export type ClaimedLogoutNotice = Omit<LogoutNotice, "nextAttemptAtMs" | "lastError" | "createdAtMs">;

/** A client with due notices, with its current settings. */
export interface DueLogoutClient {
	readonly id: string;
	/** Null when the client was deleted or no longer receives notices. */
	readonly uri: string | null;
	readonly idTokenAlg: IdTokenAlg;
	/** Whether the last attempt of a waiting notice failed. */
	readonly isFailing: boolean;
}

/** `SessionStore` queues notices in the transaction that ends their session. */
export interface LogoutNoticeStore {
	/** Reads all notices; every stored notice is waiting. */
	backlog(): Promise<DeliveryBacklog>;
	/** Covers all tenants. Called twice per second: a few index lookups per client with waiting notices. */
	listDue(nowMs: number): Promise<DueLogoutClient[]>;
	/**
	 * Inside a transaction: claims up to `limit` due notices, the longest due first, and makes each due again at
	 * `nowMs + leaseMs`, in case this process dies. Concurrent callers never claim the same notice.
	 */
	claim(
		clientId: string,
		nowMs: number,
		limit: number,
		leaseMs: number,
	): Promise<readonly ClaimedLogoutNotice[]>;
	/** Deletes the notice: sent, or abandoned. @returns false when it was claimed again. */
	finish(claimed: ClaimedLogoutNotice): Promise<boolean>;
	/** Due again at `nextAttemptAtMs`. @returns like `finish`. */
	retry(claimed: ClaimedLogoutNotice, nextAttemptAtMs: number, error: string): Promise<boolean>;
	/** Deletes all unsent notices to a client. @returns how many. */
	drop(clientId: string): Promise<number>;
}
