// Records of calls that wait in memory while the database cannot be written.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { TEST_APP_ID } from "../src/domain/api-client.ts";
import { UNDECIDED } from "../src/domain/request.ts";
import type { Stores } from "../src/domain/stores.ts";
import { createSignInRecorder } from "../src/features/access/applications/record-sign-ins.ts";
import { createKeyUseRecorder } from "../src/features/identity/admin-keys/record-key-uses.ts";
import { createUseRecorder } from "../src/features/partners/external/record-uses.ts";
import { createTestCallRecorder } from "../src/features/partners/external/test-calls.ts";
import { newId } from "../src/kernel/id.ts";
import type { Persistence } from "../src/kernel/transaction.ts";
import { flushAll } from "../src/kernel/write-behind.ts";
import { storeClient } from "./harness/access/api-client-row.ts";
import { NOW, testDatabase } from "./harness/databases/database.ts";
import { storeApplication, storeTenant, storeUser } from "./harness/databases/stores.ts";

const [FIRST_IP, LAST_IP] = ["192.0.2.1", "192.0.2.2"];

describe("Records of a failed write", () => {
	const stores = testDatabase();
	let tenantId: string;
	let isAway = true;
	let db: Persistence<Stores>;
	before(async () => {
		tenantId = await storeTenant(stores);
		db = {
			stores: stores.db.stores,
			transaction: (work) => (isAway ? Promise.reject(new Error("away")) : stores.db.transaction(work)),
		};
	});

	/** One failed write, what `later` records, and a successful one. */
	async function failOnce(flush: () => Promise<void>, later: () => void): Promise<void> {
		isAway = true;
		await assert.rejects(flush(), /away|could not be written/);
		isAway = false;
		later();
		await flush();
	}

	it("include the last use of an API client and its allowlist misses", async () => {
		const { id } = await storeClient(stores, tenantId, { ipAllowlistMode: "report" });
		const other = await storeClient(stores, tenantId);
		const uses = createUseRecorder(db);
		uses.record(id, NOW, FIRST_IP, true);
		uses.record(other.id, NOW, FIRST_IP, false);
		const later = (): void => {
			uses.record(id, NOW + 2, FIRST_IP, true);
			uses.record(id, NOW + 3, LAST_IP, true);
		};
		await failOnce(() => flushAll(uses.buffers), later);
		const { apiClients, allowlistMisses } = stores.db.stores;
		const lastUse = async (clientId: string) => {
			const client = await apiClients.findById(tenantId, clientId);
			return [client?.lastUsedAtMs, client?.lastUsedIp];
		};
		assert.deepEqual(await lastUse(id), [NOW + 3, LAST_IP]);
		assert.deepEqual(await lastUse(other.id), [NOW, FIRST_IP]);
		const misses = await allowlistMisses.listAll(tenantId, id);
		assert.deepEqual(
			misses.map(({ ip, requests, firstSeenAtMs, lastSeenAtMs }) => [
				ip,
				requests,
				firstSeenAtMs,
				lastSeenAtMs,
			]),
			[
				[FIRST_IP, 2, NOW, NOW + 2],
				[LAST_IP, 1, NOW + 3, NOW + 3],
			],
		);
	});

	it("include the last use of an admin key", async () => {
		const id = newId(NOW);
		const createdBy = await storeUser(stores, tenantId);
		await stores.db.stores.adminKeys.insert({
			id,
			tenantId,
			name: "Deploy",
			roles: ["admin"],
			ipAllowlist: [],
			workloads: [],
			expiresAtMs: NOW + 1_000,
			lastUsedAtMs: null,
			lastUsedIp: "",
			createdBy,
			createdAtMs: NOW,
			keyDigest: "digest",
		});
		const uses = createKeyUseRecorder(db);
		uses.note(id, NOW, FIRST_IP);
		await failOnce(
			() => uses.buffer.flush(),
			() => undefined,
		);
		const [key] = await stores.db.stores.adminKeys.listOf(tenantId, createdBy);
		assert.deepEqual([key?.lastUsedAtMs, key?.lastUsedIp], [NOW, FIRST_IP]);
	});

	it("include the last sign-in to an application", async () => {
		const appId = await storeApplication(stores, tenantId);
		const signIns = createSignInRecorder(db);
		const subject = { kind: "user", id: await storeUser(stores, tenantId) } as const;
		const { grants, applications } = stores.db.stores;
		const grant = { id: newId(NOW), tenantId, appId, subject, roleIds: [], grantedBy: null };
		await grants.put({ ...grant, createdAtMs: NOW, updatedAtMs: NOW });
		signIns.note({ tenantId, appId, subject, atMs: NOW });
		await failOnce(
			() => flushAll(signIns.buffers),
			() => undefined,
		);
		const application = await applications.findById(tenantId, appId);
		assert.equal(application?.lastSignInAtMs, NOW);
		assert.equal((await grants.find(tenantId, appId, subject))?.lastUsedAtMs, NOW);
	});

	it("include the calls of a test client", async () => {
		const id = newId(NOW);
		await stores.db.transaction(({ accessRequests }) =>
			accessRequests.insert({
				id,
				tenantId,
				applicantName: "Ada",
				email: "ada@partner.example",
				company: "",
				projectName: "Engine",
				purpose: "To compute.",
				locale: "en",
				...UNDECIDED,
				claimedAtMs: null,
				testCallsOk: 0,
				testCallsRefused: 0,
				createdAtMs: NOW,
				updatedAtMs: NOW,
				withdrawDigest: "withdraw",
				testDigest: null,
			}),
		);
		const { id: clientId } = await storeClient(stores, tenantId, {
			mode: "test",
			appId: TEST_APP_ID,
			accessRequestId: id,
		});
		const calls = createTestCallRecorder(db, undefined);
		calls.record(clientId, true);
		calls.record(clientId, false);
		await failOnce(
			() => calls.buffer.flush(),
			() => calls.record(clientId, true),
		);
		const request = await stores.db.stores.accessRequests.findWithdrawable("withdraw");
		assert.deepEqual([request?.testCallsOk, request?.testCallsRefused], [2, 1]);
	});
});
