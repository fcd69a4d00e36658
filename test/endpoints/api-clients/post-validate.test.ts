import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { submitApproved } from "../../harness/access-requests.ts";
import {
	API_CLIENTS,
	APPLICATIONS,
	addApiClient,
	addCast,
	assertForbidden,
	type Cast,
} from "../../harness/applications.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = `${API_CLIENTS}/validate`;
const WRONG = `sk_${"A".repeat(43)}`;

describe("POST /api/v1/api-clients/validate", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		// Each call comes from an address of its own, since the endpoint counts them.
		service = await startTestService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
		cast = await addCast(service);
	});
	after(() => service.stop());

	let calls = 0;
	const freshAddress = (): string => `198.51.100.${++calls}`;
	const validate = (body: unknown, token = cast.admin, address = freshAddress()) =>
		service.call("POST", PATH, {
			token,
			body,
			headers: {
				"x-forwarded-for": address,
				"x-forwarded-proto": "https",
				accept: "application/problem+json",
			},
		});
	const verdict = async (api_key: string, secret: string, token = cast.admin): Promise<unknown> => {
		const { status, body } = await validate({ api_key, secret }, token);
		assert.equal(status, 200, JSON.stringify(body));
		return body.data;
	};
	const refused = (reason: string) => ({ valid: false, reason });
	const patch = (id: string, body: unknown) =>
		service.call("PATCH", `${API_CLIENTS}/${id}`, { token: cast.admin, body });

	describe("200", () => {
		it("answers valid credentials with the client, and records no use", async () => {
			const { secret, ...client } = await addApiClient(service, { ip_allowlist: ["192.0.2.1"] });
			assert.deepEqual(await verdict(client.api_key, secret), { valid: true, client });
			assert.deepEqual(await verdict(client.api_key, secret), { valid: true, client });
			assert.deepEqual(await verdict(` ${client.api_key} `, secret), { valid: true, client });
			assert.ok(!service.logs().includes(secret));
		});

		it("answers invalid credentials without the cause", async () => {
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

		it("answers another tenant's client like an absent one", async () => {
			const { secret, api_key } = await addApiClient(service);
			assert.deepEqual(await verdict(api_key, secret, cast.other.adminToken), refused("invalid_credentials"));
		});

		it("accepts both Secrets during an overlap, and only the new one afterwards", async () => {
			const { secret: old, id, api_key } = await addApiClient(service);
			const body = { overlap_seconds: 60 };
			const token = cast.admin;
			const renewed = await service.call("POST", `${API_CLIENTS}/${id}/regenerate-secret`, { token, body });
			const { secret } = renewed.body.data;
			const valid = async (candidate: string) =>
				(await validate({ api_key, secret: candidate })).body.data.valid;
			assert.deepEqual([await valid(old), await valid(secret)], [true, true]);
			service.clock.advance(60_000);
			assert.deepEqual([await valid(old), await valid(secret)], [false, true]);
		});

		it("reveals disabled and expired only to a caller with the right Secret", async () => {
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

		it("reveals a disabled application only with the right Secret", async () => {
			const { secret, app_id, api_key } = await addApiClient(service);
			const turn = (status: string) =>
				service.call("PATCH", `${APPLICATIONS}/${app_id}`, { token: cast.admin, body: { status } });
			await turn("disabled");
			assert.deepEqual(await verdict(api_key, secret), refused("app_disabled"));
			assert.deepEqual(await verdict(api_key, WRONG), refused("invalid_credentials"));
			await turn("active");
			assert.equal((await validate({ api_key, secret })).body.data.valid, true);
		});

		it("reports an unclaimed client of the tenant, for which no Secret is valid", async () => {
			const { api_client_id } = await submitApproved(service);
			const stored = await service.call("GET", `${API_CLIENTS}/${api_client_id}`, { token: cast.admin });
			const { api_key } = stored.body.data;
			assert.deepEqual(await verdict(api_key, WRONG), refused("unclaimed"));
			assert.deepEqual(await verdict(api_key, WRONG, cast.other.adminToken), refused("invalid_credentials"));
			await patch(api_client_id, { status: "disabled" });
			assert.deepEqual(await verdict(api_key, WRONG), refused("invalid_credentials"));
		});
	});

	describe("400", () => {
		it("names each field that is missing or wrong", async () => {
			for (const [body, fields] of [
				[{}, ["api_key", "secret"]],
				[{ api_key: "ak_x" }, ["secret"]],
				[{ api_key: "", secret: "x" }, ["api_key"]],
				[{ api_key: 5, secret: "x" }, ["api_key"]],
				[{ api_key: "x", secret: null }, ["secret"]],
				[{ api_key: "x".repeat(257), secret: "x" }, ["api_key"]],
				[{ api_key: "x", secret: "x".repeat(257) }, ["secret"]],
			] as const) {
				const { status, body: problem } = await validate(body);
				const named = problem.errors.map(({ field }) => field);
				assert.deepEqual([status, named], [400, fields], JSON.stringify(body));
			}
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			const answer = await service.call("POST", PATH, { body: {} });
			assert.equal(answer.status, 401);
			assert.equal(answer.headers["www-authenticate"], "Bearer");
		});
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "POST", PATH, {});
		});
	});

	describe("429", () => {
		it("limits one address to ten requests a minute, valid or not, and serves other addresses", async () => {
			const { secret, api_key } = await addApiClient(service);
			const address = freshAddress();
			for (let count = 0; count < 10; count++) {
				const body = { api_key, secret: count % 2 === 0 ? secret : WRONG };
				assert.equal((await validate(body, cast.admin, address)).status, 200);
			}
			const refusal = await validate({ api_key, secret }, cast.admin, address);
			assert.deepEqual([refusal.status, refusal.body.code], [429, "request.too_many"]);
			assert.equal(refusal.headers["ratelimit-limit"], "10");
			assert.ok(Number(refusal.headers["retry-after"]) >= 1);
			assert.equal((await validate({ api_key, secret })).status, 200);
		});
	});
});
