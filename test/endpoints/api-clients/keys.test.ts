// The routes of administrators and partners for the public keys of an API client; partner-keys.test.ts tests what keys sign.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addTestClient, allowTestClients, submitApproved } from "../../harness/access/access-requests.ts";
import { API_CLIENTS, addApiClient, problemOf } from "../../harness/access/applications.ts";
import { addKeyClient, addOwnKey, newKey, OWN_KEYS, withKey } from "../../harness/access/partner-keys.ts";
import { problem } from "../../harness/access/signed-endpoint.ts";
import { auditOf } from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import type { Credentials } from "../../harness/service/service.ts";

const PROBLEM = { accept: "application/problem+json" };
const ABSENT_KEY = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";

const WHOAMI = "/api/v1/external/whoami";
const CALL = { method: "GET", path: WHOAMI } as const;

const service = testService();
const read = (id: string) => service.asAdmin("GET", `${API_CLIENTS}/${id}`);
const status = async (signer: Credentials) => (await service.signed(signer, "GET", WHOAMI)).status;
/** A client without a Secret yet, and one for tests. */
const others = fixture(async () => {
	await allowTestClients(service);
	const { api_client_id: unclaimed } = await submitApproved(service);
	const { client } = await addTestClient(service);
	const { data } = (await service.callAsAdmin("GET", `${API_CLIENTS}?mode=test`)).body;
	const test = data.find(({ api_key }) => api_key === client.api_key)?.id ?? "";
	return { "api_client.unclaimed": unclaimed, "api_client.test_mode": test };
});
const OTHERS = ["api_client.unclaimed", "api_client.test_mode"] as const;
const keysOf = (id: string) => `${API_CLIENTS}/${id}/keys`;
const code = async (method: Parameters<typeof problemOf>[1], path: string, body?: object) =>
	(await problemOf(service, method, path, body)).code;

describe("POST /api/v1/api-clients/{id}/keys", () => {
	describe("201", () => {
		it("adds a second key, and both sign", async () => {
			const client = await addKeyClient(service);
			const { public_key, ...key } = newKey();
			const added = await service.asAdmin("POST", `${API_CLIENTS}/${client.id}/keys`, { public_key });
			assert.deepEqual(
				added.public_keys.map(({ live }) => live),
				[true, true],
			);
			for (const signer of [client, withKey(client, { ...key, public_key })])
				assert.equal((await service.signed(signer, "GET", "/api/v1/external/whoami")).status, 200);
		});
	});
	describe("409", () => {
		it("refuses a third key, the same key, and clients without credentials of their own", async () => {
			const client = await addKeyClient(service);
			const { public_key } = client;
			assert.equal(await code("POST", keysOf(client.id), { public_key }), "api_client.key_exists");
			await service.asAdmin("POST", `${API_CLIENTS}/${client.id}/keys`, { public_key: newKey().public_key });
			const third = { public_key: newKey().public_key };
			assert.equal(await code("POST", keysOf(client.id), third), "api_client.keys_full");
			for (const expected of OTHERS)
				assert.equal(await code("POST", keysOf(others[expected]), third), expected);
		});
	});
});

describe("POST /api/v1/api-clients/{id}/keys/{key_id}/accept", () => {
	describe("200", () => {
		it("marks a key of the partner as reviewed, once", async () => {
			const client = await addApiClient(service);
			const { key_id } = await addOwnKey(service, client);
			const path = `${API_CLIENTS}/${client.id}/keys/${key_id}/accept` as const;
			const accepted = await service.asAdmin("POST", path);
			assert.notEqual(accepted.public_keys[0]?.reviewed_at, null);
			service.clock.advance(1_000);
			assert.deepEqual((await service.asAdmin("POST", path)).public_keys, accepted.public_keys);
		});
	});
	describe("409", () => {
		it("refuses clients without credentials of their own", async () => {
			for (const expected of OTHERS)
				assert.equal(await code("POST", `${keysOf(others[expected])}/${ABSENT_KEY}/accept`), expected);
		});
	});
});

describe("DELETE /api/v1/api-clients/{id}/keys/{key_id}", () => {
	describe("204", () => {
		it("removes one of two keys, whose signatures are refused", async () => {
			const client = await addKeyClient(service);
			const second = await addOwnKey(service, client);
			const path = `${keysOf(client.id)}/${client.key_id}` as const;
			assert.equal((await service.callAsAdmin("DELETE", path)).status, 204);
			const status = async (signer: typeof client) =>
				(await service.signed(signer, "GET", "/api/v1/external/whoami")).status;
			assert.deepEqual([await status(client), await status(withKey(client, second))], [401, 200]);
		});
	});
	describe("409", () => {
		it("keeps the last key, and refuses clients without credentials of their own", async () => {
			const client = await addKeyClient(service);
			assert.equal(await code("DELETE", `${keysOf(client.id)}/${client.key_id}`), "api_client.last_key");
			for (const expected of OTHERS)
				assert.equal(await code("DELETE", `${keysOf(others[expected])}/${ABSENT_KEY}`), expected);
		});
	});
});

describe("DELETE /api/v1/external/keys/{key_id}", () => {
	describe("204", () => {
		it("removes a key, signed with the other one", async () => {
			const client = await addKeyClient(service);
			const second = await addOwnKey(service, client);
			const removed = await service.signed(withKey(client, second), "DELETE", `${OWN_KEYS}/${client.key_id}`);
			assert.equal(removed.status, 204);
		});
	});
	describe("409", () => {
		it("refuses a replaced Secret during its overlap, and the last key", async () => {
			const client = await addApiClient(service);
			const key = await addOwnKey(service, client, { overlap_seconds: 3_600 });
			const path = `${OWN_KEYS}/${key.key_id}`;
			const remove = async (signer: typeof client) =>
				(await service.signed<{ code: string }>(signer, "DELETE", path, { headers: PROBLEM })).body.code;
			assert.equal(await remove(client), "secret.superseded");
			assert.equal(await remove(withKey(client, key)), "api_client.last_key");
		});
	});
	describe("4xx", () => {
		it("refuses an id that is none, a target in absolute form, and a client with an allowlist of other addresses", async () => {
			const client = await addKeyClient(service);
			assert.equal((await service.signed(client, "DELETE", `${OWN_KEYS}/x`)).status, 404);
			const absolute = `${service.httpsUrl}${OWN_KEYS}/${client.key_id}`;
			assert.equal((await service.signed(client, "DELETE", absolute)).status, 400);
			const away = await addKeyClient(service, { ip_allowlist: ["203.0.113.7"] });
			for (const [method, path] of [
				["DELETE", `${OWN_KEYS}/${away.key_id}`],
				["POST", OWN_KEYS],
			] as const)
				assert.equal((await service.signed(away, method, path)).status, 403);
		});
	});
});

describe("POST /api/v1/external/keys", () => {
	describe("201", () => {
		it("replaces the Secret at once", async () => {
			const hmac = await addApiClient(service, { scopes: [] });
			const key = await addOwnKey(service, hmac);
			assert.deepEqual([key.secret_hint, key.secret_created_at], ["", null]);
			assert.equal(key.public_keys[0]?.reviewed_at, null);
			assert.equal(await problem(service, hmac, CALL), "401 signature.invalid");
			assert.equal(await status(withKey(hmac, key)), 200);
			const audit = (await auditOf(service, `api_client:${hmac.id}`)).at(-1);
			assert.deepEqual(
				[audit?.actor, audit?.action, audit?.details],
				[
					`api_client:${hmac.id}`,
					"api_client.key_added",
					{ key_id: key.key_id, previous_secret_expires_at: null },
				],
			);
		});

		it("replaces the Secret after the overlap, in which the Secret cannot change keys", async () => {
			const hmac = await addApiClient(service);
			const key = await addOwnKey(service, hmac, { overlap_seconds: 60 });
			assert.deepEqual([await status(hmac), await status(withKey(hmac, key))], [200, 200]);
			const body = { public_key: newKey().public_key };
			const again = { method: "POST", path: OWN_KEYS, body } as const;
			assert.equal(await problem(service, hmac, again), "409 secret.superseded");
			service.clock.advance(61_000);
			assert.equal(await problem(service, hmac, CALL), "401 signature.invalid");
			assert.equal(await status(withKey(hmac, key)), 200);
		});

		it("makes both keys sign, until one is removed", async () => {
			const first = await addKeyClient(service);
			const second = await addOwnKey(service, first);
			const both = [first, withKey(first, second)];
			for (const signer of both) assert.equal(await status(signer), 200);
			const removed = await service.signed(both[1] ?? first, "DELETE", `${OWN_KEYS}/${first.key_id}`);
			assert.equal(removed.status, 204);
			assert.deepEqual([await status(first), await status(withKey(first, second))], [401, 200]);
			assert.deepEqual(
				(await read(first.id)).public_keys.map(({ key_id }) => key_id),
				[second.key_id],
			);
		});

		it("lets one of many concurrent calls take the last place", async () => {
			const first = await addKeyClient(service);
			const added = await Promise.all(
				Array.from({ length: 8 }, () => {
					const body = { public_key: newKey().public_key };
					return service.signed(first, "POST", OWN_KEYS, { body });
				}),
			);
			assert.deepEqual(added.map((one) => one.status).toSorted(), [201, ...Array(7).fill(409)]);
			assert.equal((await read(first.id)).public_keys.length, 2);
		});
	});

	describe("409", () => {
		it("refuses a third key, a key that the client has, and a private one", async () => {
			const first = await addKeyClient(service);
			const post = (public_key: object) =>
				problem(service, first, { method: "POST", path: OWN_KEYS, body: { public_key } });
			assert.equal(await post(first.public_key), "409 api_client.key_exists");
			assert.equal(await post(newKey().privateKey.export({ format: "jwk" })), "400 request.invalid");
			await addOwnKey(service, first);
			assert.equal(await post(newKey().public_key), "409 api_client.keys_full");
		});
	});
});
