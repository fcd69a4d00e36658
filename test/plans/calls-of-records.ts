// Calls of the stores for the audit trail, mails, webhooks, statistics, and the installation.

import { UNSET_BRAND } from "../../src/domain/brand.ts";
import type { Calls } from "./call-table.ts";
import { NOW, PAGE, row, TENANT, TOKEN, USER } from "./filled-rows.ts";

const ORIGIN = { ip: "192.0.2.1", userAgent: "", acceptLanguage: "", requestId: "request" };
const CALLER = { tenantId: TENANT, actor: `user:${USER}`, actorName: "u", origin: ORIGIN };
const TARGET = { ref: "user:users-7", name: "u" };
const BRAND = {
	...UNSET_BRAND,
	productName: "Product",
};
const IMAGE = {
	subjectId: TENANT,
	variant: "dark",
	tenantId: TENANT,
	digest: "digest",
	content: "content",
	updatedAtMs: NOW,
};
const MAIL = {
	tenantId: TENANT,
	to: "ada@people.example",
	locale: "en",
	message: { kind: "registration_code", code: "123456", minutes: 10 },
};
const DELIVERY = {
	webhookId: "webhooks-0",
	id: "webhook_deliveries-1",
	tenantId: TENANT,
	attempts: 1,
	history: "[]",
};
const ATTEMPT = { atMs: NOW, ms: 5, statusCode: 200, error: "", answer: "" };
const PLACE = { after: { atMs: 0, sequence: 0 }, upTo: 100 };
/** January 1970, of all rows. */
const MONTH = { fromMs: 0, toMs: 31 * 86_400_000 };
const HOOK = "webhooks-0";

export const CALLS_OF_RECORDS = {
	audit: {
		append: [
			[CALLER, "user.created", TARGET, {}],
			[{ ...CALLER, tenantId: "tenants-new" }, "user.signed_in", "", {}],
		],
		appendReturningId: [[CALLER, "user.created", TARGET, {}]],
		list: [
			[{ tenantId: TENANT }, PAGE],
			[{ tenantId: TENANT, actor: "actor-7" }, PAGE],
			[{ tenantId: TENANT, actorName: "actor_name-7" }, PAGE],
			[{ tenantId: TENANT, action: "user.signed_in" }, PAGE],
			[{ tenantId: TENANT, target: "target-7" }, PAGE],
			[{ tenantId: TENANT, targetName: "target_name-7" }, PAGE],
			[{ tenantId: TENANT, requestId: "request_id-7" }, PAGE],
			[{ tenantId: TENANT, ip: "192.0.2.1" }, PAGE],
			[{ tenantId: TENANT, fromMs: 390 }, PAGE],
			[{ tenantId: TENANT, toMs: 10 }, PAGE],
			[{ tenantId: TENANT, fromMs: 10, toMs: 20 }, PAGE],
			[{ tenantId: TENANT, action: "user.signed_in", fromMs: 10, toMs: 20 }, PAGE],
		],
		count: [
			[{ tenantId: TENANT, fromMs: 10, toMs: 20 }, 5, 1000],
			[{ tenantId: TENANT, fromMs: 10, toMs: 300 }, 5, 40],
			[{ tenantId: TENANT, action: "user.signed_in", fromMs: 10, toMs: 20 }, 5, 1000],
			[{ tenantId: TENANT, actorName: "actor_name-7", ip: "192.0.2.1", fromMs: 10, toMs: 20 }, 5, 1000],
		],
		listMatching: [
			[{ tenantId: TENANT }, PLACE, 10],
			[{ tenantId: TENANT, action: "user.signed_in" }, PLACE, 10],
			[{ tenantId: TENANT, actorName: "actor_name-7" }, PLACE, 10],
		],
		listChain: [[TENANT, 0, 10]],
		findHead: [[TENANT]],
	},
	backups: { record: [[{ atMs: NOW, bytes: 1 }]], findLast: [[]] },
	brands: { find: [[TENANT]], lock: [[TENANT]], put: [[TENANT, BRAND, NOW]] },
	checkpoints: {
		findNewest: [[TENANT]],
		listNewest: [[]],
		prune: [[row("audit_checkpoints", 1)]],
		findOldestMonth: [[]],
		findLastBefore: [[TENANT, MONTH.toMs]],
		hasOlderAfter: [[TENANT, 1, MONTH.toMs]],
		dropMonth: [[MONTH, [row("audit_checkpoints", 399)]]],
	},
	firstSteps: { find: [[TENANT]] },
	databaseServer: {
		find: [[]],
		accept: [[{ accepted: null, current: "1/00000001" }]],
		closeUntil: [[1]],
	},
	acmeCertificates: {
		find: [["domain-0"]],
		insert: [[row("acme_certificates", 1000)]],
		lease: [["domain-0", NOW, NOW + 1]],
		change: [["domain-0", 0, { failures: 1 }]],
		findAuthorization: [[TOKEN]],
	},
	derivationRoots: { find: [["derivation_roots-0"]], insertOnce: [[TOKEN, "sealed", NOW]] },
	images: {
		findByDigest: [["digest-7"]],
		put: [[IMAGE]],
		remove: [[TENANT, "subject_id-7", "light"]],
	},
	mail: {
		put: [[MAIL]],
		putNothing: [[MAIL]],
		claimDue: [[1000, 10, 1000]],
		extendLease: [[{ id: "mail_outbox-1", attempts: 1 }, NOW]],
		markSent: [["mail_outbox-1", NOW]],
		markRetry: [["mail_outbox-1", NOW, "error"]],
		postpone: [["mail_outbox-1", NOW, "error"]],
		markFailed: [
			["mail_outbox-1", NOW, "error", true],
			["mail_outbox-1", NOW, "error", false],
		],
		nextDueAtMs: [[]],
		countWaiting: [[]],
		oldestWaitingAtMs: [[]],
		list: [
			[TENANT, {}, PAGE],
			[TENANT, { state: "sent" }, PAGE],
			[TENANT, { to: "recipient-7" }, PAGE],
			[TENANT, { fromMs: 0, toMs: NOW }, PAGE],
			[TENANT, { state: "sent", fromMs: 0, toMs: NOW }, PAGE],
			[TENANT, { to: "recipient-7", fromMs: 0, toMs: NOW }, PAGE],
		],
		findById: [[TENANT, "mail_outbox-7"]],
		findContent: [[TENANT, "mail_outbox-7"]],
		resend: [[TENANT, "mail_outbox-7", NOW]],
		purge: [[NOW, 10]],
	},
	rowCounts: { fold: [[]] },
	idTokenKeys: {
		insert: [[row("id_token_keys", 1000)]],
		listAll: [[]],
		withdraw: [["kid-0", NOW]],
		remove: [["kid-0"]],
	},
	signingKeys: {
		insert: [[row("signing_keys", 1000)]],
		listAll: [[]],
		withdraw: [["kid-0", NOW]],
		remove: [["kid-0"]],
	},
	refusals: {
		add: [
			[[row("refusals", 1000)]],
			[[{ ...row("refusals", 1000), subject: "oauth_client" }]],
			[[{ ...row("refusals", 1000), subject: "gate" }]],
		],
		list: [
			[{ tenantId: TENANT }, PAGE],
			[{ tenantId: TENANT, subject: "api_client" }, PAGE],
			[{ tenantId: TENANT, requestId: "request_id-7" }, PAGE],
			[{ tenantId: TENANT, apiClientId: "api_clients-7" }, PAGE],
			[{ tenantId: TENANT, apiClientId: "api_clients-7", subject: "api_client" }, PAGE],
			[{ tenantId: TENANT, applicationId: "applications-7" }, PAGE],
			[{ tenantId: TENANT, applicationId: "applications-7", subject: "gate" }, PAGE],
			[{ tenantId: TENANT, code: "code-7" }, PAGE],
			[{ tenantId: TENANT, fromMs: 0, toMs: NOW }, PAGE],
		],
		purge: [[NOW, 10]],
	},
	statistics: {
		add: [[[{ tenantId: TENANT, subjectId: "", measure: "sign_ins", code: "", atMs: NOW, total: 1 }]]],
		observe: [[NOW]],
		list: [[{ tenantId: TENANT, id: "" }, "hour", 1, 10]],
		listCalls: [[TENANT, ["subject_id-7", "subject_id-8"], 1]],
		queues: [[TENANT]],
		purge: [[NOW * 1_000_000, 10]],
	},
	tenants: {
		insert: [[{ ...row("tenants", 1000), slug: "other" }]],
		findById: [[TENANT]],
		findBySlug: [["default"]],
		isAnyTakingPrograms: [[]],
		holdPlans: [[]],
		markManaged: [
			[
				TENANT,
				{
					groups: new Set(["user_groups-1"]),
					identityProviders: new Set<string>(),
					applications: new Set<string>(),
					webhooks: new Set<string>(),
					tenants: new Set<string>(),
					brandings: new Set<string>(),
				},
			],
		],
		listAll: [[]],
		list: [
			[{}, PAGE],
			[{ q: "default" }, PAGE],
		],
		update: [[TENANT, { name: "New" }, NOW]],
	},
	webhookDeliveries: {
		backlog: [[]],
		findById: [[TENANT, HOOK, "webhook_deliveries-7"]],
		list: [
			[{ tenantId: TENANT, webhookId: HOOK }, PAGE],
			[{ tenantId: TENANT, webhookId: HOOK, status: "pending" }, PAGE],
			[{ tenantId: TENANT, webhookId: HOOK, eventType: "user.created" }, PAGE],
			[{ tenantId: TENANT, webhookId: HOOK, fromMs: 0, toMs: NOW }, PAGE],
			[{ tenantId: TENANT, webhookId: HOOK, status: "pending", fromMs: 0, toMs: NOW }, PAGE],
		],
		queue: [[row("webhook_deliveries", 1000)]],
		replayFailed: [
			[{ tenantId: TENANT, webhookId: HOOK }, NOW, 10],
			[{ tenantId: TENANT, webhookId: HOOK, eventType: "user.created" }, NOW, 10],
		],
		replay: [[TENANT, HOOK, "webhook_deliveries-7", NOW]],
		failPending: [[HOOK, NOW, "error"]],
		listDue: [[NOW]],
		claim: [[HOOK, NOW, 10, 1000]],
		finish: [[DELIVERY, "delivered", ATTEMPT]],
		retry: [[DELIVERY, NOW, ATTEMPT]],
		purge: [[NOW, 10]],
	},
	webhooks: {
		insert: [[{ ...row("webhooks", 1000), createdBy: null }, 20]],
		findById: [[TENANT, HOOK]],
		listAll: [[{ tenantId: TENANT }], [{ tenantId: TENANT, status: "active" }]],
		update: [[TENANT, HOOK, { description: "New" }, NOW]],
		rotateSecret: [
			[
				TENANT,
				HOOK,
				{
					secretSealed: "s",
					secretHint: "h",
					secretCreatedAtMs: NOW,
					previousSecretSealed: null,
					previousSecretExpiresAtMs: null,
				},
			],
		],
		remove: [[TENANT, HOOK]],
		noteDelivered: [[HOOK, NOW]],
		noteFailing: [[HOOK, NOW]],
		disable: [[HOOK, "gone", NOW]],
	},
} satisfies Partial<Calls>;
