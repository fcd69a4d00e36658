// API clients that sign with Ed25519 keys, and the endpoints that add, accept, and remove keys.

import assert from "node:assert/strict";
import { createHmac, sign } from "node:crypto";
import { before, describe, it } from "node:test";
import { mailedToken, QUEUE, REQUESTS, submitApproved } from "../harness/access/access-requests.ts";
import { ABSENT_ID, API_CLIENTS, addApiClient, addApplication } from "../harness/access/applications.ts";
import { addKeyClient, addOwnKey, newKey, OWN_KEYS, withKey } from "../harness/access/partner-keys.ts";
import { problem } from "../harness/access/signed-endpoint.ts";
import { addPerson, auditOf } from "../harness/people/people.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { type Credentials, signedHeaders } from "../harness/service/service.ts";

const WHOAMI = "/api/v1/external/whoami";
const CALL = { method: "GET", path: WHOAMI } as const;
const ABSENT_KEY = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";

const service = testService();
const client = fixture(() => addKeyClient(service));
const needReview = async (isOn: boolean): Promise<void> => {
	const { tenant_id } = await service.asAdmin("GET", "/api/v1/users/me");
	await service.asAdmin("PATCH", `/api/v1/tenants/${tenant_id}`, { partner_keys_need_review: isOn });
};
const status = async (signer: Credentials) => (await service.signed(signer, "GET", WHOAMI)).status;

/** Small-order points of Ed25519, an encoding of one that is not canonical, and a y without a point. */
const BAD_POINTS = [
	"0100000000000000000000000000000000000000000000000000000000000000",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0000000000000000000000000000000000000000000000000000000000000080",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"0200000000000000000000000000000000000000000000000000000000000000",
].map((hex) => Buffer.from(hex, "hex").toString("base64url"));

describe("an API client with a public key", () => {
	describe("2xx", () => {
		it("is created without a Secret, and signs with its private key", async () => {
			const app_id = (await addApplication(service)).id;
			const key = newKey();
			const body = { app_id, name: "Partner", public_key: { ...key.public_key, use: "sig", kid: "mine" } };
			const created = await service.asAdmin("POST", API_CLIENTS, body);
			assert.equal("secret" in created, false);
			assert.match(created.key_id ?? "", /^[A-Za-z0-9_-]{43}$/);
			assert.equal(created.secret_hint, "");
			assert.equal(created.secret_created_at, null);
			const [shown, ...others] = created.public_keys;
			assert.deepEqual(others, []);
			assert.deepEqual(shown, {
				key_id: created.key_id,
				public_key: key.public_key,
				created_at: created.created_at,
				reviewed_at: created.created_at,
				reviewed_by: created.created_by,
				live: true,
			});
			const signer = { ...created, ...key, secret: "" };
			const { body: answer } = await service.signed(signer, "GET", WHOAMI);
			assert.deepEqual(answer.data.client.public_keys, created.public_keys);
			const lower = signedHeaders(signer, { ...CALL, nowMs: service.clock.now() });
			const headers = { ...lower, "x-signature": (lower["x-signature"] ?? "").toUpperCase() };
			assert.equal((await service.call("GET", WHOAMI, { https: true, headers })).status, 200);
			const audit = (await auditOf(service, `api_client:${created.id}`))[0];
			assert.equal(audit?.details?.key_id, created.key_id);
		});

		it("is claimed with a key, which is not reviewed, and mailed to the reviewers", async () => {
			const reviewer = await addPerson(service, "Rhea", { roles: ["reviewer"] });
			const request = await submitApproved(service);
			const key = newKey();
			const token = await mailedToken(service, request.email, "claim");
			const claimed = await service.call("POST", `${REQUESTS}/claim`, {
				body: { token, public_key: key.public_key },
			});
			assert.equal(claimed.status, 201);
			const { data } = claimed.body;
			assert.deepEqual([data.status, "secret" in data], ["active", false]);
			assert.equal(await status({ ...data, ...key, secret: "" }), 200);
			const shown = await service.asAdmin("GET", `${QUEUE}/${request.id}`);
			const keys = "public_keys" in shown ? shown.public_keys : [];
			assert.deepEqual(
				keys.map(({ key_id, reviewed_at, live }) => [key_id, reviewed_at, live]),
				[[data.key_id, null, true]],
			);
			const mails = await service.mailsTo(reviewer.email.toLowerCase(), 2);
			const mail = mails.find(({ subject }) => subject?.includes("public key"));
			assert.match(mail?.text ?? "", new RegExp(data.key_id ?? "none"));
			assert.match(mail?.text ?? "", new RegExp(`/console/requests/${request.id}`));
		});

		it("is claimed after a refused key, which an unknown token does not learn", async () => {
			const request = await submitApproved(service);
			const token = await mailedToken(service, request.email, "claim");
			const claim = (given: string, public_key: object) =>
				service.call("POST", `${REQUESTS}/claim`, { body: { token: given, public_key } });
			const unusable = { ...newKey().public_key, x: BAD_POINTS[0] };
			assert.equal((await claim("unknown", unusable)).status, 404);
			assert.equal((await claim(token, unusable)).status, 400);
			assert.equal((await claim(token, newKey().public_key)).status, 201);
		});

		it("calls beside clients with Secrets, with nonces of its own", async () => {
			const hmac = await addApiClient(service);
			const nonce = "one-nonce-for-two-clients";
			for (const signer of [hmac, client])
				assert.equal((await service.signed(signer, "GET", WHOAMI, { nonce })).status, 200);
			for (const signer of [hmac, client]) {
				const again = await service.signed(signer, "GET", WHOAMI, {
					nonce,
					headers: { accept: "application/problem+json" },
				});
				assert.equal(`${again.status} ${(again.body as { code?: string }).code}`, "401 nonce.reused");
			}
		});
	});

	describe("4xx", () => {
		const add = (public_key: object) =>
			service.call<{ code: string; errors: { field: string; message: string }[] }>(
				"POST",
				API_CLIENTS as string,
				{
					body: { app_id: client.app_id, name: "Refused", public_key },
					headers: { accept: "application/problem+json" },
					token: adminToken,
				},
			);
		let adminToken = "";
		before(async () => {
			adminToken = await service.adminToken();
		});

		it("refuses private members, other types and curves, and unusable points", async () => {
			const { kty, crv, x } = newKey().public_key;
			for (const [jwk, reason] of [
				[newKey().privateKey.export({ format: "jwk" }), /private member/],
				[{ kty: "oct", k: "c2VjcmV0" }, /private member/],
				[{ kty: "EC", crv: "P-256", x, y: x }, /kty OKP/],
				[{ kty: "RSA", n: x, e: "AQAB" }, /kty OKP/],
				[{ crv, x }, /kty OKP/],
				[{ kty, crv: "X25519", x }, /crv Ed25519/],
				[{ kty, crv }, /x in base64url/],
				[{ kty, crv, x: x.slice(1) }, /x in base64url/],
				[{ kty, crv, x: `${x.slice(0, -1)}B` }, /x in base64url/],
				[{ kty, crv, x, use: "enc" }, /verification/],
				[{ kty, crv, x, alg: "ES256" }, /alg/],
				...BAD_POINTS.map((point) => [{ kty, crv, x: point }, /small order/] as const),
			] as const) {
				const { status: code, body } = await add(jwk);
				assert.equal(code, 400, JSON.stringify(jwk));
				assert.deepEqual(
					body.errors.map(({ field }) => field),
					["public_key"],
				);
				assert.match(body.errors[0]?.message ?? "", reason, JSON.stringify(jwk));
			}
			assert.equal((await add([])).status, 400);
		});

		it("refuses every other proof with the same message", async () => {
			const headers = signedHeaders(client, { ...CALL, nowMs: service.clock.now() });
			const signature = headers["x-signature"] ?? "";
			const other = await addKeyClient(service);
			const hmac = await addApiClient(service);
			const hmacOf = (secret: string) => createHmac("sha256", secret).update("x").digest("hex");
			for (const [name, signer, given] of [
				["truncated", client, signature.slice(0, 64)],
				["its end", client, signature.slice(64)],
				["an HMAC with the public key", client, hmacOf(client.public_key.x)],
				["an HMAC with nothing", client, "0".repeat(64)],
				["zeros", client, "0".repeat(128)],
				["another key", withKey(client, other), undefined],
				["a key's signature for a Secret", { ...hmac, privateKey: other.privateKey }, undefined],
				["an HMAC twice", hmac, `${hmacOf(hmac.secret)}${hmacOf(hmac.secret)}`],
				["an unknown client", { ...client, api_key: "ak_unknown0000000000000000" }, undefined],
				["another tenant", { ...client, tenant_id: ABSENT_ID }, undefined],
				["another application", { ...client, app_id: ABSENT_ID }, undefined],
			] as const) {
				const replaced: Record<string, string> = given === undefined ? {} : { "x-signature": given };
				assert.equal(await problem(service, signer, CALL, replaced), "401 signature.invalid", name);
			}
			for (const length of [63, 65, 127, 129])
				assert.equal(
					await problem(service, client, CALL, { "x-signature": "a".repeat(length) }),
					"401 signature.headers",
				);
		});

		it("refuses a signature over the string of the other scheme", async () => {
			const headers = signedHeaders(client, { ...CALL, nowMs: service.clock.now() });
			const text = [
				"V1-HMAC-SHA256",
				"GET",
				WHOAMI,
				client.tenant_id,
				client.app_id,
				client.api_key,
				headers["x-timestamp"],
				headers["x-nonce"],
				"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
			];
			const signed = (lines: readonly (string | undefined)[]) =>
				sign(null, Buffer.from(lines.join("\n")), client.privateKey).toString("hex");
			const send = async (signature: string) =>
				(
					await service.call("GET", WHOAMI, {
						https: true,
						headers: { ...headers, "x-signature": signature },
					})
				).status;
			assert.equal(await send(signed(text)), 401);
			assert.equal(await send(signed(["V1-ED25519", ...text.slice(1)])), 200);
		});

		it("has no Secret to regenerate, rotate, or validate", async () => {
			const token = await service.adminToken();
			const path = `${API_CLIENTS}/${client.id}/regenerate-secret` as const;
			const options = { token, body: {}, headers: { accept: "application/problem+json" } };
			const renewed = await service.call<{ code: string }>("POST", path as string, options);
			assert.deepEqual([renewed.status, renewed.body.code], [409, "api_client.has_keys"]);
			const rotate = { method: "POST", path: "/api/v1/external/secret/rotate", body: {} } as const;
			assert.equal(await problem(service, client, rotate), "409 api_client.has_keys");
			const body = { api_key: client.api_key, secret: "sk_x" };
			assert.deepEqual(await service.asAdmin("POST", `${API_CLIENTS}/validate`, body), {
				valid: false,
				reason: "invalid_credentials",
			});
		});

		it("stays active after it was disabled, instead of becoming unclaimed", async () => {
			const { id } = await addKeyClient(service);
			await service.asAdmin("PATCH", `${API_CLIENTS}/${id}`, { status: "disabled" });
			assert.equal(
				(await service.asAdmin("PATCH", `${API_CLIENTS}/${id}`, { status: "active" })).status,
				"active",
			);
		});
	});
});

describe("the last key", () => {
	describe("4xx", () => {
		it("keeps the last key", async () => {
			const first = await addKeyClient(service);
			const remove = (id: string | undefined) => service.signed(first, "DELETE", `${OWN_KEYS}/${id}`);
			assert.equal((await remove(ABSENT_KEY)).status, 404);
			assert.equal((await remove("short")).status, 404);
			assert.equal((await remove(first.key_id)).status, 409);
			const path = `${API_CLIENTS}/${first.id}/keys/${first.key_id}`;
			assert.equal((await service.callAsAdmin("DELETE", path)).status, 409);
			assert.equal(await status(first), 200);
		});
	});
});

describe("partner_keys_need_review", () => {
	describe("2xx", () => {
		it("holds a key until a reviewer accepts it; until then, the Secret signs", async () => {
			const reviewer = await addPerson(service, "Rex", { roles: ["reviewer"] });
			await needReview(true);
			try {
				const hmac = await addApiClient(service);
				const key = await addOwnKey(service, hmac, { overlap_seconds: 60 });
				assert.equal(key.public_keys[0]?.live, false);
				const signer = withKey(hmac, key);
				assert.deepEqual([await status(hmac), await status(signer)], [200, 401]);
				const accept = `${API_CLIENTS}/${hmac.id}/keys/${key.key_id}/accept`;
				const token = await service.tokenOf(reviewer.username, reviewer.password);
				const accepted = await service.call<{ data: typeof key }>("POST", accept, { token });
				assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
				const [shown] = accepted.body.data.public_keys;
				assert.deepEqual([shown?.live, shown?.reviewed_by], [true, reviewer.id]);
				assert.deepEqual([await status(hmac), await status(signer)], [200, 200]);
				service.clock.advance(61_000);
				assert.deepEqual([await status(hmac), await status(signer)], [401, 200]);
				const again = await service.call<{ data: typeof key }>("POST", accept, { token });
				assert.deepEqual(again.body.data.public_keys, accepted.body.data.public_keys);
			} finally {
				await needReview(false);
			}
		});

		it("holds a key of a claim, and a held key can be removed beside a live one", async () => {
			await needReview(true);
			try {
				const request = await submitApproved(service);
				const key = newKey();
				const token = await mailedToken(service, request.email, "claim");
				const body = { token, public_key: key.public_key };
				const { data } = (await service.call("POST", `${REQUESTS}/claim`, { body })).body;
				const signer = { ...data, ...key, secret: "" };
				assert.equal(await problem(service, signer, CALL), "401 signature.invalid");
				await service.asAdmin("POST", `${API_CLIENTS}/${data.id}/keys/${data.key_id}/accept`);
				assert.equal(await status(signer), 200);
				const held = await addOwnKey(service, signer);
				assert.equal((await service.signed(signer, "DELETE", `${OWN_KEYS}/${data.key_id}`)).status, 409);
				assert.equal((await service.signed(signer, "DELETE", `${OWN_KEYS}/${held.key_id}`)).status, 204);
				const ended = await auditOf(service, `api_client:${data.id}`);
				assert.deepEqual(ended.map(({ action }) => action).slice(-3), [
					"api_client.key_accepted",
					"api_client.key_added",
					"api_client.key_removed",
				]);
			} finally {
				await needReview(false);
			}
		});
	});
});

describe("/api/v1/api-clients/{id}/keys", () => {
	describe("2xx", () => {
		it("adds a key that counts as reviewed, and replaces the Secret", async () => {
			await needReview(true);
			try {
				const hmac = await addApiClient(service);
				const key = newKey();
				const { public_key } = key;
				const added = await service.asAdmin("POST", `${API_CLIENTS}/${hmac.id}/keys`, { public_key });
				assert.equal(added.public_keys[0]?.live, true);
				assert.notEqual(added.public_keys[0]?.reviewed_at, null);
				assert.deepEqual([await status(hmac), await status(withKey(hmac, key))], [401, 200]);
			} finally {
				await needReview(false);
			}
		});
	});
});
