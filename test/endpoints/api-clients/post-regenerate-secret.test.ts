import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { submitApproved } from "../../harness/access-requests.ts";
import {
	ABSENT_ID,
	API_CLIENTS,
	addApiClient,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { type Credentials, startTestService, type TestService } from "../../harness/service.ts";

const MONTH_SECONDS = 30 * 86_400;

describe("POST /api/v1/api-clients/{id}/regenerate-secret", () => {
	let service: TestService;
	let cast: Cast;
	let path: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		path = pathOf((await addApiClient(service)).id);
	});
	after(() => service.stop());

	const pathOf = (id: string) => `${API_CLIENTS}/${id}/regenerate-secret` as const;
	const regenerate = async (id: string, body?: unknown) =>
		service.call("POST", pathOf(id), { token: await service.adminToken(), body });
	/** Which of the Secrets the signed guard takes now. */
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
			assert.deepEqual(await accepted(body.data, [secret, first]), [true, false]);
			const stored = await service.call("GET", `${API_CLIENTS}/${before.id}`, { token: cast.admin });
			const { secret: _, ...shown } = body.data;
			assert.deepEqual(stored.body.data, shown);
			const audit = (await auditOf(service, `api_client:${before.id}`)).at(-1);
			assert.deepEqual(
				[audit?.action, audit?.details],
				["api_client.secret_regenerated", { previous_secret_expires_at: null }],
			);
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

		it("answers all simultaneous requests, and leaves two valid Secrets", async () => {
			const { secret: first, ...client } = await addApiClient(service);
			const answers = await Promise.all(
				Array.from({ length: 20 }, () => regenerate(client.id, { overlap_seconds: 600 })),
			);
			assert.ok(answers.every(({ status }) => status === 200));
			const secrets = answers.map(({ body }) => body.data.secret);
			assert.equal(new Set(secrets).size, 20);
			const alive = await accepted({ ...client, secret: "" }, [first, ...secrets]);
			assert.equal(alive.filter(Boolean).length, 2);
			assert.equal(alive[0], false);
			const stored = await service.call("GET", `${API_CLIENTS}/${client.id}`, { token: cast.admin });
			const newest = secrets.filter((secret) => secret.endsWith(stored.body.data.secret_hint));
			assert.ok(newest.length >= 1);
			assert.equal((await auditOf(service, `api_client:${client.id}`)).length, 21);
		});

		it("leaves a disabled client disabled", async () => {
			const { id } = await addApiClient(service);
			const body = { status: "disabled" };
			await service.call("PATCH", `${API_CLIENTS}/${id}`, { token: cast.admin, body });
			const answer = await regenerate(id);
			assert.deepEqual([answer.status, answer.body.data.status], [200, "disabled"]);
			assert.deepEqual(await accepted(answer.body.data, [answer.body.data.secret]), [false]);
		});
	});

	describe("400", () => {
		it("names the limit of the overlap", async () => {
			for (const overlap_seconds of [-1, MONTH_SECONDS + 1, 1.5, "60", null]) {
				const { status, fields } = await problemOf(service, "POST", path, { overlap_seconds });
				assert.deepEqual([status, fields], [400, ["overlap_seconds"]], String(overlap_seconds));
			}
			assert.equal((await problemOf(service, "POST", path, { overlap_seconds: MONTH_SECONDS })).status, 200);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", path));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "POST", path);
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: pathOf(ABSENT_ID) },
					{ token: cast.admin, path: pathOf("x") },
					{ token: cast.other.adminToken, path },
				],
				"POST",
				"api_client.not_found",
			));
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
			const body = { status: "disabled" };
			await service.call("PATCH", `${API_CLIENTS}/${api_client_id}`, { token: cast.admin, body });
			assert.deepEqual(await attempt(), expected);
		});
	});
});
