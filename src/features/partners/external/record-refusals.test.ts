import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { storeClient } from "../../../../test/harness/api-client-row.ts";
import { NOW, openTestStores, storeTenant, type TestStores } from "../../../../test/harness/stores.ts";
import { type ObservedRefusal, REFUSED_CALLS_OF_CODE } from "../../../domain/refused-call.ts";
import type { CountedMeasure, EventCounter } from "../../../domain/statistics.ts";
import type { Db } from "../../../domain/stores.ts";
import { newId } from "../../../kernel/id.ts";
import { RefusedCalls } from "./record-refusals.ts";

describe("RefusedCalls", () => {
	let stores: TestStores;
	let tenantId: string;
	let client: Awaited<ReturnType<typeof storeClient>>;
	before(async () => {
		stores = await openTestStores();
		tenantId = await storeTenant(stores);
		client = await storeClient(stores, tenantId);
	});
	after(() => stores.close());

	const refusal = (fields: Partial<ObservedRefusal>): ObservedRefusal => ({
		client: undefined,
		apiKey: undefined,
		namedTenantId: undefined,
		atMs: NOW,
		code: "signature.headers",
		reason: null,
		method: "GET",
		path: "/api/v1/external/whoami",
		ip: "192.0.2.1",
		requestId: "a-1",
		signatureValid: false,
		...fields,
	});
	const recorder = () => {
		const counted: [string | undefined, CountedMeasure, string | undefined, number][] = [];
		const ofClients: [string, string | undefined, number][] = [];
		const events: EventCounter = {
			countFor: ({ id }, _measure, code, times = 1) => void ofClients.push([id, code, times]),
			count: (tenant, measure, code, times = 1) => void counted.push([tenant, measure, code, times]),
		};
		const total = (tenant: string | undefined) =>
			counted.filter(([of]) => of === tenant).reduce((sum, [, , , times]) => sum + times, 0);
		return { calls: new RefusedCalls(events), counted, ofClients, total };
	};
	const list = async () =>
		(await stores.db.stores.refusedCalls.list(tenantId, client.id, { page: 1, pageSize: 100 })).items;
	const rows = async () =>
		(await stores.db.stores.refusedCalls.list(tenantId, client.id, { page: 1, pageSize: 1 })).total;

	it("finds the client of a key when it writes, and keeps the newest calls of a code", async () => {
		const { calls, counted, ofClients } = recorder();
		for (let n = 0; n < REFUSED_CALLS_OF_CODE + 7; n++)
			calls.record(refusal({ apiKey: client.apiKey, atMs: NOW + n, requestId: `a-${n}` }));
		await calls.flush(stores);
		const stored = await list();
		assert.equal(stored.length, REFUSED_CALLS_OF_CODE);
		assert.equal(stored[0]?.requestId, `a-${REFUSED_CALLS_OF_CODE + 6}`);
		assert.deepEqual(counted, [
			[tenantId, "signed_call_refused", "signature.headers", REFUSED_CALLS_OF_CODE + 7],
		]);
		assert.deepEqual(ofClients, [[client.id, "signature.headers", REFUSED_CALLS_OF_CODE + 7]]);
		await calls.flush(stores);
		assert.equal((await list()).length, REFUSED_CALLS_OF_CODE);
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
		await calls.flush(stores);
		assert.deepEqual([total(tenantId), total(undefined)], [10, 11]);
		assert.equal(await rows(), before);
	});

	it("stays within its bounds during a flood of keys, and still counts each call", async () => {
		const { calls, total } = recorder();
		for (let n = 0; n < 5_000; n++) calls.record(refusal({ apiKey: `ak_flood-of-unknown-keys-${n}` }));
		calls.record(refusal({ client, code: "scope.missing", signatureValid: true, atMs: NOW + 1_000 }));
		await calls.flush(stores);
		assert.deepEqual([total(undefined), total(tenantId)], [5_000, 1]);
		assert.equal((await list())[0]?.code, "scope.missing");
	});

	it("loses nothing if a write fails", async () => {
		const { calls, total } = recorder();
		const unavailable: Db<"signingClients" | "tenants" | "refusedCalls"> = {
			stores: stores.db.stores,
			transaction: () => Promise.reject(new Error("unavailable")),
		};
		calls.record(refusal({ apiKey: client.apiKey, code: "signature.timestamp", requestId: "first" }));
		await assert.rejects(calls.flush({ db: unavailable }), /unavailable/);
		assert.equal(total(tenantId), 0);
		calls.record(refusal({ client, code: "signature.timestamp", requestId: "second", atMs: NOW + 1 }));
		await calls.flush(stores);
		const stored = (await list()).filter(({ code }) => code === "signature.timestamp");
		assert.deepEqual(
			stored.map(({ requestId }) => requestId),
			["second", "first"],
		);
		assert.equal(total(tenantId), 2);
	});
});
