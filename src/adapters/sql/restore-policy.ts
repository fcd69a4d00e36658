// What becomes of each table at a restore: a backup knows nothing of what was used, ended or revoked after it.

import { SECOND_MS } from "../../kernel/clock.ts";

/** Statements on what was restored; the row count is told to the operator. */
export interface Mend {
	/** What the changed rows were, in the words of the report; empty: not worth a line. */
	readonly told: string;
	/** Without parameters; runs on the newest schema. */
	sql(nowMs: number): string;
}

export interface TablePolicy {
	/** `emptied`: its rows are left out. */
	readonly rows: "kept" | "emptied";
	/** What the left out rows were, in the words of the report; absent: not worth a line. */
	readonly told?: string;
	readonly mends?: readonly Mend[];
	/** Digests that stay as they are, and why that opens nothing. */
	readonly harmless?: Readonly<Record<string, string>>;
}

const TOTP_STEP_MS = 30_000;
const KEPT: TablePolicy = { rows: "kept" };

function countAgain(table: string): Mend {
	return {
		told: "",
		sql: () => `INSERT INTO row_counts (tenant_id, table_name, value, part, total)
			SELECT tenant_id, '${table}', status, 0, count(*) FROM ${table} GROUP BY tenant_id, status`,
	};
}

/**
 * By table; a test holds that every table of the schema is here, and that every kept digest of something that is used once
 * is mended or said to be harmless. What was used after the backup cannot be told from what was not: all of it is void.
 */
export const RESTORE_POLICY: Readonly<Record<string, TablePolicy>> = {
	meta: KEPT,
	tenants: KEPT,
	signing_keys: KEPT,
	derivation_roots: KEPT,
	users: KEPT,
	sessions: { rows: "emptied", told: "sessions ended" },
	used_refresh_tokens: { rows: "emptied" },
	email_codes: {
		rows: "kept",
		mends: [
			{
				told: "mailed codes void",
				// How often one was mailed still counts.
				sql: () => "UPDATE email_codes SET tries_left = 0, code_digest = '' WHERE code_digest <> ''",
			},
		],
	},
	login_failures: KEPT,
	third_party_accounts: KEPT,
	applications: KEPT,
	application_roles: KEPT,
	grants: KEPT,
	grant_roles: KEPT,
	access_requests: {
		rows: "kept",
		mends: [
			{
				told: "claim links void (mail a fresh one with POST /access-requests/{id}/resend)",
				sql: () =>
					"UPDATE access_requests SET claim_digest = NULL, claim_expires_at = NULL WHERE claim_digest IS NOT NULL",
			},
			{
				told: "withdrawal links of pending access requests void",
				// No digest has a space in it.
				sql: () => "UPDATE access_requests SET withdraw_digest = 'void ' || id WHERE status = 'pending'",
			},
		],
	},
	api_clients: KEPT,
	// All of them are at or below the floor.
	nonces: { rows: "emptied" },
	mail_outbox: {
		rows: "kept",
		mends: [
			{
				told: "waiting mails given up: they may have been sent already, and their links are void",
				sql: (nowMs) =>
					`UPDATE mail_outbox SET status = 'failed', payload_sealed = '', last_error = 'given up by a restore', finished_at = ${nowMs}
					 WHERE status = 'due'`,
			},
		],
	},
	audit_heads: KEPT,
	audit_events: KEPT,
	audit_checkpoints: KEPT,
	api_client_notices: KEPT,
	allowlist_misses: KEPT,
	user_groups: KEPT,
	group_members: KEPT,
	group_grants: KEPT,
	group_grant_roles: KEPT,
	identity_providers: KEPT,
	third_party_attempts: { rows: "emptied", told: "sign-ins at an outside provider given up" },
	third_party_tickets: { rows: "emptied" },
	third_party_aliases: KEPT,
	totp_factors: {
		rows: "kept",
		mends: [
			{
				told: "authenticators whose codes are refused for a minute: those shown now may have been used",
				// The code of the next step is taken already now.
				sql: (nowMs) => {
					const step = Math.floor(nowMs / TOTP_STEP_MS) + 1;
					return `UPDATE totp_factors SET last_used_step = ${step} WHERE last_used_step < ${step}`;
				},
			},
		],
	},
	recovery_codes: {
		rows: "kept",
		mends: [
			{
				told: "recovery codes void: who has second factors makes new ones",
				sql: (nowMs) => `UPDATE recovery_codes SET used_at = ${nowMs} WHERE used_at IS NULL`,
			},
		],
		harmless: { code_digest: "all of them count as used" },
	},
	passkey_users: KEPT,
	passkeys: KEPT,
	passkey_challenges: { rows: "emptied" },
	pending_sign_ins: { rows: "emptied" },
	recovery_links: {
		rows: "emptied",
		told: "links to a new password, a new address or back into an account void",
	},
	known_devices: {
		rows: "kept",
		harmless: { device_digest: "says where somebody signed in, and lets nobody in" },
	},
	mail_allowances: KEPT,
	// Parts are numbered by the transactions of the database they were in; and an older schema has none.
	row_counts: {
		rows: "emptied",
		mends: [
			{ told: "", sql: () => "DELETE FROM row_counts" },
			countAgain("users"),
			countAgain("access_requests"),
		],
	},
	webhooks: KEPT,
	webhook_deliveries: {
		rows: "kept",
		mends: [
			{
				told: "waiting webhook deliveries given up: they may have been made already; replay those that are missing",
				sql: (nowMs) =>
					`UPDATE webhook_deliveries SET status = 'failed', last_error = 'given up by a restore', finished_at = ${nowMs}
					 WHERE status = 'pending'`,
			},
		],
	},
};

/**
 * The floor under which no timestamp of a signed request is accepted any more: above all that can have been accepted
 * before the restore, those from callers whose clock was ahead included. In seconds.
 */
export function restoredNonceFloor(
	{ nowMs, backupAtMs }: { readonly nowMs: number; readonly backupAtMs: number },
	windowSeconds: number,
): number {
	return Math.ceil(Math.max(nowMs, backupAtMs) / SECOND_MS) + windowSeconds;
}
