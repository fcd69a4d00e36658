import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	APPLICATIONS,
	addApplication,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { liveSecrets, putOAuthClient } from "../../harness/oauth-clients.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const MONTH_SECONDS = 30 * 86_400;

describe("POST /api/v1/applications/{id}/oauth-client/regenerate-secret", () => {
	let service: TestService;
	let cast: Cast;
	let id: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		id = (await putOAuthClient(service)).client_id;
	});
	after(() => service.stop());

	const path = (appId = id) => `${APPLICATIONS}/${appId}/oauth-client/regenerate-secret` as const;
	const regenerate = async (appId: string, body?: unknown) =>
		service.call("POST", path(appId), { token: await service.adminToken(), body });
	const secretOf = async (appId: string, body?: unknown): Promise<string> =>
		(await regenerate(appId, body)).body.data.client_secret ?? "";

	describe("200", () => {
		it("sets a new secret, shown once, and invalidates the old one at once", async () => {
			const { client_secret: first = "", ...before } = await putOAuthClient(service);
			service.clock.advance(1_000);
			const { status, headers, body } = await regenerate(before.client_id);
			assert.deepEqual([status, headers["cache-control"]], [200, "no-store"]);
			const { client_secret: second = "", ...after } = body.data;
			assert.match(second, /^ocs_[A-Za-z0-9_-]{43}$/);
			assert.deepEqual(after, {
				...before,
				secret_hint: second.slice(-4),
				secret_created_at: after.updated_at,
				updated_at: after.updated_at,
			});
			assert.ok(after.updated_at > before.updated_at);
			assert.deepEqual(await liveSecrets(service, before.client_id, [first, second]), [false, true]);
			const audit = (await auditOf(service, `oauth_client:${before.client_id}`)).at(-1);
			assert.deepEqual(
				[audit?.action, audit?.details],
				["oauth_client.secret_regenerated", { previous_secret_expires_at: null }],
			);
			assert.ok(!service.logs().includes(second));
		});

		it("keeps the old secret valid for the overlap, and at most two", async () => {
			const { client_id, client_secret: first = "" } = await putOAuthClient(service);
			const second = await secretOf(client_id, { overlap_seconds: MONTH_SECONDS });
			assert.deepEqual(await liveSecrets(service, client_id, [first, second]), [true, true]);
			const third = await secretOf(client_id, { overlap_seconds: 60 });
			assert.deepEqual(await liveSecrets(service, client_id, [first, second, third]), [false, true, true]);
			service.clock.advance(61_000);
			assert.deepEqual(await liveSecrets(service, client_id, [second, third]), [false, true]);
			const fourth = await secretOf(client_id, { overlap_seconds: 0 });
			assert.deepEqual(await liveSecrets(service, client_id, [third, fourth]), [false, true]);
		});

		it("answers all simultaneous calls, and leaves two valid secrets", async () => {
			const { client_id, client_secret: first = "" } = await putOAuthClient(service);
			const answers = await Promise.all(
				Array.from({ length: 20 }, () => regenerate(client_id, { overlap_seconds: 600 })),
			);
			assert.ok(answers.every(({ status }) => status === 200));
			const secrets = answers.map(({ body }) => body.data.client_secret ?? "");
			assert.equal(new Set(secrets).size, 20);
			const alive = await liveSecrets(service, client_id, [first, ...secrets]);
			assert.deepEqual([alive[0], alive.filter(Boolean).length], [false, 2]);
		});

		it("ends an overlap that has passed into other settings with them", async () => {
			const { client_id, client_secret: first = "" } = await putOAuthClient(service);
			const second = await secretOf(client_id, { overlap_seconds: MONTH_SECONDS });
			await putOAuthClient(service, { type: "service", auth_method: "client_secret_post" }, client_id);
			assert.deepEqual(await liveSecrets(service, client_id, [first, second]), [true, true]);
			await putOAuthClient(service, { type: "spa" }, client_id);
			const { client_secret: third = "" } = await putOAuthClient(service, {}, client_id);
			assert.deepEqual(await liveSecrets(service, client_id, [first, second, third]), [false, false, true]);
		});
	});

	describe("400", () => {
		it("names the limit of the overlap", async () => {
			for (const overlap_seconds of [-1, MONTH_SECONDS + 1, 1.5, "60", null]) {
				const { status, fields } = await problemOf(service, "POST", path(), { overlap_seconds });
				assert.deepEqual([status, fields], [400, ["overlap_seconds"]], String(overlap_seconds));
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", path()));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "POST", path());
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign applications alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: path(ABSENT_ID) },
					{ token: cast.admin, path: path("x") },
					{ token: cast.other.adminToken, path: path() },
				],
				"POST",
				"application.not_found",
			));

		it("says that an application is not connected", async () =>
			assertNotFound(
				service,
				[{ token: cast.admin, path: path((await addApplication(service)).id) }],
				"POST",
				"oauth_client.not_found",
			));
	});

	describe("409", () => {
		it("makes no secret for a client that proves itself without one", async () => {
			const { client_id } = await putOAuthClient(service, { type: "spa" });
			const { status, code } = await problemOf(service, "POST", path(client_id));
			assert.deepEqual([status, code], [409, "oauth_client.no_secret"]);
			assert.equal((await auditOf(service, `oauth_client:${client_id}`)).length, 1);
		});
	});
});
