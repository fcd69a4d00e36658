import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	ABSENT_ID,
	APPLICATIONS,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
} from "../../harness/applications.ts";
import { liveSecrets, putOAuthClient } from "../../harness/oauth-clients.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("DELETE /api/v1/applications/{id}/oauth-client", () => {
	let service: TestService;
	let cast: Cast;
	let id: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		id = (await putOAuthClient(service)).client_id;
	});
	after(() => service.stop());

	const path = (appId = id) => `${APPLICATIONS}/${appId}/oauth-client` as const;
	const remove = (appId: string) => service.call("DELETE", path(appId), { token: cast.admin });

	describe("204", () => {
		it("deletes the client and its secret, keeps the application, and frees its resource", async () => {
			const fields = { resource: "urn:example:freed" };
			const { client_id, client_secret = "" } = await putOAuthClient(service, fields);
			assert.equal((await remove(client_id)).status, 204);
			assert.deepEqual(await liveSecrets(service, client_id, [client_secret]), [false]);
			const application = await service.call("GET", `${APPLICATIONS}/${client_id}`, { token: cast.admin });
			assert.equal(application.status, 200);
			const audit = (await auditOf(service, `oauth_client:${client_id}`)).at(-1);
			assert.deepEqual(
				[audit?.action, audit?.details],
				[
					"oauth_client.deleted",
					{ type: "web", auth_method: "client_secret_basic", resource: "urn:example:freed" },
				],
			);
			await putOAuthClient(service, fields);
			const again = await putOAuthClient(service, {}, client_id);
			assert.ok(again.client_secret !== undefined && again.client_secret !== client_secret);
		});

		it("is done with the application, too", async () => {
			const { client_id, client_secret = "" } = await putOAuthClient(service);
			await service.call("DELETE", `${APPLICATIONS}/${client_id}`, { token: cast.admin });
			assert.deepEqual(await liveSecrets(service, client_id, [client_secret]), [false]);
			const audit = (await auditOf(service, `application:${client_id}`)).at(-1);
			assert.deepEqual([audit?.action, audit?.details.oauth_clients], ["application.deleted", 1]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "DELETE", path()));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "DELETE", path());
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
				"DELETE",
				"application.not_found",
			));

		it("finds nothing the second time", async () => {
			const { client_id } = await putOAuthClient(service);
			const answers = await Promise.all(Array.from({ length: 8 }, () => remove(client_id)));
			assert.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array(7).fill(404)]);
			const missing = [{ token: cast.admin, path: path(client_id) }];
			await assertNotFound(service, missing, "DELETE", "oauth_client.not_found");
		});
	});
});
