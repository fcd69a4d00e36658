import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { NOW, testDatabase } from "../../../../test/harness/databases/database.ts";
import { storeApplication, storeTenant } from "../../../../test/harness/databases/stores.ts";
import type { StoredClient } from "../../../domain/api-client.ts";
import type { Locale } from "../../../domain/locale.ts";
import { DAY_MS } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/id.ts";
import { notifyExpiring } from "./notify-expiring.ts";

describe("notices before a client expires", () => {
	const stores = testDatabase();
	let tenantId: string;
	let appId: string;
	let now = NOW;
	let woken = 0;
	const added: string[] = [];
	before(async () => {
		tenantId = await storeTenant(stores);
		appId = await storeApplication(stores, tenantId);
	});
	beforeEach(async () => {
		now = NOW;
		woken = 0;
		for (const id of added.splice(0)) await stores.db.stores.apiClients.remove(tenantId, id);
		await mails();
	});

	const run = (): Promise<number> =>
		notifyExpiring({
			db: stores.db,
			clock: () => now,
			wakeMail: () => {
				woken += 1;
			},
		});
	/** What was put into the outbox since the last call, as `kind locale address`. */
	const mails = async (): Promise<string[]> => {
		const due = await stores.db.transaction(({ mail }) => mail.claimDue(NOW * 2, 1_000, 0));
		for (const { id } of due) await stores.db.stores.mail.markSent(id, NOW);
		return due.map(({ message, locale, to }) => `${message.kind} ${locale} ${to}`);
	};
	let made = 0;
	const add = async (fields: Partial<StoredClient> = {}, locale: Locale = "en"): Promise<StoredClient> => {
		const request = {
			id: newId(NOW),
			tenantId,
			applicantName: "Ada",
			email: `owner-${++made}@partner.example`,
			company: "",
			projectName: "Engine",
			purpose: "To compute.",
			locale,
			status: "approved",
			reviewNote: "",
			claimedAtMs: null,
			reviewedBy: null,
			reviewedAtMs: NOW,
			resultId: null,
			createdAtMs: NOW,
			updatedAtMs: NOW,
		} as const;
		await stores.db.stores.accessRequests.insert({
			...request,
			testCallsOk: 0,
			testCallsRefused: 0,
			withdrawDigest: `withdraw-${made}`,
			testDigest: null,
		});
		const client: StoredClient = {
			id: newId(NOW),
			tenantId,
			appId,
			mode: "live",
			name: "Engine",
			apiKey: `ak_${String(made).padStart(24, "0")}`,
			secretHint: "abcd",
			status: "active",
			scopes: [],
			ipAllowlist: [],
			ipAllowlistMode: "enforce",
			expiresAtMs: NOW + 100 * DAY_MS,
			lastUsedAtMs: null,
			disabledReason: null,
			lastUsedIp: "",
			secretCreatedAtMs: NOW,
			previousSecretExpiresAtMs: null,
			publicKeys: [],
			accessRequestId: request.id,
			createdBy: null,
			createdAtMs: NOW,
			updatedAtMs: NOW,
			secretSealed: "sealed",
			previousSecretSealed: null,
			...fields,
		};
		await stores.db.stores.apiClients.insert(client);
		added.push(client.id);
		return client;
	};
	const address = (): string => `owner-${made}@partner.example`;

	it("are sent once each, exactly 30 and 7 days before, in the language of the request", async () => {
		await add({}, "zh-CN");
		const notice = `api_client_expires zh-CN ${address()}`;
		now = NOW + 70 * DAY_MS - 1;
		assert.deepEqual([await run(), await mails(), woken], [0, [], 0]);
		now += 1;
		assert.deepEqual([await run(), await mails(), woken], [1, [notice], 1]);
		for (const day of [70, 80, 92]) {
			now = NOW + day * DAY_MS;
			assert.equal(await run(), 0);
		}
		now = NOW + 93 * DAY_MS;
		assert.deepEqual([await run(), await mails()], [1, [notice]]);
		for (const day of [93, 99, 100, 200]) {
			now = NOW + day * DAY_MS;
			assert.equal(await run(), 0);
		}
	});

	it("are sent by one of two concurrent nodes", async () => {
		await add();
		now = NOW + 71 * DAY_MS;
		const sent = await Promise.all([run(), run(), run()]);
		assert.equal(
			sent.reduce((sum, count) => sum + count, 0),
			1,
		);
		assert.equal((await mails()).length, 1);
	});

	it("a missed 30-day notice is skipped, a changed expiry is notified again", async () => {
		const { id } = await add();
		now = NOW + 95 * DAY_MS;
		assert.deepEqual([await run(), (await mails()).length], [1, 1]);
		const expiresAtMs = now + 7 * DAY_MS;
		await stores.db.stores.apiClients.update(tenantId, id, { expiresAtMs }, now);
		assert.deepEqual([await run(), (await mails()).length], [1, 1]);
	});

	it("are not sent for clients without an owner, without an expiry, not active, or with a shorter lifetime", async () => {
		await add({ accessRequestId: null });
		await add({ expiresAtMs: null });
		await add({ status: "disabled" });
		await add({ status: "unclaimed", secretSealed: null });
		const short = await add({ expiresAtMs: NOW + 7 * DAY_MS });
		for (const day of [0, 5, 6.9, 75, 95]) {
			now = NOW + day * DAY_MS;
			assert.equal(await run(), 0, `${day} ${short.id}`);
		}
		now = NOW;
		await add({ expiresAtMs: NOW + 30 * DAY_MS });
		assert.equal(await run(), 0);
		now = NOW + 23 * DAY_MS;
		assert.equal(await run(), 1);
	});

	it("are all sent and audited when there are more than one batch", async () => {
		const ids = [];
		for (let count = 0; count < 105; count++) ids.push((await add()).id);
		now = NOW + 72 * DAY_MS;
		assert.equal(await run(), 105);
		const target = `api_client:${ids[104]}`;
		const { items } = await stores.db.stores.audit.list({ tenantId, target }, { page: 1, pageSize: 5 });
		assert.deepEqual(
			items.map(({ actor, action, details }) => [actor, action, JSON.parse(details).days_before]),
			[["system", "api_client.expiry_notified", 30]],
		);
	});
});
