// Calls of the stores for applications, grants, API clients, and access requests.

import { API_CLIENT_ORDERS } from "../../src/domain/api-client.ts";
import type { Calls } from "./call-table.ts";
import { APP, CLIENT, EXPORTED, GROUP, NOW, PAGE, row, TENANT, TOKEN, USER } from "./filled-rows.ts";

const KEY_USE = { id: "admin_keys-7", atMs: NOW, ip: "192.0.2.1" };
const CLIENT_USE = { id: CLIENT, atMs: NOW, ip: "192.0.2.1" };
const BY_USER = { kind: "user", id: USER };
const BY_GROUP = { kind: "group", id: GROUP };
const GRANT = {
	...row("grants", 1000),
	appId: APP,
	roles: [],
	expiresAtMs: null,
	createdAtMs: NOW,
	updatedAtMs: NOW,
};
const DECISION = {
	status: "approved",
	reviewNote: "no",
	reviewedBy: USER,
	reviewedAtMs: NOW,
	resultId: CLIENT,
};
const EVERY = { tenantId: TENANT, memberId: null };
const OF_MEMBER = { tenantId: TENANT, memberId: USER };
const CHANGED = { tenantId: TENANT, applicationId: APP, url: "url-7" };
const NOTICE = { sessionId: "ended-7", clientId: "applications-7", attempts: 7 };
const MISS = { clientId: CLIENT, ip: "192.0.2.9", requests: 1, firstSeenAtMs: NOW, lastSeenAtMs: NOW };

const DORMANT_KINDS = ["user", "api_client"] as const;
const TO_WARN = { tenantId: TENANT, inactiveSinceMs: 10, warnedAfterMs: 1, warnedByMs: null };
const TO_DISABLE = { ...TO_WARN, warnedByMs: 10 };
const SCOPE = { tenantId: TENANT, appId: null, groupId: null };
const REVIEW = { ...row("reviews", 7), tenantId: TENANT, reviewers: GROUP, unanswered: "keep" };
const ITEM = { ...row("review_items", 7), tenantId: TENANT, state: "open" };

export const CALLS_OF_ACCESS = {
	accessFacts: {
		load: [[TENANT, USER, APP]],
		loadOfCaller: [
			[TENANT, { kind: "api_client", id: CLIENT }, APP],
			[TENANT, { kind: "program", id: "applications-7" }, APP],
		],
		loadAll: [
			[
				TENANT,
				[
					{ userId: USER, appId: APP },
					{ userId: "users-8", appId: APP },
				],
			],
		],
	},
	accessHistory: { listAbout: [[TENANT, ["user:users-7"]]], findCutAtMs: [[TENANT]] },
	accessRequests: {
		insert: [[row("requests", 1000)]],
		findWithdrawable: [["withdraw_digest-7"]],
		withdraw: [["withdraw_digest-7", NOW]],
		replaceClaim: [[TENANT, "requests-7", TOKEN, NOW, NOW]],
		consumeClaim: [["claim_digest-7", 1]],
		consumeTest: [["test_digest-7", NOW]],
		addTestCalls: [[[{ clientId: "api_clients-7", ok: 1, refused: 1 }]]],
	},
	requests: {
		findById: [
			[EVERY, "requests-7"],
			[OF_MEMBER, "requests-7"],
		],
		list: [
			[{ ...EVERY }, PAGE],
			[{ ...EVERY, sort: "oldest" }, PAGE],
			[{ ...EVERY, status: "pending" }, PAGE],
			[{ ...EVERY, status: "pending", sort: "oldest" }, PAGE],
			[{ ...EVERY, kind: "partner" }, PAGE],
			[{ ...EVERY, kind: "program", sort: "oldest" }, PAGE],
			[{ ...EVERY, kind: "program", status: "pending", sort: "oldest" }, PAGE],
			[{ ...EVERY, q: "company-7" }, PAGE],
			[{ ...EVERY, status: "pending" }, EXPORTED],
			[
				{
					...EVERY,
					relatedTo: { kind: "partner", id: "x", email: "email-7", company: "company-7" },
				},
				PAGE,
			],
			[{ ...EVERY, relatedTo: { kind: "program", id: "x", url: "url-7" } }, PAGE],
			[{ ...EVERY, relatedTo: { kind: "person", id: "x", userId: USER } }, PAGE],
			[{ ...EVERY, kind: "person", status: "pending", sort: "oldest" }, PAGE],
			[{ ...OF_MEMBER, status: "pending", sort: "oldest" }, PAGE],
		],
		isReviewer: [[TENANT, USER]],
		decide: [[TENANT, "requests-7", DECISION]],
	},
	reviews: {
		insert: [[row("reviews", 1000)]],
		findAccess: [
			...["people", "partners", "programs", "admin_keys"].flatMap((subject) => [
				[{ ...SCOPE, subject }],
				[{ ...SCOPE, subject }, [USER, CLIENT]],
			]),
			[{ ...SCOPE, subject: "people", appId: APP }],
			[{ ...SCOPE, subject: "people", groupId: GROUP }, [USER]],
		],
		insertItems: [[{ ...REVIEW, id: "reviews-1" }, [row("review_items", 1000)], NOW]],
		open: [[TENANT, "reviews-7", 1, NOW]],
		abandon: [[REVIEW]],
		removeUnopened: [[0, 1]],
		find: [
			[EVERY, "reviews-7"],
			[OF_MEMBER, "reviews-7"],
		],
		list: [
			[EVERY, PAGE],
			[OF_MEMBER, PAGE],
		],
		isReviewer: [[TENANT, USER]],
		findReviewers: [
			[REVIEW, [USER]],
			[{ ...REVIEW, reviewers: null }, [USER]],
		],
		listItems: [
			[REVIEW, {}, PAGE],
			[REVIEW, { state: "open" }, PAGE],
			[REVIEW, { flag: "never_used" }, PAGE],
			[REVIEW, { q: "name-7" }, PAGE],
		],
		listItemsAfter: [[REVIEW, "", 10]],
		findItem: [[REVIEW, "review_items-7"]],
		decide: [
			[ITEM, { state: "kept", note: "", decidedBy: USER, decidedFor: null, decidedAtMs: NOW, auditId: "x" }],
		],
		count: [[REVIEW, "kept", 0]],
		beginClosing: [[REVIEW, NOW]],
		noteClosing: [[REVIEW, "x"]],
		listDue: [[0]],
		listClosing: [[]],
		keepUnanswered: [[REVIEW, 10, NOW]],
		claimEnding: [
			[REVIEW, NOW],
			[{ ...REVIEW, unanswered: "end" }, NOW],
		],
		findKept: [[REVIEW, USER]],
		noteEnding: [[ITEM, { state: "ended", failure: "" }]],
		finishClosing: [[REVIEW, NOW]],
		listNotices: [[0, 10]],
		claimNotice: [[ITEM, TOKEN, NOW]],
		listReminders: [[0]],
		claimReminder: [[REVIEW, NOW]],
		findAnswerable: [["answer_digest-7", NOW]],
		noteAnswer: [[ITEM, "needed", "", NOW]],
		countOpen: [[NOW]],
		purge: [[0, 10]],
	},
	adminKeys: {
		insert: [[row("admin_keys", 1000)]],
		findPresented: [["key_digest-7"]],
		findHeld: [["admin_keys-7"]],
		namesUsingIssuer: [[TENANT, "0197a000-0000-7000-8000-000000000000"]],
		list: [[TENANT, PAGE]],
		listOf: [[TENANT, USER]],
		remove: [[TENANT, "admin_keys-7"]],
		noteUse: [[[KEY_USE]]],
		purge: [[NOW, 10]],
	},
	allowlistMisses: { add: [[[MISS]]], clear: [[TENANT, CLIENT]], listAll: [[TENANT, CLIENT]] },
	apiClients: {
		insert: [[row("api_clients", 1000)]],
		findById: [[TENANT, CLIENT]],
		findForUpdate: [[TENANT, CLIENT]],
		findByApiKey: [["api_key-7"]],
		countExpiring: [[TENANT, 0, NOW]],
		list: [
			[{ tenantId: TENANT }, PAGE],
			[{ tenantId: TENANT, status: "active" }, PAGE],
			[{ tenantId: TENANT }, EXPORTED],
			[{ tenantId: TENANT, appId: "applications-7" }, EXPORTED],
			[{ tenantId: TENANT, mode: "test" }, PAGE],
			[{ tenantId: TENANT, appId: "applications-7" }, PAGE],
			[{ tenantId: TENANT, q: "name-7" }, PAGE],
			[{ tenantId: TENANT, dormant: { is: true, nowMs: NOW } }, PAGE],
			[{ tenantId: TENANT, expiresAfterMs: 1, expiresBeforeMs: NOW }, PAGE],
			...API_CLIENT_ORDERS.map((by) => [{ tenantId: TENANT, sort: { by, sinceMs: 395 } }, PAGE]),
		],
		update: [
			[TENANT, CLIENT, { name: "New" }, NOW],
			[TENANT, CLIENT, { status: "disabled" }, NOW],
		],
		replaceSecret: [
			[
				TENANT,
				CLIENT,
				null,
				{ secretSealed: "s", secretHint: "h", previousSecretSealed: null, previousSecretExpiresAtMs: null },
				NOW,
			],
			[
				TENANT,
				CLIENT,
				"secret_sealed-7",
				{ secretSealed: "s", secretHint: "h", previousSecretSealed: null, previousSecretExpiresAtMs: null },
				NOW,
			],
		],
		setPublicKeys: [[TENANT, CLIENT, [], undefined, NOW]],
		remove: [[TENANT, CLIENT]],
		endTest: [[TENANT, "requests-7", NOW]],
		purge: [[NOW, 10]],
		noteUse: [[[CLIENT_USE]]],
	},
	applicationRoles: {
		countForInsert: [[TENANT, APP]],
		insert: [[row("application_roles", 1000)]],
		findById: [[TENANT, APP, "application_roles-7"]],
		listAll: [[TENANT, APP]],
		list: [[TENANT, APP, PAGE]],
		update: [[TENANT, "applications-7", "application_roles-7", { name: "New" }, NOW]],
		remove: [[TENANT, "applications-7", "application_roles-7"]],
	},
	applications: {
		insert: [[row("applications", 1000)]],
		findById: [[TENANT, APP]],
		list: [
			[{ tenantId: TENANT }, PAGE],
			[{ tenantId: TENANT, q: "name-7" }, PAGE],
			[{ tenantId: TENANT, status: "active" }, PAGE],
			[{ tenantId: TENANT, usableBy: USER }, PAGE],
			[{ tenantId: TENANT, isFromRequest: true }, PAGE],
			[{ tenantId: TENANT, hasClientSecret: true }, PAGE],
		],
		listUsage: [[TENANT, ["applications-7", "applications-8"]]],
		update: [
			[TENANT, "applications-7", { name: "New" }, NOW],
			[TENANT, "applications-7", { status: "disabled" }, NOW],
		],
		noteSignIns: [[[{ appId: "applications-7", atMs: NOW }]]],
		remove: [[TENANT, "applications-7"]],
	},
	dormancy: {
		list: DORMANT_KINDS.flatMap((kind) => [
			[kind, TO_WARN, 10],
			[kind, TO_DISABLE, 10],
		]),
		warn: DORMANT_KINDS.map((kind) => [kind, TO_WARN, `${kind}s-7`, NOW]),
		disable: DORMANT_KINDS.map((kind) => [kind, TO_DISABLE, `${kind}s-7`, NOW]),
	},
	endNotices: { listTenants: [[NOW, 10]], claim: [[TENANT, NOW, 10, 10]] },
	clientNotices: { listDue: [[NOW, 10]], claim: [[{ id: CLIENT, expiresAtMs: 7, daysBefore: 7 }, NOW]] },
	grants: {
		now: [[TENANT]],
		put: [
			[{ ...GRANT, subject: BY_USER, roleIds: ["application_roles-0"] }],
			[{ ...GRANT, subject: BY_GROUP, roleIds: ["application_roles-0"] }],
			[{ ...GRANT, subject: { kind: "user", id: "users-0" }, roleIds: [] }],
		],
		takeEnded: [[NOW, 10]],
		noteUses: [
			[[{ tenantId: TENANT, appId: APP, subject: { kind: "user", id: USER }, atMs: NOW }]],
			[[{ tenantId: TENANT, appId: APP, subject: { kind: "api_client", id: CLIENT }, atMs: NOW }]],
		],
		find: [
			[TENANT, APP, BY_USER],
			[TENANT, APP, BY_GROUP],
		],
		list: [
			[{ tenantId: TENANT, appId: APP }, PAGE],
			[{ tenantId: TENANT, appId: APP, kind: "group" }, PAGE],
			[{ tenantId: TENANT, appId: APP, sort: "expires_at", expiresBeforeMs: NOW, unusedSinceMs: NOW }, PAGE],
			[{ tenantId: TENANT, appId: APP }, EXPORTED],
			[{ tenantId: TENANT, appId: APP, q: "username-7" }, PAGE],
		],
		listOfGroup: [
			[TENANT, GROUP, PAGE],
			[TENANT, GROUP, PAGE, "expires_at"],
		],
		removeOwn: [
			[TENANT, USER, "grants-7"],
			[TENANT, USER, "group_grants-0"],
		],
		listHeld: [
			[TENANT, USER, PAGE],
			[TENANT, USER, PAGE, { sort: "expires_at", expiresBeforeMs: NOW }],
		],
		remove: [
			[TENANT, APP, BY_USER],
			[TENANT, APP, BY_GROUP],
		],
	},
	groups: {
		listUsage: [[TENANT, [GROUP, "user_groups-8"]]],
		insert: [[row("user_groups", 1000)]],
		findById: [[TENANT, GROUP]],
		list: [
			[{ tenantId: TENANT }, PAGE],
			[{ tenantId: TENANT, q: "name-7" }, PAGE],
		],
		update: [[TENANT, GROUP, { name: "New" }, NOW]],
		remove: [[TENANT, GROUP]],
		putMember: [
			[{ tenantId: TENANT, groupId: GROUP, userId: USER, addedAtMs: NOW }],
			[{ tenantId: TENANT, groupId: "user_groups-0", userId: USER, addedAtMs: NOW, expiresAtMs: 2 * NOW }],
			[{ tenantId: TENANT, groupId: "user_groups-0", userId: USER, addedAtMs: NOW }],
		],
		takeEnded: [[NOW, 10]],
		removeMember: [[TENANT, "user_groups-0", USER]],
		listMembers: [
			[TENANT, "user_groups-0", PAGE],
			[TENANT, "user_groups-0", PAGE, "expires_at"],
		],
		listOfUser: [
			[TENANT, USER, PAGE],
			[TENANT, USER, PAGE, "expires_at"],
		],
	},
	managers: {
		manages: [
			[TENANT, USER, { kind: "application", id: APP }],
			[TENANT, USER, { kind: "group", id: GROUP }],
		],
		add: [
			[
				{
					id: "managers-1000",
					tenantId: TENANT,
					userId: USER,
					managed: { kind: "application", id: APP },
					addedAtMs: NOW,
				},
			],
		],
		remove: [[TENANT, USER, { kind: "application", id: APP }]],
		list: [[TENANT, { kind: "application", id: APP }, PAGE]],
		listOfUser: [[TENANT, USER, PAGE]],
	},
	nonces: { load: [[]], claim: [[CLIENT, "new", 1]], isFree: [[CLIENT, "new", 1]], purge: [[1, 10]] },
	oauthClients: {
		insert: [[{ ...row("oauth_clients", 7), applicationId: "applications-399" }]],
		find: [[TENANT, APP]],
		findForUpdate: [[TENANT, APP]],
		// Other strings are not ids and are not looked up.
		findPresented: [["0197a000-0000-7000-8000-000000000000"]],
		findByResource: [[TENANT, "resource-7"]],
		knownResources: [[TENANT, ["resource-7", "resource-8"]]],
		namesUsingIssuer: [[TENANT, "0197a000-0000-7000-8000-000000000000"]],
		listPublished: [[]],
		assignResource: [[TENANT, "resource-7", NOW]],
		listContested: [[PAGE]],
		isAny: [[]],
		update: [[TENANT, APP, { firstParty: true }, NOW]],
		replace: [[row("oauth_clients", 7)]],
		setSecret: [
			[
				TENANT,
				APP,
				{ secretDigest: "d", secretHint: "h", previousSecretDigest: null, previousSecretExpiresAtMs: null },
				NOW,
			],
		],
		remove: [[TENANT, APP]],
	},
	programs: {
		insert: [[row("programs", 1000)]],
		find: [[TENANT, APP]],
		findByUrl: [[TENANT, "url-7"]],
		listByUrl: [["url-7"]],
		list: [
			[TENANT, undefined, PAGE],
			[TENANT, "suspended", PAGE],
		],
		update: [[TENANT, APP, { status: "suspended" }, NOW]],
		suspendUndecided: [[{ applicationId: APP, tenantId: TENANT, reviewedAtMs: NOW }, NOW]],
		claimDue: [[NOW, NOW]],
	},
	personRequests: {
		insert: [[row("requests", 1000)]],
		countPending: [[TENANT, USER]],
		list: [[TENANT, USER, PAGE]],
		withdraw: [[TENANT, USER, "requests-7", NOW]],
		listRequestable: [[TENANT, USER, PAGE]],
	},
	programRequests: {
		insert: [[row("requests", 1000)]],
		findLatest: [[TENANT, "url-7"]],
		findChange: [[CHANGED]],
		countPending: [[TENANT]],
		replaceDocument: [["requests-7", null, NOW]],
		withdrawChange: [[CHANGED, NOW]],
		join: [[{ requestId: "requests-7", tenantId: TENANT, userId: USER, reason: "r", createdAtMs: NOW }]],
		listAskers: [[TENANT, "requests-7"]],
	},
	oauthConsents: {
		find: [[USER, APP]],
		list: [[TENANT, USER, PAGE]],
		hold: [[USER, APP]],
		remove: [[TENANT, USER, "oauth_consents-7"]],
		add: [[{ ...row("oauth_consents", 7), userId: USER, clientId: APP }]],
	},
	logoutNotices: {
		backlog: [[]],
		listDue: [[NOW]],
		claim: [["applications-7", NOW, 4, 1000]],
		finish: [[NOTICE]],
		retry: [[NOTICE, NOW, "error"]],
		drop: [["applications-7"]],
	},
	oauthActors: {
		note: [[[{ ...row("oauth_actors", 1000), grantId: "oauth_grants-7" }]]],
		list: [[TENANT, USER, 1, PAGE]],
		find: [[TENANT, USER, "oauth_actors-7"]],
	},
	oauthGrants: {
		insert: [[row("oauth_grants", 1000)]],
		insertAsserted: [[row("oauth_grants", 1000), "identity_providers-0"]],
		extendAsserted: [
			[
				{ issuerId: "identity_providers-0", userId: USER, clientId: APP },
				NOW,
				{ neededMs: NOW + 1, expiresAtMs: NOW + 1 },
			],
		],
		namesAsserted: [["identity_providers-0", 1]],
		findLive: [["oauth_grants-7", 1]],
		isAnyLive: [["sessions-7", "applications-7", 1]],
		hold: [["oauth_grants-7"]],
		end: [["oauth_grants-7"]],
		endAll: [[USER, APP]],
		purge: [[NOW, 10]],
	},
	oauthRecords: {
		insert: [[row("oauth_records", 1000)]],
		insertAll: [[[row("oauth_records", 1000), row("oauth_records", 1001)]]],
		findLive: [["digest-7", 1]],
		findByUserCode: [["user_code_digest-7", 1]],
		consumeOfGrant: [["digest-7", "oauth_grants-7", 1]],
		decide: [["digest-7", { payloadSealed: "sealed", grantId: null }, 1]],
		poll: [["digest-7", 1, NOW]],
		replace: [["digest-7", { payloadSealed: "sealed", grantId: null, expiresAtMs: NOW }]],
		consume: [["digest-7", 1]],
		remove: [["digest-7"]],
		purge: [[NOW, 10]],
	},
	gates: {
		insert: [[{ ...row("gates", 7), applicationId: "applications-399" }]],
		find: [[TENANT, APP]],
		list: [[TENANT, PAGE]],
		findForUpdate: [[TENANT, APP]],
		findAsked: [[APP]],
		update: [[TENANT, APP, { statement: true }, NOW]],
		setKey: [
			[
				TENANT,
				APP,
				{ keyDigest: "d", keyHint: "h", previousKeyDigest: null, previousKeyExpiresAtMs: null },
				NOW,
			],
		],
		remove: [[TENANT, APP]],
	},
	signingClients: { findByApiKey: [["api_key-7"]] },
} satisfies Partial<Calls>;
