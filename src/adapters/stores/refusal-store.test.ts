import assert from "node:assert/strict";
import { before, it } from "node:test";
import { storeClient } from "../../../test/harness/access/api-client-row.ts";
import { NOW } from "../../../test/harness/databases/database.ts";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import { storeApplication, storeTenant } from "../../../test/harness/databases/stores.ts";
import {
	NO_CALLER,
	REFUSALS_KEPT,
	REFUSALS_KEPT_MS,
	type Refusal,
	type RefusalQuery,
} from "../../domain/refusal.ts";
import { newId } from "../../kernel/id.ts";

const { ofCode, ofCallers } = REFUSALS_KEPT.api_client;

onEachEngine("refusals, in SQL", (stores) => {
	let tenantId: string;
	before(async () => {
		tenantId = await storeTenant(stores);
	});

	const refusal = (fields: Partial<Refusal>): Refusal => ({
		id: newId(NOW),
		tenantId,
		subject: "api_client",
		apiClientId: null,
		applicationId: null,
		atMs: NOW,
		code: "signature.invalid",
		reason: "signature.mismatch",
		method: "GET",
		path: "/api/v1/external/whoami",
		rule: null,
		caller: NO_CALLER,
		ip: "192.0.2.1",
		requestId: "a-1",
		...fields,
	});
	const many = (count: number, fields: Partial<Refusal>): Refusal[] =>
		Array.from({ length: count }, (_, n) => refusal({ atMs: NOW + n, ...fields }));
	const add = (...refusals: Refusal[]) => stores.db.transaction((stored) => stored.refusals.add(refusals));
	const list = (query: Partial<RefusalQuery>) =>
		stores.db.stores.refusals.list({ tenantId, ...query }, { page: 1, pageSize: 100 });

	it("are found by each filter, newest first, with the name of their subject, within the tenant", async () => {
		const client = await storeClient(stores, tenantId);
		const applicationId = await storeApplication(stores, tenantId);
		const signed = refusal({ apiClientId: client.id, requestId: "signed" });
		const oauth = refusal({
			subject: "oauth_client",
			applicationId,
			code: "invalid_grant",
			requestId: "oauth",
			atMs: NOW + 1,
		});
		const caller = `partner:${client.id}`;
		const gate = refusal({
			subject: "gate",
			applicationId,
			apiClientId: client.id,
			caller,
			rule: 2,
			code: "scope.missing",
			reason: null,
			requestId: "gate",
			atMs: NOW + 2,
		});
		await add(signed, oauth, gate);
		const names = await Promise.all([
			stores.db.stores.apiClients.findById(tenantId, client.id),
			stores.db.stores.applications.findById(tenantId, applicationId),
		]);
		const { items, total } = await list({});
		assert.deepEqual(
			items.map((item) => ({ ...item })),
			[
				{ ...gate, subjectName: names[1]?.name },
				{ ...oauth, subjectName: names[1]?.name },
				{ ...signed, subjectName: names[0]?.name },
			],
		);
		assert.equal(total, 3);
		const found = async (query: Partial<RefusalQuery>) =>
			(await list(query)).items.map(({ requestId }) => requestId);
		assert.deepEqual(await found({ requestId: "oauth" }), ["oauth"]);
		assert.deepEqual(await found({ apiClientId: client.id }), ["gate", "signed"]);
		assert.deepEqual(await found({ apiClientId: client.id, subject: "api_client" }), ["signed"]);
		assert.deepEqual(await found({ applicationId }), ["gate", "oauth"]);
		assert.deepEqual(await found({ applicationId, subject: "oauth_client" }), ["oauth"]);
		assert.deepEqual(await found({ code: "scope.missing" }), ["gate"]);
		assert.deepEqual(await found({ fromMs: NOW + 1, toMs: NOW + 2 }), ["oauth"]);
		const other = await storeTenant(stores);
		for (const query of [{}, { requestId: "gate" }, { apiClientId: client.id }, { applicationId }])
			assert.equal((await list({ ...query, tenantId: other })).total, 0);
	});

	it("keep the newest of each code, so that one kind does not displace another", async () => {
		const { id: apiClientId } = await storeClient(stores, tenantId);
		await add(refusal({ apiClientId, code: "signature.timestamp", atMs: NOW - 1_000 }));
		for (let batch = 0; batch < 3; batch++)
			await add(...many(ofCode, { apiClientId }).map((one, n) => ({ ...one, atMs: NOW + batch * 100 + n })));
		const { items, total } = await list({ apiClientId });
		assert.equal(total, ofCode + 1);
		assert.equal(items[0]?.atMs, NOW + 200 + ofCode - 1);
		assert.equal(items.at(-1)?.code, "signature.timestamp");
	});

	it("keep calls of a recognized caller separate from those that a stranger can cause", async () => {
		const { id: apiClientId } = await storeClient(stores, tenantId);
		const caller = `partner:${apiClientId}`;
		await add(refusal({ apiClientId, caller, code: "scope.missing", atMs: NOW - 1_000 }));
		const codes = ["signature.invalid", "signature.headers", "signature.timestamp", "request.too_large"];
		await add(...codes.flatMap((code) => many(ofCode, { apiClientId, code })));
		const { items, total } = await list({ apiClientId });
		assert.equal(total, ofCallers + 1);
		assert.equal(items.at(-1)?.code, "scope.missing");
	});

	it("keep the newest 1,000 of a gate and 100 of an OAuth client, each for itself", async () => {
		const applicationId = await storeApplication(stores, tenantId);
		const other = await storeApplication(stores, tenantId);
		await add(refusal({ subject: "gate", applicationId: other, atMs: NOW - 1 }));
		await add(...many(1_003, { subject: "gate", applicationId, code: "gate.no_rule" }));
		for (let code = 0; code < 8; code++)
			await add(...many(25, { subject: "oauth_client", applicationId, code: `error_${code}` }));
		const totalOf = async (query: Partial<RefusalQuery>) => (await list(query)).total;
		assert.equal(await totalOf({ applicationId, subject: "gate" }), 1_000);
		assert.equal(await totalOf({ applicationId, subject: "oauth_client" }), 100);
		assert.equal(await totalOf({ applicationId: other }), 1);
		assert.equal((await list({ applicationId, subject: "gate" })).items[0]?.atMs, NOW + 1_002);
	});

	it("ignore deleted records and those of another tenant, and are deleted with theirs or when they are old", async () => {
		const { id: apiClientId } = await storeClient(stores, tenantId);
		const applicationId = await storeApplication(stores, tenantId);
		await add(
			refusal({ apiClientId: newId(NOW) }),
			refusal({ subject: "gate", applicationId: newId(NOW) }),
			refusal({ apiClientId, tenantId: await storeTenant(stores) }),
			refusal({ apiClientId }),
			refusal({ subject: "gate", applicationId }),
		);
		const { refusals, apiClients, applications } = stores.db.stores;
		const totals = async () =>
			Promise.all([list({ apiClientId }), list({ applicationId })]).then((pages) =>
				pages.map(({ total }) => total),
			);
		assert.deepEqual(await totals(), [1, 1]);
		while ((await refusals.purge(NOW + REFUSALS_KEPT_MS, 1_000)) > 0);
		assert.deepEqual(await totals(), [1, 1]);
		await apiClients.remove(tenantId, apiClientId);
		assert.deepEqual(await totals(), [0, 1]);
		await applications.remove(tenantId, applicationId);
		assert.deepEqual(await totals(), [0, 0]);
		await add(refusal({ subject: "gate", applicationId: await storeApplication(stores, tenantId) }));
		while ((await refusals.purge(NOW + REFUSALS_KEPT_MS + 2_000, 1_000)) > 0);
		assert.equal((await list({})).total, 0);
	});
});
