// Tables of limits on sign-in attempts, and of second factors.

import type { AllowanceKind } from "../../../domain/address-allowance.ts";
import type { ChallengePurpose } from "../../../domain/passkey.ts";
import { totpContext } from "../../../domain/second-factor.ts";
import { commaList, flag, integer, key, nullable, ofTenant, sealed, text } from "../column.ts";
import { table } from "../table.ts";
import { EMPTIED, KEPT, type Repair } from "../table-policy.ts";

const TOTP_STEP_MS = 30_000;

export const loginFailures = table("login_failures", KEPT, {
	tenantId: key(text()),
	subject: key(text()),
	ip: key(text()),
	failures: integer(),
	blockedUntilMs: integer(),
	updatedAtMs: integer(),
});

export const refusalNotes = table("refusal_notes", KEPT, {
	tenantId: key(text()),
	subject: key(text()),
	ip: key(text()),
	notedUntilMs: integer(),
});

export const addressAllowances = table("address_allowances", KEPT, {
	kind: key(text<AllowanceKind>()),
	ip: key(text()),
	earnedAtMs: integer(),
});

const USE_CURRENT_STEPS: Repair = {
	description:
		"authenticator apps whose codes are refused for a minute: the current codes may have been used",
	// Treats the code of the next step as used.
	sql: (nowMs) => {
		const step = Math.floor(nowMs / TOTP_STEP_MS) + 1;
		return `UPDATE totp_factors SET last_used_step = ${step} WHERE last_used_step < ${step}`;
	},
};

export const totpFactors = table(
	"totp_factors",
	{ rows: "kept", repairs: [USE_CURRENT_STEPS], afterFailover: [USE_CURRENT_STEPS] },
	{
		...ofTenant,
		userId: text(),
		status: text<"pending" | "active">(),
		secretSealed: sealed(totpContext),
		lastUsedStep: integer(),
		expiresAtMs: nullable(integer()),
		createdAtMs: integer(),
	},
);

export const recoveryCodes = table(
	"recovery_codes",
	{
		rows: "kept",
		repairs: [
			{
				description: "recovery codes invalidated: users with second factors must create new ones",
				sql: (nowMs) => `UPDATE recovery_codes SET used_at = ${nowMs} WHERE used_at IS NULL`,
			},
		],
		harmless: { code_digest: "all of them count as used" },
	},
	{
		userId: key(text()),
		codeDigest: key(text()),
		tenantId: text(),
		createdAtMs: integer(),
		usedAtMs: nullable(integer()),
	},
);

export const passkeyUsers = table("passkey_users", KEPT, {
	userId: key(text()),
	tenantId: text(),
	userHandle: text(),
	declined: flag(),
});

export const passkeys = table("passkeys", KEPT, {
	...ofTenant,
	userId: text(),
	name: text(),
	credentialId: text(),
	publicKey: text(),
	signCount: integer(),
	transports: commaList(),
	aaguid: text(),
	synced: flag(),
	automatic: flag(),
	createdAtMs: integer(),
	lastUsedAtMs: nullable(integer()),
});

export const passkeyChallenges = table("passkey_challenges", EMPTIED, {
	challengeDigest: key(text()),
	tenantId: text(),
	purpose: text<ChallengePurpose>(),
	subject: text(),
	expiresAtMs: integer(),
});
