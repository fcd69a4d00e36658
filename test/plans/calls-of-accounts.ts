// Calls of the stores for users, sign-ins, and sessions.

import type { Calls } from "./call-table.ts";
import { APP, EXPORTED, NOW, PAGE, row, TENANT, TOKEN, USER } from "./filled-rows.ts";

const CODE = { tenantId: TENANT, purpose: "Purpose", address: "address-7" };
const ALLOWANCE = { kind: "registration", count: 5, windowMs: 1000 };
const BINDING = { browserDigest: "browser", stateDigest: "state", protocolSealed: "sealed" };
const SUBJECT = "user:users-7";
const IP = "192.0.2.1";
const TICKET = {
	...row("third_party_tickets", 1000),
	browser: { ip: IP, userAgent: "", acceptLanguage: "" },
};
const SESSION_TICKET = { ...row("session_tickets", 1000), sessionId: "sessions-7", browser: TICKET.browser };
const ORIGIN = { ip: IP, userAgent: "agent" };

export const CALLS_OF_ACCOUNTS = {
	allowances: {
		take: [[ALLOWANCE, "192.0.2.1", NOW]],
		giveBack: [[ALLOWANCE, "192.0.2.1"]],
		purge: [[NOW, 10]],
	},
	emailCodes: {
		countSend: [[{ purpose: "registration", address: "address-7" }, NOW]],
		put: [[{ ...CODE, codeDigest: "d", expiresAtMs: NOW }]],
		tryCode: [
			[CODE, "code_digest-7", 1],
			[CODE, "wrong", 1],
		],
		consume: [[CODE, "code_digest-7", 1]],
		purge: [[NOW, 10]],
		purgeSends: [[NOW, 10]],
	},
	identityProviders: {
		insert: [[{ ...row("identity_providers", 1000), provider: "other", createdBy: USER }, 20]],
		findById: [[TENANT, "identity_providers-0"]],
		findEnabled: [[TENANT, "github"]],
		list: [[TENANT, PAGE]],
		listEnabled: [[TENANT]],
		update: [[TENANT, "identity_providers-0", { displayName: "New" }, NOW]],
		hold: [[TENANT, "identity_providers-0"]],
		hasAccounts: [[TENANT, "github"]],
		authenticatesPlatformAdmin: [[TENANT, "github"]],
		remove: [[TENANT, "identity_providers-0"]],
	},
	knownDevices: { note: [[TENANT, USER, TOKEN, NOW]], purge: [[NOW, 10]] },
	loginFailures: {
		reserve: [[TENANT, SUBJECT, IP, NOW]],
		count: [[TENANT, SUBJECT, NOW]],
		release: [[TENANT, SUBJECT, IP]],
		clear: [[TENANT, SUBJECT, IP]],
		clearEverywhere: [[TENANT, SUBJECT]],
		isAnyLocked: [[TENANT, [SUBJECT, `${SUBJECT}:totp`]]],
		purge: [[NOW, 10]],
	},
	passkeyChallenges: {
		insert: [[row("passkey_challenges", 1000)]],
		consume: [[row("passkey_challenges", 7), 1]],
		purge: [[NOW, 10]],
	},
	passkeys: {
		handleOf: [[TENANT, USER, "fresh"]],
		insert: [[{ ...row("passkeys", 1000), userId: USER }]],
		findByCredential: [[TENANT, "credential_id-7"]],
		listAll: [[TENANT, USER]],
		list: [[TENANT, USER, PAGE]],
		rename: [[TENANT, USER, "passkeys-7", "New"]],
		use: [[row("passkeys", 7), 1000, NOW]],
		remove: [[TENANT, USER, "passkeys-7"]],
	},
	pendingSignIns: {
		insert: [[{ ...row("pending_sign_ins", 1000), userId: USER }]],
		find: [["token_digest-7", 1]],
		takeTry: [["token_digest-7", 1]],
		consume: [["token_digest-7", 1]],
		purge: [[NOW, 10]],
	},
	recoveryCodes: {
		replaceAll: [[TENANT, USER, ["a", "b"], NOW]],
		use: [[TENANT, USER, "code_digest-7", NOW]],
	},
	recoveryLinks: {
		put: [[{ ...row("recovery_links", 1000), userId: USER }]],
		find: [["digest-7", "Purpose", 1]],
		consume: [["digest-7", "Purpose", 1]],
		endAll: [
			[TENANT, USER, "Purpose"],
			[TENANT, USER, "Purpose", 1],
		],
		purge: [[NOW, 10]],
	},
	refusalNotes: {
		note: [[{ tenantId: TENANT, subject: SUBJECT, ip: IP }, NOW + 1, NOW]],
		purge: [[NOW, 10]],
	},
	secondFactors: {
		findEnrolled: [[TENANT, USER]],
		isRequired: [
			[TENANT, null],
			[TENANT, APP],
		],
		lock: [[TENANT, USER]],
		settle: [[TENANT, USER]],
		removeAll: [[TENANT, USER]],
		removeSince: [[TENANT, USER, 1]],
	},
	sessions: {
		insert: [[{ ...row("sessions", 1000), userId: USER }]],
		findSignedIn: [["sessions-7", 1]],
		findById: [["sessions-7"]],
		findByRefreshDigest: [["refresh_digest-7"]],
		rotate: [["sessions-7", "refresh_digest-7", { digest: TOKEN, refreshExpiresAtMs: NOW }, ORIGIN, 1]],
		findUsedRefresh: [["digest-7"]],
		hold: [[TENANT, USER, "sessions-7"]],
		extend: [["sessions-7", NOW]],
		list: [
			[TENANT, USER, 1, PAGE],
			[TENANT, USER, 1, PAGE, "sessions-7"],
		],
		end: [[TENANT, USER, "sessions-7", NOW]],
		endOfApplication: [[TENANT, USER, "applications-7"]],
		endAll: [
			[TENANT, USER, 1],
			[TENANT, USER, 1, "sessions-7"],
		],
		purgeExpired: [[NOW, 10]],
	},
	sessionTickets: {
		insert: [[SESSION_TICKET]],
		find: [["digest-7", 1]],
		consume: [["digest-7", 1]],
		purge: [[NOW, 10]],
	},
	thirdPartyAccounts: {
		insert: [[{ ...row("third_party_accounts", 1000), userId: USER }]],
		list: [[TENANT, USER, PAGE]],
		findUser: [[TENANT, "github", "provider_user_id-7"]],
		addAliases: [[row("third_party_accounts", 7), ["alias"]]],
		removeAll: [[TENANT, USER]],
		removeSince: [[TENANT, USER, 1]],
		remove: [[TENANT, USER, "third_party_accounts-7"]],
	},
	thirdPartyAttempts: {
		insert: [[{ ...row("third_party_attempts", 1000), linkTo: { userId: USER, sessionId: "sessions-7" } }]],
		findBegun: [["begin_digest-7", 1]],
		bind: [
			["third_party_attempts-7", BINDING, true, 1],
			["third_party_attempts-7", BINDING, false, 1],
		],
		take: [["state_digest-7", "browser_digest-7", 1]],
		remove: [["third_party_attempts-7"]],
		purge: [[NOW, 10]],
	},
	tickets: {
		insert: [[{ ...TICKET, accountId: "third_party_accounts-7" }]],
		find: [["digest-7", 1]],
		consume: [["digest-7", 1]],
		purge: [[NOW, 10]],
	},
	totp: {
		putPending: [[{ ...row("totp_factors", 1000), userId: USER }, NOW]],
		findPending: [[TENANT, USER, 1]],
		findActive: [[TENANT, USER]],
		activate: [[row("totp_factors", 1), 1000, 1]],
		useStep: [[row("totp_factors", 7), 1000]],
		remove: [[TENANT, USER]],
		purge: [[NOW, 10]],
	},
	users: {
		hold: [[TENANT, USER]],
		insert: [[row("users", 1000)]],
		findById: [[TENANT, USER]],
		findByLogin: [
			[TENANT, "username_key-7"],
			[TENANT, "email-7@people.example"],
		],
		findWithPassword: [[TENANT, USER]],
		listReviewers: [[TENANT]],
		list: [
			[{ tenantId: TENANT }, PAGE],
			[{ tenantId: TENANT, status: "active" }, PAGE],
			[{ tenantId: TENANT }, EXPORTED],
			[{ tenantId: TENANT, status: "active" }, EXPORTED],
			[{ tenantId: TENANT, q: "username-7" }, EXPORTED],
			[{ tenantId: TENANT, role: "admin" }, PAGE],
			[{ tenantId: TENANT, role: "admin", status: "active" }, PAGE],
			[{ tenantId: TENANT, sort: "oldest" }, PAGE],
			[{ tenantId: TENANT, sort: "oldest", status: "active" }, PAGE],
			[{ tenantId: TENANT, sort: "name" }, PAGE],
			[{ tenantId: TENANT, sort: "-username" }, PAGE],
			[{ tenantId: TENANT, sort: "-last_login_at" }, PAGE],
			[{ tenantId: TENANT, sort: "name", role: "admin", status: "active" }, PAGE],
			[{ tenantId: TENANT, email: "email-7" }, PAGE],
			[{ tenantId: TENANT, username: "username_key-7" }, PAGE],
			[{ tenantId: TENANT, inactiveSinceMs: 10 }, PAGE],
			[{ tenantId: TENANT, isLocked: true }, PAGE],
			[{ tenantId: TENANT, isLocked: false }, PAGE],
			[{ tenantId: TENANT, q: "username-7" }, PAGE],
			[{ tenantId: TENANT, q: "username-7", status: "active" }, PAGE],
			[{ tenantId: TENANT, q: "us" }, PAGE],
		],
		update: [[TENANT, USER, { displayName: "New" }, NOW]],
		replacePassword: [[TENANT, USER, "password_hash-7", "new", NOW]],
		confirmPassword: [[TENANT, USER, "password_hash-7", "new", NOW]],
		acceptInvitation: [[TENANT, USER, "email-7", { displayName: "New" }, NOW]],
		noteSignIn: [[TENANT, USER, NOW]],
		remove: [[TENANT, USER]],
		canSignIn: [[TENANT, USER]],
		holdVerifiedEmail: [[TENANT, USER, "email-7"]],
		countOtherActiveAdmins: [[TENANT, USER]],
	},
} satisfies Partial<Calls>;
