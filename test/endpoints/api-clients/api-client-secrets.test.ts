// Secrets of API clients: regeneration and validation.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS } from "../../../src/kernel/clock.ts";
import { submitApproved } from "../../harness/access/access-requests.ts";
import { API_CLIENTS, APPLICATIONS, addApiClient, problemOf } from "../../harness/access/applications.ts";
import { auditOf, lastAuditOf } from "../../harness/people/people.ts";
import { addSecondTenant, type SecondTenant } from "../../harness/people/second-tenant.ts";
import { setup, testService } from "../../harness/runs/fixture.ts";
import type { Credentials } from "../../harness/service/service.ts";

let token: string;
let other: SecondTenant;
// Each validation uses its own IP address, because the endpoint counts requests per address.
const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
setup(async () => {
	[token, other] = [await service.adminToken(), await addSecondTenant(service)];
});

const patch = (id: string, body: unknown) => service.call("PATCH", `${API_CLIENTS}/${id}`, { token, body });
const read = async (id: string) => (await service.call("GET", `${API_CLIENTS}/${id}`, { token })).body.data;

describe("POST /api/v1/api-clients/{id}/regenerate-secret", () => {
	const MONTH_SECONDS = 30 * (DAY_MS / 1_000);

	const pathOf = (id: string) => `${API_CLIENTS}/${id}/regenerate-secret` as const;
	const regenerate = (id: string, body?: unknown) => service.call("POST", pathOf(id), { token, body });
	/** Which of the Secrets currently sign a valid request. */
	const accepted = async (client: Credentials, secrets: readonly string[]): Promise<boolean[]> =>
		Promise.all(
			secrets.map(async (secret) => {
				const { status } = await service.signed({ ...client, secret }, "GET", "/api/v1/external/whoami");
				assert.ok(status === 200 || status === 401, String(status));
				return status === 200;
			}),
		);

	describe("200", () => {
		it("sets a new Secret, shown once, and invalidates the old one at once", async () => {
			const { secret: first, ...before } = await addApiClient(service);
			service.clock.advance(1_000);
			const { status, headers, body } = await regenerate(before.id);
			assert.deepEqual([status, headers["cache-control"]], [200, "no-store"]);
			const { secret, secret_hint, secret_created_at, updated_at, ...rest } = body.data;
			const { secret_hint: _hint, secret_created_at: firstCreatedAt, updated_at: _at, ...same } = before;
			assert.deepEqual(rest, same);
			assert.match(secret, /^sk_[A-Za-z0-9_-]{43}$/);
			assert.notEqual(secret, first);
			assert.equal(secret_hint, secret.slice(-4));
			assert.ok(secret_created_at && firstCreatedAt && secret_created_at > firstCreatedAt);
			assert.equal(updated_at, secret_created_at);
			const stored = await read(before.id);
			const { secret: _, ...shown } = body.data;
			assert.deepEqual(stored, shown);
			assert.deepEqual(await accepted(body.data, [secret, first]), [true, false]);
			assert.deepEqual(await lastAuditOf(service, `api_client:${before.id}`), [
				"api_client.secret_regenerated",
				{ previous_secret_expires_at: null },
			]);
			assert.ok(!service.logs().includes(secret));
		});

		it("keeps the old Secret valid for the overlap", async () => {
			const { secret: first, ...client } = await addApiClient(service);
			const { body } = await regenerate(client.id, { overlap_seconds: 60 });
			const { secret: second, previous_secret_expires_at, secret_created_at } = body.data;
			assert.ok(previous_secret_expires_at && secret_created_at);
			assert.equal(Date.parse(previous_secret_expires_at) - Date.parse(secret_created_at), 60_000);
			assert.deepEqual(await accepted(body.data, [first, second]), [true, true]);
			service.clock.advance(61_000);
			assert.deepEqual(await accepted(body.data, [first, second]), [false, true]);
		});

		it("keeps at most two Secrets valid: a second overlap invalidates the oldest, no overlap invalidates both", async () => {
			const { secret: first, ...client } = await addApiClient(service);
			const second = (await regenerate(client.id, { overlap_seconds: MONTH_SECONDS })).body.data;
			const third = (await regenerate(client.id, { overlap_seconds: 5 })).body.data;
			const secrets = [first, second.secret, third.secret];
			assert.deepEqual(await accepted(third, secrets), [false, true, true]);
			const fourth = (await regenerate(client.id, { overlap_seconds: 0 })).body.data;
			assert.equal(fourth.previous_secret_expires_at, null);
			assert.deepEqual(await accepted(fourth, [...secrets, fourth.secret]), [false, false, false, true]);
		});

		it("accepts all concurrent requests, and leaves two valid Secrets", async () => {
			const { secret: first, ...client } = await addApiClient(service);
			const responses = await Promise.all(
				Array.from({ length: 20 }, () => regenerate(client.id, { overlap_seconds: 600 })),
			);
			assert.ok(responses.every(({ status }) => status === 200));
			const secrets = responses.map(({ body }) => body.data.secret);
			assert.equal(new Set(secrets).size, 20);
			const alive = await accepted({ ...client, secret: "" }, [first, ...secrets]);
			assert.equal(alive.filter(Boolean).length, 2);
			assert.equal(alive[0], false);
			const stored = await read(client.id);
			const newest = secrets.filter((secret) => secret.endsWith(stored.secret_hint));
			assert.ok(newest.length >= 1);
			assert.equal((await auditOf(service, `api_client:${client.id}`)).length, 21);
		});

		it("leaves a disabled client disabled", async () => {
			const { id } = await addApiClient(service);
			await patch(id, { status: "disabled" });
			const response = await regenerate(id);
			assert.deepEqual([response.status, response.body.data.status], [200, "disabled"]);
			assert.deepEqual(await accepted(response.body.data, [response.body.data.secret]), [false]);
		});
	});

	describe("409", () => {
		it("issues no Secret for an unclaimed client, enabled or disabled", async () => {
			const { api_client_id } = await submitApproved(service);
			const expected = [409, "api_client.unclaimed"];
			const attempt = async () => {
				const { status, code } = await problemOf(service, "POST", pathOf(api_client_id));
				return [status, code];
			};
			assert.deepEqual(await attempt(), expected);
			await patch(api_client_id, { status: "disabled" });
			assert.deepEqual(await attempt(), expected);
		});
	});
});

describe("POST /api/v1/api-clients/validate", () => {
	const PATH = `${API_CLIENTS}/validate` as const;
	const WRONG = `sk_${"A".repeat(43)}`;

	let calls = 0;
	const freshAddress = (): string => `198.51.100.${++calls}`;
	const validate = (body: unknown, as = token, address = freshAddress()) =>
		service.call("POST", PATH, {
			token: as,
			body,
			headers: {
				"x-forwarded-for": address,
				"x-forwarded-proto": "https",
				accept: "application/problem+json",
			},
		});
	const verdict = async (api_key: string, secret: string, as = token): Promise<unknown> => {
		const { status, body } = await validate({ api_key, secret }, as);
		assert.equal(status, 200, JSON.stringify(body));
		return body.data;
	};
	const refused = (reason: string) => ({ valid: false, reason });
	describe("200", () => {
		it("returns the client for valid credentials, and records no use", async () => {
			const { secret, ...client } = await addApiClient(service, { ip_allowlist: ["192.0.2.1"] });
			assert.deepEqual(await verdict(client.api_key, secret), { valid: true, client });
			assert.deepEqual(await verdict(client.api_key, secret), { valid: true, client });
			assert.deepEqual(await verdict(` ${client.api_key} `, secret), { valid: true, client });
			assert.ok(!service.logs().includes(secret));
		});

		it("returns no cause for invalid credentials", async () => {
			const { secret, api_key } = await addApiClient(service);
			const stranger = await addApiClient(service);
			const flipped = secret.endsWith("A") ? `${secret.slice(0, -1)}B` : `${secret.slice(0, -1)}A`;
			for (const [key, candidate] of [
				[api_key, WRONG],
				[api_key, flipped],
				[api_key, secret.toLowerCase()],
				[api_key, ` ${secret}`],
				[api_key, secret.slice(3)],
				[api_key, stranger.secret],
				[api_key.toLowerCase().replace("ak_", "AK_"), secret],
				["ak_0000000000000000", secret],
				["not even a key", "x"],
				["x".repeat(256), "y".repeat(256)],
			] as const) {
				assert.deepEqual(await verdict(key, candidate), refused("invalid_credentials"), key);
			}
		});

		it("treats another tenant's client like an absent one", async () => {
			const { secret, api_key } = await addApiClient(service);
			assert.deepEqual(await verdict(api_key, secret, other.adminToken), refused("invalid_credentials"));
		});

		it("accepts both Secrets during an overlap, and only the new one afterwards", async () => {
			const { secret: old, id, api_key } = await addApiClient(service);
			const body = { overlap_seconds: 60 };
			const renewed = await service.call("POST", `${API_CLIENTS}/${id}/regenerate-secret`, { token, body });
			const { secret } = renewed.body.data;
			const valid = async (candidate: string) =>
				(await validate({ api_key, secret: candidate })).body.data.valid;
			assert.deepEqual([await valid(old), await valid(secret)], [true, true]);
			service.clock.advance(60_000);
			assert.deepEqual([await valid(old), await valid(secret)], [false, true]);
		});

		it("reveals disabled and expired only to a caller with the correct Secret", async () => {
			const soon = new Date(service.clock.now() + 60_000).toISOString();
			const { secret, id, api_key } = await addApiClient(service, { expires_at: soon });
			await patch(id, { status: "disabled" });
			assert.deepEqual(await verdict(api_key, secret), refused("disabled"));
			assert.deepEqual(await verdict(api_key, WRONG), refused("invalid_credentials"));
			await patch(id, { status: "active" });
			service.clock.advance(60_000);
			assert.deepEqual(await verdict(api_key, secret), refused("expired"));
			assert.deepEqual(await verdict(api_key, WRONG), refused("invalid_credentials"));
		});

		it("reveals a disabled application only with the correct Secret", async () => {
			const { secret, app_id, api_key } = await addApiClient(service);
			const turn = (status: string) =>
				service.call("PATCH", `${APPLICATIONS}/${app_id}`, { token, body: { status } });
			await turn("disabled");
			assert.deepEqual(await verdict(api_key, secret), refused("app_disabled"));
			assert.deepEqual(await verdict(api_key, WRONG), refused("invalid_credentials"));
			await turn("active");
			assert.equal((await validate({ api_key, secret })).body.data.valid, true);
		});

		it("reports an unclaimed client of the tenant, for which no Secret is valid", async () => {
			const { api_client_id } = await submitApproved(service);
			const { api_key } = await read(api_client_id);
			assert.deepEqual(await verdict(api_key, WRONG), refused("unclaimed"));
			assert.deepEqual(await verdict(api_key, WRONG, other.adminToken), refused("invalid_credentials"));
			await patch(api_client_id, { status: "disabled" });
			assert.deepEqual(await verdict(api_key, WRONG), refused("invalid_credentials"));
		});
	});

	describe("429", () => {
		it("limits one address to ten requests a minute, valid or not, and serves other addresses", async () => {
			const { secret, api_key } = await addApiClient(service);
			const address = freshAddress();
			for (let count = 0; count < 10; count++) {
				const body = { api_key, secret: count % 2 === 0 ? secret : WRONG };
				assert.equal((await validate(body, token, address)).status, 200);
			}
			const refusal = await validate({ api_key, secret }, token, address);
			assert.deepEqual([refusal.status, refusal.body.code], [429, "request.too_many"]);
			assert.equal(refusal.headers["ratelimit-limit"], "10");
			assert.ok(Number(refusal.headers["retry-after"]) >= 1);
			assert.equal((await validate({ api_key, secret })).status, 200);
		});
	});
});
