// The OAuth client of an application: connect, change, read, disconnect, new secret.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { before, describe, it } from "node:test";
import {
	ABSENT_ID,
	APPLICATIONS,
	addApplication,
	addCast,
	problemOf,
} from "../../harness/access/applications.ts";
import { liveSecrets, putOAuthClient } from "../../harness/openid/oauth-clients.ts";
import { addProgram } from "../../harness/openid/programs.ts";
import { addAdminKey } from "../../harness/people/admin-keys.ts";
import { auditOf, lastAuditOf } from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

const MANY = 20;
const publicKey = (kid: string) => ({
	...generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" }),
	kid,
});

const PARTNER = { issuer: "https://login.partner.example", client_id: "there" };
const AUDIENCES = [
	["spa", PARTNER.issuer, "assertion_audiences"],
	["service", PARTNER.issuer, "assertion_audiences"],
	["web", "http://login.partner.example", "assertion_audiences.0"],
	["web", "https://login.partner.example?a=b", "assertion_audiences.0"],
	["web", "https://login.partner.example#a", "assertion_audiences.0"],
	["web", "https://user@login.partner.example", "assertion_audiences.0"],
	["web", "https://localhost:8443", "assertion_audiences.0"],
] as const;
const MONTH_SECONDS = 30 * 86_400;

const service = testService();
const cast = fixture(() => addCast(service));

describe("PUT /api/v1/applications/{id}/oauth-client", () => {
	let id: string;
	before(async () => {
		id = (await addApplication(service)).id;
	});

	const path = (appId = id) => `${APPLICATIONS}/${appId}/oauth-client` as const;
	const put = async (appId: string, body: unknown, token = cast.admin) =>
		service.call("PUT", path(appId), { token, body });
	const lastAudit = async (appId: string) => {
		const newest = `/api/v1/audit-events?target=oauth_client:${appId}&page_size=1` as const;
		return (await service.asAdmin("GET", newest))[0];
	};

	describe("201", () => {
		it("connects an application, and shows the secret once", async () => {
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
				id_token_alg: "RS256",
				pkce: "required",
				device_flow: false,
				response_modes: ["query", "form_post"],
				jwks: null,
				jwks_uri: null,
				resource: null,
				allowed_resources: [],
				acts_for_people: [],
				workloads: [],
				assertion_audiences: [],
				profile: "none",
				claims: [],
				secret_hint: client_secret.slice(-4),
				previous_secret_expires_at: null,
			});
			assert.deepEqual(await liveSecrets(service, appId, [client_secret, `${client_secret}x`]), [
				true,
				false,
			]);
			const stored = await service.callAsAdmin("GET", path(appId));
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
						pkce: "required",
						device_flow: false,
						resource: null,
						allowed_resources: [],
						acts_for_people: [],
						workloads: [],
						assertion_audiences: [],
						profile: "none",
						claims: [],
					},
				],
			);
			assert.ok(!service.logs().includes(client_secret));
			assert.ok(!JSON.stringify(audit).includes(client_secret));
		});

		it("creates no secret for a client that authenticates without one", async () => {
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

		it("stores a resource of another tenant, with the same response", async () => {
			const resource = "https://api.example.com/shared";
			const ours = await put((await addApplication(service)).id, { type: "spa", resource });
			const token = cast.other.adminToken;
			const application = await service.call("POST", APPLICATIONS, { token, body: { name: "Also" } });
			const theirs = await put(application.body.data.id, { type: "spa", resource }, token);
			const own = { client_id: "", tenant_id: "", created_at: "", updated_at: "" };
			assert.deepEqual(
				[theirs.status, { ...theirs.body.data, ...own }],
				[ours.status, { ...ours.body.data, ...own }],
			);
		});

		it("is open to admin keys", async () => {
			const { key } = await addAdminKey(service);
			assert.equal((await put((await addApplication(service)).id, { type: "web" }, key)).status, 201);
		});

		it("allows a client the resources of the tenant, including its own", async () => {
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

		it("creates one client and one secret for concurrent requests", async () => {
			const { id: appId } = await addApplication(service);
			const responses = await Promise.all(Array.from({ length: MANY }, () => put(appId, { type: "web" })));
			assert.deepEqual(responses.map(({ status }) => status).sort(), [
				...Array.from({ length: MANY - 1 }, () => 200),
				201,
			]);
			const secrets = responses.flatMap(({ body }) => body.data.client_secret ?? []);
			assert.equal(secrets.length, 1);
			assert.deepEqual(await liveSecrets(service, appId, secrets), [true]);
			assert.equal((await auditOf(service, `oauth_client:${appId}`)).length, 1);
		});
	});

	describe("200", () => {
		it("replaces the settings, and keeps the secret without showing it", async () => {
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
				id_token_alg: "ES256",
			});
			const { data } = body;
			assert.deepEqual([status, data.client_secret, data.created_at], [200, undefined, created_at]);
			assert.ok(data.updated_at > created_at);
			assert.deepEqual(
				[data.post_logout_redirect_uris, data.backchannel_logout_uri, data.first_party, data.id_token_alg],
				[[], null, true, "ES256"],
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
						id_token_alg: { from: "RS256", to: "ES256" },
					},
				],
			);
		});

		it("keeps what depends on libraries and devices where a PUT omits it, unless the type changes", async () => {
			const kept = { id_token_alg: "ES256", pkce: "optional", response_modes: ["form_post"] };
			const { client_id } = await putOAuthClient(service, { ...kept, first_party: true });
			const shown = async () => {
				const { data } = (await service.callAsAdmin("GET", path(client_id))).body;
				const { id_token_alg, pkce, device_flow, response_modes, first_party } = data;
				return { id_token_alg, pkce, device_flow, response_modes, first_party };
			};
			await putOAuthClient(service, {}, client_id);
			assert.deepEqual(await shown(), { ...kept, device_flow: false, first_party: false });
			await putOAuthClient(service, { pkce: "required" }, client_id);
			assert.deepEqual((await lastAudit(client_id))?.changes, { pkce: { from: "optional", to: "required" } });
			assert.deepEqual((await shown()).response_modes, ["form_post"]);

			await putOAuthClient(service, { type: "native", device_flow: true }, client_id);
			const ofNative = { id_token_alg: "RS256", pkce: "required", response_modes: ["query"] };
			assert.deepEqual(await shown(), { ...ofNative, device_flow: true, first_party: false });
			await putOAuthClient(service, { type: "native", first_party: true }, client_id);
			assert.deepEqual(await shown(), { ...ofNative, device_flow: true, first_party: true });
			await putOAuthClient(service, { type: "spa" }, client_id);
			assert.deepEqual(await shown(), {
				...ofNative,
				response_modes: ["query", "fragment"],
				device_flow: false,
				first_party: false,
			});
		});

		it("writes nothing if nothing changes", async () => {
			const fields = { resource: "urn:example:same", allowed_resources: ["urn:example:same"] };
			const { client_id, client_secret: _, ...before } = await putOAuthClient(service, fields);
			service.clock.advance(1_000);
			const { status, body } = await put(client_id, { type: "web", ...fields, client_id: ABSENT_ID });
			assert.deepEqual([status, body.data], [200, { client_id, ...before }]);
			assert.equal((await auditOf(service, `oauth_client:${client_id}`)).length, 1);
		});

		it("invalidates the secret with its method, and creates another when the method returns", async () => {
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

		it("keeps the secret when the new type needs one, too", async () => {
			const { client_id, client_secret = "" } = await putOAuthClient(service);
			const changed = await putOAuthClient(service, { type: "service" }, client_id);
			assert.deepEqual([changed.type, changed.client_secret], ["service", undefined]);
			assert.deepEqual(await liveSecrets(service, client_id, [client_secret]), [true]);
		});

		it("sets where the client may carry its users, and audits each by name", async () => {
			const { client_id } = await putOAuthClient(service);
			const second = { issuer: "https://api.other.example/", client_id: "ours" };
			const audiences = [PARTNER, second];
			const client = await putOAuthClient(service, { assertion_audiences: audiences }, client_id);
			assert.deepEqual(client.assertion_audiences, audiences);
			const audit = await lastAudit(client_id);
			assert.deepEqual(audit?.changes, {
				assertion_audiences: {
					from: [],
					to: [`${PARTNER.issuer} as there`, `${second.issuer} as ours`],
				},
			});
		});

		it("replaces keys, and audits the change without their values", async () => {
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
		it("names the invalid field", async () => {
			for (const [body, field] of [
				[{ type: "web", auth_method: "none" }, "auth_method"],
				[{ type: "spa", auth_method: "client_secret_post" }, "auth_method"],
				[{ type: "web", post_logout_redirect_uris: ["http://a.example/"] }, "post_logout_redirect_uris.0"],
				[{ type: "web", backchannel_logout_uri: "https://10.0.0.1/" }, "backchannel_logout_uri"],
				[{ type: "service", first_party: true }, "first_party"],
				[{ type: "web", resource: "urn:a", acts_for_people: ["urn:b"] }, "acts_for_people.0"],
				[{ type: "web", acts_for_people: ["urn:b"], allowed_resources: ["urn:b"] }, "acts_for_people"],
				[{ type: "spa", resource: "urn:a", acts_for_people: ["urn:b"] }, "acts_for_people"],
				[{ type: "spa", pkce: "optional" }, "pkce"],
				[{ type: "native", pkce: "optional" }, "pkce"],
				[{ type: "web", device_flow: true }, "device_flow"],
				[{ type: "web", response_modes: ["fragment"] }, "response_modes.0"],
				[{ type: "native", response_modes: ["query", "form_post"] }, "response_modes.1"],
				[{ type: "service", response_modes: ["query"] }, "response_modes"],
				[{ type: "web", auth_method: "private_key_jwt" }, "jwks"],
				[
					{ type: "web", auth_method: "private_key_jwt", jwks: { keys: [{ kty: "oct", k: "AA" }] } },
					"jwks.keys.0",
				],
				[{ type: "web", auth_method: "private_key_jwt", jwks_uri: "http://a.example/" }, "jwks_uri"],
				[{ type: "web", resource: "orders" }, "resource"],
				[{ type: "web", resource: "https://localhost:8443/api" }, "resource"],
				[{ type: "web", allowed_resources: ["urn:example:absent"] }, "allowed_resources.0"],
				...AUDIENCES.map(
					([type, issuer, field]) =>
						[{ type, assertion_audiences: [{ issuer, client_id: "there" }] }, field] as const,
				),
				[
					{ type: "web", assertion_audiences: [PARTNER, { ...PARTNER, client_id: "other" }] },
					"assertion_audiences.1",
				],
			] as const) {
				const { status, fields } = await problemOf(service, "PUT", path(), body);
				assert.deepEqual([status, fields], [400, [field]], JSON.stringify(body));
			}
			const { status } = await service.callAsAdmin("GET", path());
			assert.equal(status, 404);
		});

		it("rejects allowed resources of another tenant", async () => {
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

	describe("409", () => {
		it("returns 409 for a resource of another application, even to concurrent requests", async () => {
			const resource = "https://api.example.com/contested";
			const apps = await Promise.all(Array.from({ length: MANY }, () => addApplication(service)));
			const responses = await Promise.all(apps.map((app) => put(app.id, { type: "service", resource })));
			const won = responses.filter(({ status }) => status === 201);
			const lost = responses.filter(({ status }) => status === 409);
			assert.deepEqual([won.length, lost.length], [1, MANY - 1]);
			const { client_id: loser } = await putOAuthClient(service);
			for (const body of [
				{ type: "web", resource },
				{ type: "spa", resource },
			]) {
				const { status, code, fields } = await problemOf(service, "PUT", path(loser), body);
				assert.deepEqual([status, code, fields], [409, "oauth_client.resource_taken", ["resource"]]);
			}
			const unchanged = await service.callAsAdmin("GET", path(loser));
			assert.deepEqual([unchanged.body.data.type, unchanged.body.data.resource], ["web", null]);
		});
	});
});

describe("PATCH /api/v1/applications/{id}/oauth-client", () => {
	const path = (id: string) => `${APPLICATIONS}/${id}/oauth-client` as const;
	const patch = (id: string, body: unknown) => service.callAsAdmin("PATCH", path(id), { body });
	const connected = async (settings: Readonly<Record<string, unknown>> = {}) => {
		const { id } = await addApplication(service);
		return { id, before: await putOAuthClient(service, { type: "web", ...settings }, id) };
	};

	describe("200", () => {
		it("changes the named settings, and keeps the others", async () => {
			const { id, before } = await connected({
				first_party: true,
				id_token_alg: "ES256",
				post_logout_redirect_uris: ["https://app.example.com/bye"],
			});
			const { status, headers, body } = await patch(id, { pkce: "off" });
			assert.deepEqual([status, headers["cache-control"]], [200, "no-store"]);
			const { client_secret: _, updated_at: _updated, ...rest } = before;
			const { updated_at: _later, ...after } = body.data;
			assert.deepEqual(after, { ...rest, pkce: "off" });
			const newest = `/api/v1/audit-events?target=oauth_client:${id}&page_size=1` as const;
			const [event] = await service.asAdmin("GET", newest);
			assert.deepEqual([event?.action, event?.details.fields], ["oauth_client.updated", ["pkce"]]);
		});

		it("writes nothing if nothing changes", async () => {
			const { id, before } = await connected();
			for (const body of [{}, { pkce: "required" }])
				assert.equal((await patch(id, body)).body.data.updated_at, before.updated_at);
		});

		it("sets what depends on the type to its defaults when the type changes", async () => {
			const { id } = await connected({ pkce: "optional", backchannel_logout_uri: "https://1.1.1.1/out" });
			const spa = (await patch(id, { type: "spa" })).body.data;
			assert.deepEqual(
				[spa.type, spa.auth_method, spa.pkce, spa.response_modes, spa.backchannel_logout_uri],
				["spa", "none", "required", ["query", "fragment"], "https://1.1.1.1/out"],
			);
			const machine = (await patch(id, { type: "service" })).body.data;
			assert.deepEqual([machine.backchannel_logout_uri, machine.response_modes], [null, []]);
			assert.match(machine.client_secret ?? "", /^ocs_/);
		});

		it("replaces keys, and removes them with their method", async () => {
			const jwks = { keys: [publicKey("a")] };
			const { id } = await connected({ auth_method: "private_key_jwt", jwks });
			const moved = (await patch(id, { jwks_uri: "https://1.1.1.1/keys" })).body.data;
			assert.deepEqual([moved.jwks, moved.jwks_uri], [null, "https://1.1.1.1/keys"]);
			assert.equal((await patch(id, { first_party: true })).body.data.jwks_uri, "https://1.1.1.1/keys");
			const secret = (await patch(id, { auth_method: "client_secret_post" })).body.data;
			assert.deepEqual([secret.jwks_uri, typeof secret.client_secret], [null, "string"]);
		});
	});

	describe("400", () => {
		it("refuses what PUT refuses, and unknown fields", async () => {
			const { id } = await connected();
			for (const body of [
				{ device_flow: true },
				{ type: "spa", pkce: "off" },
				{ auth_method: "private_key_jwt" },
				{ allowed_resources: ["https://absent.example"] },
			])
				assert.equal((await patch(id, body)).status, 400, JSON.stringify(body));
		});
	});

	describe("409", () => {
		it("refuses a program, and a resource that is taken", async () => {
			const resource = "https://taken.example";
			await connected({ resource });
			const { id } = await connected();
			assert.equal((await patch(id, { resource })).status, 409);
			const program = await addProgram(service);
			assert.equal((await patch(program, { pkce: "required" })).status, 409);
		});
	});
});

describe("GET /api/v1/applications/{id}/oauth-client", () => {
	const connected = fixture(() => putOAuthClient(service));

	const path = (appId = connected.client_id) => `${APPLICATIONS}/${appId}/oauth-client` as const;

	describe("200", () => {
		it("returns the client to admins and auditors, without its secret", async () => {
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", path(), { token });
				assert.deepEqual([status, body.data.client_id, body.data.type], [200, connected.client_id, "web"]);
				assert.ok(!JSON.stringify(body).includes("ocs_"));
				assert.ok(!("client_secret" in body.data));
			}
		});
	});
});

describe("DELETE /api/v1/applications/{id}/oauth-client", () => {
	const path = (appId: string) => `${APPLICATIONS}/${appId}/oauth-client` as const;
	const remove = (appId: string) => service.callAsAdmin("DELETE", path(appId));

	describe("204", () => {
		it("deletes the client and its secret, keeps the application, and frees its resource", async () => {
			const fields = { resource: "urn:example:freed" };
			const { client_id, client_secret = "" } = await putOAuthClient(service, fields);
			assert.equal((await remove(client_id)).status, 204);
			assert.deepEqual(await liveSecrets(service, client_id, [client_secret]), [false]);
			const application = await service.callAsAdmin("GET", `${APPLICATIONS}/${client_id}`);
			assert.equal(application.status, 200);
			assert.deepEqual(await lastAuditOf(service, `oauth_client:${client_id}`), [
				"oauth_client.deleted",
				{ type: "web", auth_method: "client_secret_basic", resource: "urn:example:freed" },
			]);
			await putOAuthClient(service, fields);
			const again = await putOAuthClient(service, {}, client_id);
			assert.ok(again.client_secret !== undefined && again.client_secret !== client_secret);
		});

		it("happens with the deletion of the application, too", async () => {
			const { client_id, client_secret = "" } = await putOAuthClient(service);
			await service.asAdmin("DELETE", `${APPLICATIONS}/${client_id}`);
			assert.deepEqual(await liveSecrets(service, client_id, [client_secret]), [false]);
			const audit = (await auditOf(service, `application:${client_id}`)).at(-1);
			assert.deepEqual([audit?.action, audit?.details.oauth_clients], ["application.deleted", 1]);
		});
	});

	describe("404", () => {
		it("returns 404 to all but one of eight concurrent requests", async () => {
			const { client_id } = await putOAuthClient(service);
			const responses = await Promise.all(Array.from({ length: 8 }, () => remove(client_id)));
			assert.deepEqual(responses.map(({ status }) => status).sort(), [204, ...Array(7).fill(404)]);
			const { code } = await problemOf(service, "DELETE", path(client_id));
			assert.equal(code, "oauth_client.not_found");
		});
	});

	describe("409", () => {
		it("is returned for a program, which is removed under /programs", async () => {
			const id = await addProgram(service);
			const { status, code } = await problemOf(service, "DELETE", `/api/v1/applications/${id}/oauth-client`);
			assert.deepEqual([status, code], [409, "application.is_program"]);
		});
	});
});

describe("POST /api/v1/applications/{id}/oauth-client/regenerate-secret", () => {
	const connected = fixture(() => putOAuthClient(service));

	const path = (appId = connected.client_id) =>
		`${APPLICATIONS}/${appId}/oauth-client/regenerate-secret` as const;
	const regenerate = async (appId: string, body?: unknown) =>
		service.callAsAdmin("POST", path(appId), { body });
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
			assert.deepEqual(await lastAuditOf(service, `oauth_client:${before.client_id}`), [
				"oauth_client.secret_regenerated",
				{ previous_secret_expires_at: null },
			]);
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

		it("serves all concurrent requests, and leaves two valid secrets", async () => {
			const { client_id, client_secret: first = "" } = await putOAuthClient(service);
			const responses = await Promise.all(
				Array.from({ length: 20 }, () => regenerate(client_id, { overlap_seconds: 600 })),
			);
			assert.ok(responses.every(({ status }) => status === 200));
			const secrets = responses.map(({ body }) => body.data.client_secret ?? "");
			assert.equal(new Set(secrets).size, 20);
			const alive = await liveSecrets(service, client_id, [first, ...secrets]);
			assert.deepEqual([alive[0], alive.filter(Boolean).length], [false, 2]);
		});

		it("ends the overlap when a change of settings ends the secrets", async () => {
			const { client_id, client_secret: first = "" } = await putOAuthClient(service);
			const second = await secretOf(client_id, { overlap_seconds: MONTH_SECONDS });
			await putOAuthClient(service, { type: "service", auth_method: "client_secret_post" }, client_id);
			assert.deepEqual(await liveSecrets(service, client_id, [first, second]), [true, true]);
			await putOAuthClient(service, { type: "spa" }, client_id);
			const { client_secret: third = "" } = await putOAuthClient(service, {}, client_id);
			assert.deepEqual(await liveSecrets(service, client_id, [first, second, third]), [false, false, true]);
		});
	});

	describe("409", () => {
		it("creates no secret for a client that authenticates without one", async () => {
			const { client_id } = await putOAuthClient(service, { type: "spa" });
			const { status, code } = await problemOf(service, "POST", path(client_id));
			assert.deepEqual([status, code], [409, "oauth_client.no_secret"]);
			assert.equal((await auditOf(service, `oauth_client:${client_id}`)).length, 1);
		});
	});
});
