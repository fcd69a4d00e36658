import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { storeClient } from "../../../../test/harness/access/api-client-row.ts";
import { NOW, testDatabase } from "../../../../test/harness/databases/database.ts";
import { storeApplication, storeTenant } from "../../../../test/harness/databases/stores.ts";
import { storedOAuthClient } from "../../../../test/harness/openid/oauth-clients.ts";
import {
	NO_CALLER,
	REFUSALS_KEPT,
	type RefusalQuery,
	type RefusedSignedCall,
} from "../../../domain/refusal.ts";
import type { CountedMeasure, EventCounter } from "../../../domain/statistics.ts";
import { newId } from "../../../kernel/id.ts";
import { Refusals } from "./record-refusals.ts";

const OF_CODE = REFUSALS_KEPT.api_client.ofCode;
const REQUEST = {
	atMs: NOW,
	reason: null,
	method: "GET",
	path: "/api/v1/external/whoami",
	rule: null,
	caller: NO_CALLER,
	ip: "192.0.2.1",
	requestId: "a-1",
};

describe("Refusals", () => {
	const stores = testDatabase();
	let tenantId: string;
	let client: Awaited<ReturnType<typeof storeClient>>;
	before(async () => {
		tenantId = await storeTenant(stores);
		client = await storeClient(stores, tenantId);
	});

	const refusal = (fields: Partial<RefusedSignedCall>): RefusedSignedCall => ({
		...REQUEST,
		subject: "api_client",
		client: undefined,
		apiKey: undefined,
		namedTenantId: undefined,
		code: "signature.headers",
		...fields,
	});
	const known = (fields: Partial<RefusedSignedCall>): RefusedSignedCall =>
		refusal({ client, apiKey: client.apiKey, ...fields });
	const recorder = (db: typeof stores.db = stores.db) => {
		const counted: [string | undefined, CountedMeasure, string | undefined, number][] = [];
		const ofClients: [string, string | undefined, number][] = [];
		const events: EventCounter = {
			countFor: ({ id }, _measure, code, times = 1) => void ofClients.push([id, code, times]),
			count: (tenant, measure, code, times = 1) => void counted.push([tenant, measure, code, times]),
		};
		const total = (tenant: string | undefined) =>
			counted.filter(([of]) => of === tenant).reduce((sum, [, , , times]) => sum + times, 0);
		return { calls: new Refusals(db, events), counted, ofClients, total };
	};
	const page = (query: Partial<RefusalQuery>) =>
		stores.db.stores.refusals.list({ tenantId, ...query }, { page: 1, pageSize: 100 });
	const list = async () => (await page({ apiClientId: client.id })).items;
	const rows = async () => (await page({ apiClientId: client.id })).total;

	it("finds the client of a key when it writes, and keeps the newest calls of a code", async () => {
		const { calls, counted, ofClients } = recorder();
		for (let n = 0; n < OF_CODE + 7; n++)
			calls.record(refusal({ apiKey: client.apiKey, atMs: NOW + n, requestId: `a-${n}` }));
		await calls.buffer.flush();
		const stored = await list();
		assert.equal(stored.length, OF_CODE);
		assert.equal(stored[0]?.requestId, `a-${OF_CODE + 6}`);
		assert.deepEqual(counted, [[tenantId, "signed_call_refused", "signature.headers", OF_CODE + 7]]);
		assert.deepEqual(ofClients, [[client.id, "signature.headers", OF_CODE + 7]]);
		await calls.buffer.flush();
		assert.equal((await list()).length, OF_CODE);
		assert.equal(counted.length, 1);
	});

	it("stores nothing for unknown keys, and counts them for a tenant that exists", async () => {
		const { calls, total } = recorder();
		const before = await rows();
		for (let n = 0; n < 10; n++) {
			const apiKey = `ak_unknown-to-every-tenant-${n}`;
			calls.record(refusal({ apiKey, namedTenantId: tenantId }));
			calls.record(refusal({ apiKey, namedTenantId: newId(NOW) }));
		}
		calls.record(refusal({}));
		await calls.buffer.flush();
		assert.deepEqual([total(tenantId), total(undefined)], [10, 11]);
		assert.equal(await rows(), before);
	});

	it("keeps those of clients during a flood of unknown keys, and still counts each call", async () => {
		const { calls, total } = recorder();
		calls.record(known({ code: "scope.missing", caller: `partner:${client.id}`, atMs: NOW + 1_000 }));
		for (let n = 0; n < 5_000; n++) calls.record(refusal({ apiKey: `ak_flood-of-unknown-keys-${n}` }));
		await calls.buffer.flush();
		assert.deepEqual([total(undefined), total(tenantId)], [5_000, 1]);
		assert.equal((await list())[0]?.code, "scope.missing");
	});

	it("keeps those of a gate while others flood", async () => {
		const { calls } = recorder();
		const addGates = (count: number) =>
			Promise.all(Array.from({ length: count }, () => storeApplication(stores, tenantId)));
		const [quiet = "", ...noisy] = await addGates(7);
		const refuse = (applicationId: string, count: number): void => {
			const gate = { ...REQUEST, subject: "gate", tenantId, applicationId, apiClientId: null } as const;
			for (let n = 0; n < count; n++) calls.record({ ...gate, code: "gate.no_rule", atMs: NOW + n });
		};
		refuse(quiet, 2);
		for (const gate of noisy) refuse(gate, 1_500);
		refuse(quiet, 3);
		await calls.buffer.flush();
		const totalOf = async (applicationId: string) => (await page({ applicationId, subject: "gate" })).total;
		assert.equal(await totalOf(quiet), 5);
		const kept = await Promise.all(noisy.map(totalOf));
		assert.ok(Math.min(...kept) > 800, kept.join());
		assert.ok(kept.reduce((sum, total) => sum + total) < 6_000, kept.join());
	});

	it("stores those of OAuth clients in the tenant of the client, and none of an application without one", async () => {
		const { calls, counted } = recorder();
		const [applicationId, plain] = [
			await storeApplication(stores, tenantId),
			await storeApplication(stores, tenantId),
		];
		await stores.db.stores.oauthClients.insert(
			storedOAuthClient({ applicationId, tenantId, createdAtMs: NOW, updatedAtMs: NOW }),
		);
		for (const id of [applicationId, plain])
			calls.record({ ...REQUEST, subject: "oauth_client", applicationId: id, code: "invalid_client" });
		await calls.buffer.flush();
		const { items } = await page({ applicationId });
		assert.deepEqual(
			items.map(({ subject, code, caller }) => [subject, code, caller]),
			[["oauth_client", "invalid_client", NO_CALLER]],
		);
		assert.equal((await page({ applicationId: plain })).total, 0);
		assert.deepEqual(counted, []);
	});

	it("stores texts with NUL characters and lone surrogates of strangers, and the others of the batch", async () => {
		const { calls, total } = recorder();
		const code = "scope.missing";
		const applicationId = await storeApplication(stores, tenantId);
		const gate = { ...REQUEST, subject: "gate", tenantId, applicationId, apiClientId: null } as const;
		calls.record({
			...gate,
			code: "request.invalid",
			reason: "redirect_uri a\0b is not registered",
			path: "/\0\ud800",
			method: "G\0",
			requestId: "r\0",
		});
		calls.record(refusal({ apiKey: "ak_with-a-nul\0-character", namedTenantId: "\0", code }));
		calls.record({ ...gate, code: "gate.no_rule" });
		await calls.buffer.flush();
		const { items } = await page({ applicationId });
		assert.deepEqual(items.map((one) => [one.code, one.reason, one.path, one.method, one.requestId]).sort(), [
			["gate.no_rule", null, REQUEST.path, "GET", "a-1"],
			["request.invalid", "redirect_uri a\ufffdb is not registered", "/\ufffd\ufffd", "G\ufffd", "r\ufffd"],
		]);
		assert.equal(total(undefined), 1);
	});

	it("loses nothing if a write fails, and counts once", async () => {
		let isAvailable = false;
		const { calls, total } = recorder({
			stores: stores.db.stores,
			transaction: (work) =>
				isAvailable ? stores.db.transaction(work) : Promise.reject(new Error("unavailable")),
		});
		const code = "signature.timestamp";
		calls.record(refusal({ apiKey: client.apiKey, code, requestId: "first" }));
		await assert.rejects(calls.buffer.flush(), /unavailable/);
		assert.equal(total(tenantId), 0);
		calls.record(known({ code, requestId: "second", atMs: NOW + 1 }));
		calls.record(refusal({ apiKey: client.apiKey, code, requestId: "third", atMs: NOW + 2 }));
		isAvailable = true;
		await calls.buffer.flush();
		const stored = (await list()).filter((one) => one.code === code);
		assert.deepEqual(
			stored.map(({ requestId }) => requestId),
			["third", "second", "first"],
		);
		assert.equal(total(tenantId), 3);
		await calls.buffer.flush();
		assert.equal(total(tenantId), 3);
	});
});
