import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { storeClient } from "../../../test/harness/api-client-row.ts";
import { NOW, openTestStores, storeTenant, type TestStores } from "../../../test/harness/stores.ts";
import {
	REFUSED_CALLS_KEPT_MS,
	REFUSED_CALLS_OF_CODE,
	REFUSED_CALLS_OF_KIND,
	type RefusedCall,
} from "../../domain/refused-call.ts";
import type { ErrorCode } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";

type Client = Awaited<ReturnType<typeof storeClient>>;

describe("refused calls, in SQL", () => {
	let stores: TestStores;
	let tenantId: string;
	before(async () => {
		stores = await openTestStores();
		tenantId = await storeTenant(stores);
	});
	after(() => stores.close());

	const callOf = (client: Client, code: ErrorCode, atMs: number, signatureValid = false): RefusedCall => ({
		id: newId(atMs),
		tenantId: client.tenantId,
		clientId: client.id,
		atMs,
		code,
		reason: code === "signature.invalid" ? "signature.mismatch" : null,
		method: "GET",
		path: "/api/v1/external/whoami",
		ip: "192.0.2.1",
		requestId: "a-1",
		signatureValid,
	});
	const add = (...calls: RefusedCall[]) =>
		stores.db.transaction(({ refusedCalls }) => refusedCalls.add(calls));
	const list = (client: Client, tenant = client.tenantId) =>
		stores.db.stores.refusedCalls.list(tenant, client.id, { page: 1, pageSize: 100 });

	it("are listed newest first, within the tenant of the client", async () => {
		const client = await storeClient(stores, tenantId);
		const calls = [
			callOf(client, "signature.invalid", NOW),
			callOf(client, "scope.missing", NOW + 2, true),
			callOf(client, "signature.headers", NOW + 1),
		];
		await add(...calls);
		const { items, total } = await list(client);
		assert.deepEqual(
			items.map((item) => ({ ...item })),
			[calls[1], calls[2], calls[0]],
		);
		assert.equal(total, 3);
		assert.equal((await list(client, await storeTenant(stores))).total, 0);
	});

	it("keep the newest of each code, so that one kind does not displace another", async () => {
		const client = await storeClient(stores, tenantId);
		await add(callOf(client, "signature.timestamp", NOW - 1_000));
		for (let batch = 0; batch < 3; batch++)
			await add(
				...Array.from({ length: REFUSED_CALLS_OF_CODE }, (_, n) =>
					callOf(client, "signature.invalid", NOW + batch * 100 + n),
				),
			);
		const { items, total } = await list(client);
		assert.equal(total, REFUSED_CALLS_OF_CODE + 1);
		assert.equal(items[0]?.atMs, NOW + 200 + REFUSED_CALLS_OF_CODE - 1);
		assert.equal(items.at(-1)?.code, "signature.timestamp");
	});

	it("keep calls with a valid signature separate from those that a stranger can cause", async () => {
		const client = await storeClient(stores, tenantId);
		await add(callOf(client, "scope.missing", NOW - 1_000, true));
		const codes = [
			"signature.invalid",
			"signature.headers",
			"signature.timestamp",
			"request.too_large",
			"request.too_many",
			"request.target_form",
		] as const;
		const many = codes.flatMap((code) =>
			Array.from({ length: REFUSED_CALLS_OF_CODE }, (_, n) => callOf(client, code, NOW + n)),
		);
		await add(...many);
		const { items, total } = await list(client);
		assert.equal(total, REFUSED_CALLS_OF_KIND + 1);
		assert.equal(items.at(-1)?.code, "scope.missing");
	});

	it("ignore deleted clients, and are deleted with their client or when they are old", async () => {
		const client = await storeClient(stores, tenantId);
		const gone = { ...client, id: newId(NOW) };
		await add(callOf(gone, "scope.missing", NOW), callOf(client, "scope.missing", NOW));
		assert.equal((await list(gone)).total, 0);
		assert.equal((await list(client)).total, 1);
		const { refusedCalls, apiClients } = stores.db.stores;
		await refusedCalls.purge(NOW + REFUSED_CALLS_KEPT_MS, 100);
		assert.equal((await list(client)).total, 1);
		assert.ok((await refusedCalls.purge(NOW + 1 + REFUSED_CALLS_KEPT_MS, 100)) > 0);
		assert.equal((await list(client)).total, 0);
		await add(callOf(client, "scope.missing", NOW));
		await apiClients.remove(tenantId, client.id);
		assert.equal((await list(client)).total, 0);
	});
});
