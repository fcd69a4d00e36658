import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { addAdminKey } from "../../harness/admin-keys.ts";
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

const MANY = 20;
const publicKey = (kid: string) => ({
	...generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" }),
	kid,
});

describe("PUT /api/v1/applications/{id}/oauth-client", () => {
	let service: TestService;
	let cast: Cast;
	let id: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		id = (await addApplication(service)).id;
	});
	after(() => service.stop());

	const path = (appId = id) => `${APPLICATIONS}/${appId}/oauth-client` as const;
	const put = async (appId: string, body: unknown, token = cast.admin) =>
		service.call("PUT", path(appId), { token, body });
	const lastAudit = async (appId: string) => {
		const newest = `/api/v1/audit-events?target=oauth_client:${appId}&page_size=1` as const;
		return (await service.call("GET", newest, { token: cast.admin })).body.data[0];
	};

	describe("201", () => {
		it("makes an application a client, and shows the secret once", async () => {
			const { id: appId, tenant_id } = await addApplication(service, { name: "Wiki" });
			const { status, headers, body } = await put(appId, { type: "web" });
			assert.deepEqual([status, headers["cache-control"]], [201, "no-store"]);
			const { client_secret = "", secret_created_at, created_at, updated_at, ...rest } = body.data;
			assert.match(client_secret, /^ocs_[A-Za-z0-9_-]{43}$/);
			assert.deepEqual([secret_created_at, updated_at], [created_at, created_at]);
			assert.deepEqual(rest, {
				client_id: appId,
				tenant_id,
				type: "web",
				auth_method: "client_secret_basic",
				post_logout_redirect_uris: [],
				backchannel_logout_uri: null,
				first_party: false,
				id_token_alg: "ES256",
				jwks: null,
				jwks_uri: null,
				resource: null,
				allowed_resources: [],
				secret_hint: client_secret.slice(-4),
				previous_secret_expires_at: null,
			});
			assert.deepEqual(await liveSecrets(service, appId, [client_secret, `${client_secret}x`]), [
				true,
				false,
			]);
			const stored = await service.call("GET", path(appId), { token: cast.admin });
			const { client_secret: _, ...shown } = body.data;
			assert.deepEqual(stored.body.data, shown);
			const audit = await lastAudit(appId);
			assert.deepEqual(
				[audit?.action, audit?.target_name, audit?.details],
				[
					"oauth_client.created",
					"Wiki",
					{
						type: "web",
						auth_method: "client_secret_basic",
						first_party: false,
						resource: null,
						allowed_resources: [],
					},
				],
			);
			assert.ok(!service.logs().includes(client_secret));
			assert.ok(!JSON.stringify(audit).includes(client_secret));
		});

		it("makes no secret for a client that proves itself without one", async () => {
			for (const fields of [
				{ type: "spa" },
				{ type: "native" },
				{ type: "web", auth_method: "private_key_jwt", jwks: { keys: [publicKey("a")] } },
				{ type: "service", auth_method: "private_key_jwt", jwks_uri: "https://app.example.com/jwks.json" },
			]) {
				const { status, body } = await put((await addApplication(service)).id, fields);
				const { client_secret, secret_hint, secret_created_at } = body.data;
				assert.deepEqual([status, client_secret, secret_hint, secret_created_at], [201, undefined, "", null]);
			}
		});

		it("is open to admin keys", async () => {
			const { key } = await addAdminKey(service);
			assert.equal((await put((await addApplication(service)).id, { type: "web" }, key)).status, 201);
		});

		it("lets a client name resources of the tenant, its own among them", async () => {
			const resource = "https://api.example.com/orders";
			await putOAuthClient(service, { type: "service", resource });
			const own = "urn:example:own";
			const allowed_resources = [own, resource];
			const { status, body } = await put((await addApplication(service)).id, {
				type: "spa",
				resource: own,
				allowed_resources,
			});
			assert.deepEqual([status, body.data.allowed_resources], [201, allowed_resources]);
		});

		it("makes one client and one secret of simultaneous calls", async () => {
			const { id: appId } = await addApplication(service);
			const answers = await Promise.all(Array.from({ length: MANY }, () => put(appId, { type: "web" })));
			assert.deepEqual(answers.map(({ status }) => status).sort(), [
				...Array.from({ length: MANY - 1 }, () => 200),
				201,
			]);
			const secrets = answers.flatMap(({ body }) => body.data.client_secret ?? []);
			assert.equal(secrets.length, 1);
			assert.deepEqual(await liveSecrets(service, appId, secrets), [true]);
			assert.equal((await auditOf(service, `oauth_client:${appId}`)).length, 1);
		});
	});

	describe("200", () => {
		it("replaces the settings, and keeps the secret and shows it no more", async () => {
			const {
				client_id,
				client_secret = "",
				created_at,
			} = await putOAuthClient(service, {
				post_logout_redirect_uris: ["https://app.example.com/out"],
				backchannel_logout_uri: "https://app.example.com/back",
			});
			service.clock.advance(1_000);
			const { status, body } = await put(client_id, {
				type: "web",
				auth_method: "client_secret_post",
				first_party: true,
				id_token_alg: "RS256",
			});
			const { data } = body;
			assert.deepEqual([status, data.client_secret, data.created_at], [200, undefined, created_at]);
			assert.ok(data.updated_at > created_at);
			assert.deepEqual(
				[data.post_logout_redirect_uris, data.backchannel_logout_uri, data.first_party, data.id_token_alg],
				[[], null, true, "RS256"],
			);
			assert.deepEqual(await liveSecrets(service, client_id, [client_secret]), [true]);
			const audit = await lastAudit(client_id);
			assert.deepEqual(
				[audit?.action, audit?.details, audit?.changes],
				[
					"oauth_client.updated",
					{
						fields: [
							"auth_method",
							"post_logout_redirect_uris",
							"backchannel_logout_uri",
							"first_party",
							"id_token_alg",
						],
						ended_what_was_issued: false,
					},
					{
						auth_method: { from: "client_secret_basic", to: "client_secret_post" },
						post_logout_redirect_uris: { from: ["https://app.example.com/out"], to: [] },
						backchannel_logout_uri: { from: "https://app.example.com/back", to: null },
						first_party: { from: false, to: true },
						id_token_alg: { from: "ES256", to: "RS256" },
					},
				],
			);
		});

		it("writes nothing when nothing changes", async () => {
			const fields = { resource: "urn:example:same", allowed_resources: ["urn:example:same"] };
			const { client_id, client_secret: _, ...before } = await putOAuthClient(service, fields);
			service.clock.advance(1_000);
			const { status, body } = await put(client_id, { type: "web", ...fields, client_id: ABSENT_ID });
			assert.deepEqual([status, body.data], [200, { client_id, ...before }]);
			assert.equal((await auditOf(service, `oauth_client:${client_id}`)).length, 1);
		});

		it("ends the secret with its method, and makes a new one when it comes back", async () => {
			const { client_id, client_secret: first = "" } = await putOAuthClient(service);
			const keys = { auth_method: "private_key_jwt", jwks: { keys: [publicKey("a")] } };
			const without = await putOAuthClient(service, keys, client_id);
			assert.deepEqual(
				[without.client_secret, without.secret_hint, without.secret_created_at],
				[undefined, "", null],
			);
			assert.deepEqual((await lastAudit(client_id))?.details, {
				fields: ["auth_method", "jwks"],
				ended_what_was_issued: true,
			});
			assert.deepEqual(await liveSecrets(service, client_id, [first]), [false]);
			const again = await put(client_id, { type: "web" });
			const { client_secret: second = "" } = again.body.data;
			assert.equal(again.status, 200);
			assert.deepEqual(await liveSecrets(service, client_id, [first, second]), [false, true]);
		});

		it("keeps the secret through a change of type that needs one", async () => {
			const { client_id, client_secret = "" } = await putOAuthClient(service);
			const changed = await putOAuthClient(service, { type: "service" }, client_id);
			assert.deepEqual([changed.type, changed.client_secret], ["service", undefined]);
			assert.deepEqual(await liveSecrets(service, client_id, [client_secret]), [true]);
		});

		it("replaces keys, and says so without their values", async () => {
			const fields = { auth_method: "private_key_jwt", jwks: { keys: [publicKey("old")] } };
			const { client_id } = await putOAuthClient(service, fields);
			const key = publicKey("new");
			const { jwks } = await putOAuthClient(service, { ...fields, jwks: { keys: [key] } }, client_id);
			assert.deepEqual(jwks, { keys: [{ ...key, use: "sig" }] });
			const audit = await lastAudit(client_id);
			assert.deepEqual([audit?.details?.fields, audit?.changes], [["jwks"], {}]);
		});
	});

	describe("400", () => {
		it("names the field that is wrong", async () => {
			const url = (length: number) => `https://a.example/${"x".repeat(length - 18)}`;
			for (const [body, field] of [
				[{}, "type"],
				[{ type: "confidential" }, "type"],
				[{ type: "web", auth_method: "none" }, "auth_method"],
				[{ type: "spa", auth_method: "client_secret_post" }, "auth_method"],
				[{ type: "web", auth_method: "tls_client_auth" }, "auth_method"],
				[{ type: "web", post_logout_redirect_uris: ["http://a.example/"] }, "post_logout_redirect_uris.0"],
				[{ type: "web", post_logout_redirect_uris: [url(2049)] }, "post_logout_redirect_uris.0"],
				[
					{
						type: "web",
						post_logout_redirect_uris: Array.from({ length: 21 }, (_, n) => `https://a.example/${n}`),
					},
					"post_logout_redirect_uris",
				],
				[{ type: "web", backchannel_logout_uri: "https://10.0.0.1/" }, "backchannel_logout_uri"],
				[{ type: "web", backchannel_logout_uri: url(2049) }, "backchannel_logout_uri"],
				[{ type: "service", first_party: true }, "first_party"],
				[{ type: "web", first_party: "yes" }, "first_party"],
				[{ type: "web", id_token_alg: "none" }, "id_token_alg"],
				[{ type: "web", auth_method: "private_key_jwt" }, "jwks"],
				[{ type: "web", auth_method: "private_key_jwt", jwks: { keys: [] } }, "jwks.keys"],
				[
					{ type: "web", auth_method: "private_key_jwt", jwks: { keys: [{ kty: "oct", k: "AA" }] } },
					"jwks.keys.0",
				],
				[{ type: "web", auth_method: "private_key_jwt", jwks_uri: "http://a.example/" }, "jwks_uri"],
				[{ type: "web", resource: "orders" }, "resource"],
				[{ type: "web", resource: `urn:${"x".repeat(509)}` }, "resource"],
				[{ type: "web", resource: "https://localhost:8443/api" }, "resource"],
				[{ type: "web", allowed_resources: ["urn:a", "urn:a"] }, "allowed_resources"],
				[{ type: "web", allowed_resources: ["urn:example:of-nobody"] }, "allowed_resources.0"],
				[{ type: "web", redirect_uri: "https://a.example/" }, "redirect_uri"],
			] as const) {
				const { status, fields } = await problemOf(service, "PUT", path(), body);
				assert.deepEqual([status, fields], [400, [field]], JSON.stringify(body));
			}
			const { status } = await service.call("GET", path(), { token: cast.admin });
			assert.equal(status, 404);
		});

		it("knows no resource of another tenant", async () => {
			const resource = "urn:example:elsewhere";
			const token = cast.other.adminToken;
			const application = await service.call("POST", APPLICATIONS, { token, body: { name: "Theirs" } });
			await put(application.body.data.id, { type: "service", resource }, token);
			const { status, fields } = await problemOf(service, "PUT", path(), {
				type: "web",
				allowed_resources: [resource],
			});
			assert.deepEqual([status, fields], [400, ["allowed_resources.0"]]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "PUT", path(), { type: "web" }));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "PUT", path(), { type: "web" });
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
				"PUT",
				"application.not_found",
				{ type: "web" },
			));
	});

	describe("409", () => {
		it("lets one application of a tenant have a resource, of simultaneous calls too", async () => {
			const resource = "https://api.example.com/contested";
			const apps = await Promise.all(Array.from({ length: MANY }, () => addApplication(service)));
			const answers = await Promise.all(apps.map((app) => put(app.id, { type: "service", resource })));
			const won = answers.filter(({ status }) => status === 201);
			const lost = answers.filter(({ status }) => status === 409);
			assert.deepEqual([won.length, lost.length], [1, MANY - 1]);
			const { client_id: loser } = await putOAuthClient(service);
			for (const body of [
				{ type: "web", resource },
				{ type: "spa", resource },
			]) {
				const { status, code, fields } = await problemOf(service, "PUT", path(loser), body);
				assert.deepEqual([status, code, fields], [409, "oauth_client.resource_taken", ["resource"]]);
			}
			const unchanged = await service.call("GET", path(loser), { token: cast.admin });
			assert.deepEqual([unchanged.body.data.type, unchanged.body.data.resource], ["web", null]);
			const token = cast.other.adminToken;
			const theirs = await service.call("POST", APPLICATIONS, { token, body: { name: "Also" } });
			const elsewhere = await put(theirs.body.data.id, { type: "web", resource }, token);
			// Tokens for both would have the same issuer and audience.
			assert.deepEqual(
				[elsewhere.status, elsewhere.body.error],
				[409, "resource is the resource of another application"],
			);
		});
	});
});
