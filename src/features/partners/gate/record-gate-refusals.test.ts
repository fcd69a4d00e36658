import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	NOW,
	openTestStores,
	storeApplication,
	storeTenant,
	type TestStores,
} from "../../../../test/harness/stores.ts";
import { CALLER_KINDS } from "../../../domain/gate.ts";
import { GateRefusals } from "./record-gate-refusals.ts";

describe("GateRefusals", () => {
	let stores: TestStores;
	before(async () => {
		stores = await openTestStores();
	});
	after(() => stores.close());

	const addGate = async (tenantId: string): Promise<string> => {
		const applicationId = await storeApplication(stores, tenantId);
		await stores.db.stores.gates.insert({
			applicationId,
			tenantId,
			rules: [],
			accept: CALLER_KINDS,
			browserOrigin: null,
			statement: false,
			keyHint: "abcd",
			keyDigest: `digest of ${applicationId}`,
			previousKeyDigest: null,
			previousKeyExpiresAtMs: null,
			createdAtMs: NOW,
			updatedAtMs: NOW,
		});
		return applicationId;
	};

	it("keeps the refusals of a gate while others flood", async () => {
		const tenantId = await storeTenant(stores);
		const [quiet = "", ...noisy] = await Promise.all(Array.from({ length: 7 }, () => addGate(tenantId)));
		const refusals = new GateRefusals();
		const refuse = (applicationId: string, count: number, path: string): void => {
			for (let index = 0; index < count; index++)
				refusals.record({
					applicationId,
					atMs: NOW + index,
					caller: "-",
					method: "GET",
					path,
					rule: null,
					code: "gate.no_rule",
					ip: "203.0.113.7",
					requestId: `request-${index}`,
				});
		};
		refuse(quiet, 2, "/before");
		for (const gate of noisy) refuse(gate, 1_500, "/flood");
		refuse(quiet, 3, "/after");
		await refusals.flush(stores);
		const list = async (id: string) =>
			await stores.db.stores.gateRefusals.list(id, { page: 1, pageSize: 10 });
		assert.equal((await list(quiet)).total, 5);
		const kept = await Promise.all(noisy.map(async (gate) => (await list(gate)).total));
		// Six gates share what is left of 5,000.
		assert.equal(
			kept.reduce((sum, total) => sum + total, 0),
			4_995,
		);
		assert.ok(Math.min(...kept) > 800, kept.join());
	});
});
