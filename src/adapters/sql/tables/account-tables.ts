// Tables of users, sessions, admin keys, and mailed codes and links.

import type { Locale } from "../../../domain/locale.ts";
import type { CodePurpose, CountedMail } from "../../../domain/mailed-code.ts";
import type { LinkPurpose } from "../../../domain/recovery-link.ts";
import type { SystemRole } from "../../../domain/system-role.ts";
import type { DisabledReason, UserStatus } from "../../../domain/user.ts";
import { userKeyContext } from "../../../domain/user-key.ts";
import { areWorkloads } from "../../../domain/workload.ts";
import { isText, listOf } from "../../../kernel/shape.ts";
import {
	commaList,
	flag,
	foldedFrom,
	integer,
	json,
	key,
	nullable,
	ofTenant,
	sealed,
	text,
	timestamps,
} from "../column.ts";
import { table } from "../table.ts";
import { EMPTIED, emptied, KEPT, keptWith, type Repair } from "../table-policy.ts";

/** The unique index and lookups compare `usernameKey`. */
export const storedUsers = table("users", KEPT, {
	...ofTenant,
	username: text(),
	usernameKey: text(),
	email: text(),
	emailVerified: flag(),
	displayName: text(),
	displayNameFolded: foldedFrom("displayName"),
	avatarUrl: text(),
	status: text<UserStatus>(),
	roles: commaList<SystemRole>(),
	locale: nullable(text<Locale>()),
	mfaEnabled: flag(),
	passwordHash: text(),
	lastLoginAtMs: nullable(integer()),
	lastSeenAtMs: nullable(integer()),
	dormancyWarnedAtMs: nullable(integer()),
	disabledReason: nullable(text<DisabledReason>()),
	disabledAtMs: nullable(integer()),
	...timestamps,
});
/** Rows that are cached change with a sign-in, and not with another use. */
export const usersWithPassword = storedUsers.without("usernameKey", "lastSeenAtMs", "dormancyWarnedAtMs");
export const users = usersWithPassword.without("passwordHash");

/** `id` is that of the user. */
export const userKeys = table("user_keys", KEPT, { ...ofTenant, keySealed: sealed(userKeyContext) });

export const userNames = table("user_names", KEPT, {
	userId: key(text()),
	tenantId: text(),
	name: key(text()),
});

export const storedSessions = table("sessions", emptied("sessions revoked"), {
	...ofTenant,
	userId: text(),
	appId: nullable(text()),
	generation: integer(),
	secretDigest: text(),
	rotatedAtMs: integer(),
	refreshExpiresAtMs: integer(),
	absoluteExpiresAtMs: integer(),
	authenticatedAtMs: integer(),
	amr: commaList(),
	provider: nullable(text()),
	ip: text(),
	userAgent: text(),
	createdAtMs: integer(),
	lastUsedAtMs: integer(),
	purgeAtMs: integer(),
});
export const sessions = storedSessions.without("purgeAtMs");

export const storedSupportSessions = table(
	"support_sessions",
	keptWith({ token_digest: "opens only in the session that created it, which a restore revokes" }),
	{
		...ofTenant,
		userId: text(),
		supporterId: nullable(text()),
		madeIn: text(),
		tokenDigest: text(),
		appId: nullable(text()),
		reason: text(),
		ticket: text(),
		openedAtMs: nullable(integer()),
		endedAtMs: nullable(integer()),
		expiresAtMs: integer(),
		createdAtMs: integer(),
	},
);
export const supportSessions = storedSupportSessions.without("tokenDigest");

export const pendingSignIns = table("pending_sign_ins", EMPTIED, {
	tokenDigest: key(text()),
	tenantId: text(),
	userId: text(),
	appId: nullable(text()),
	amr: commaList(),
	provider: nullable(text()),
	enrolment: flag(),
	triesLeft: integer(),
	expiresAtMs: integer(),
	createdAtMs: integer(),
});

const VOID_CODES: Repair = {
	description: "mailed codes invalidated",
	sql: () => "UPDATE email_codes SET tries_left = 0, code_digest = '' WHERE code_digest <> ''",
};

export const emailCodes = table(
	"email_codes",
	{ rows: "kept", repairs: [VOID_CODES], afterFailover: [VOID_CODES] },
	{
		tenantId: key(text()),
		purpose: key(text<CodePurpose>()),
		address: key(text()),
		codeDigest: text(),
		triesLeft: integer(),
		expiresAtMs: integer(),
	},
);

/** The times of the last five mails, newest first; 0 for none. */
export const addressMails = table("address_mails", KEPT, {
	purpose: key(text<CountedMail["purpose"]>()),
	address: key(text()),
	sent1AtMs: integer(),
	sent2AtMs: integer(),
	sent3AtMs: integer(),
	sent4AtMs: integer(),
	sent5AtMs: integer(),
});

export const recoveryLinks = table(
	"recovery_links",
	emptied("links for password resets, email changes, account recovery, and invitations invalidated"),
	{
		digest: key(text()),
		tenantId: text(),
		userId: nullable(text()),
		purpose: text<LinkPurpose>(),
		email: text(),
		createdAtMs: integer(),
		expiresAtMs: integer(),
	},
);

// A key that was deleted after the backup must not work again.
export const adminKeysWithDigest = table("admin_keys", emptied("admin keys revoked"), {
	...ofTenant,
	name: text(),
	keyDigest: text(),
	roles: commaList<SystemRole>(),
	ipAllowlist: json(listOf(isText)),
	workloads: json(areWorkloads),
	expiresAtMs: integer(),
	lastUsedAtMs: nullable(integer()),
	lastUsedIp: text(),
	createdBy: nullable(text()),
	createdAtMs: integer(),
});
export const adminKeys = adminKeysWithDigest.without("keyDigest");

export const knownDevices = table(
	"known_devices",
	keptWith({ device_digest: "identifies a known device, and cannot sign in" }),
	{ tenantId: text(), userId: key(text()), deviceDigest: key(text()), lastSeenAtMs: integer() },
);
