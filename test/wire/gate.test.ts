// What a gate decides for the requests that a proxy sends it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLocalJWKSet, jwtVerify } from "jose";
import {
	ABSENT_ID,
	APPLICATIONS,
	addApiClient,
	addApplication,
	addRole,
	putGrant,
} from "../harness/access/applications.ts";
import {
	ask,
	BEHIND_PROXY,
	browserCookie,
	contentDigest,
	decisionOf,
	type KeyedGate,
	serviceToken,
	sha256,
	signedCall,
} from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson } from "../harness/people/people.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import type { TestService } from "../harness/service/service.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const RULES = [
	{ path: "/status", needs: "public" },
	{ methods: ["GET"], path: "/orders/*", needs: "orders:read" },
	{ methods: ["POST", "PUT", "DELETE"], path: "/orders/*", needs: "orders:write" },
	{ path: "/me", needs: "signed-in" },
	{ path: "/vault", needs: "signed-in", mfa: true },
];
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** An API behind a gate, with a partner, a program, and a person who read orders. */
async function shop(service: TestService, settings: object = {}) {
	const { id } = await addApplication(service);
	await addRole(service, id, "reader", ["orders:read"]);
	await addRole(service, id, "writer", ["orders:*"]);
	const resource = `https://orders.example/${id}`;
	await putOAuthClient(service, { type: "service", resource }, id);
	const gate = (await addGate(service, { rules: RULES, ...settings }, id)) as KeyedGate;
	const partner = await addApiClient(service, { app_id: id, name: "Käufer & Co" });
	await service.asAdmin("PUT", `${APPLICATIONS}/${id}/grants/api-clients/${partner.id}`, {
		roles: ["writer"],
	});
	return { gate, partner, id, resource };
}

describe("a gate behind a proxy", () => {
	const service = testService({ env: BEHIND_PROXY });
	const api = fixture(() => shop(service));
	const ada = fixture(async () => {
		const person = await addPerson(service, "ada", { display_name: "Ada L." });
		await putGrant(service, api.id, person.id, ["reader"]);
		return { ...person, cookie: await browserCookie(service, person) };
	});
	const program = fixture(async () => {
		const application = await addApplication(service, { name: "Nightly export" });
		const { client_secret: secret = "" } = await putOAuthClient(
			service,
			{ type: "service", allowed_resources: [api.resource] },
			application.id,
		);
		await service.asAdmin("PUT", `${APPLICATIONS}/${api.id}/grants/programs/${application.id}`, {
			roles: ["reader"],
		});
		return {
			id: application.id,
			token: await serviceToken(service, { id: application.id, secret }, api.resource),
		};
	});
	const partnerAsks = (target: string, options: Parameters<typeof signedCall>[3] = {}, headers = {}) =>
		ask(service, api.gate, target, {
			method: options.method ?? "GET",
			headers: { ...signedCall(service, api.partner, target, options), ...headers },
		});

	describe("with a public rule", () => {
		it("lets everyone pass, and sends every header", async () => {
			const { status, headers, body } = await ask(service, api.gate, "/status?x=%2F..");
			const sent = Object.entries(headers).filter(([name]) => name.startsWith("latchkey-"));
			assert.deepEqual([status, body, headers["cache-control"]], [200, undefined, "no-store"]);
			assert.deepEqual(Object.fromEntries(sent), {
				"latchkey-caller": "public",
				"latchkey-name": "-",
				"latchkey-through": "-",
				"latchkey-tenant": api.partner.tenant_id,
				"latchkey-mode": "-",
				"latchkey-permissions": "-",
				"latchkey-permissions-truncated": "-",
				"latchkey-body-sha256": "-",
				"latchkey-statement": "-",
				"latchkey-status": "200",
				"latchkey-refusal": "-",
				"latchkey-reason": "-",
				"latchkey-request-id": headers["x-request-id"],
			});
		});

		it("responds to visitors over plain HTTP that the proxy reports", async () => {
			assert.equal((await ask(service, api.gate, "/status", { proto: "http" })).outcome, "200 public");
		});
	});

	describe("asked by a partner", () => {
		it("accepts a signed GET once", async () => {
			const target = "/orders/1?a=%20b";
			const headers = signedCall(service, api.partner, target);
			const first = await ask(service, api.gate, target, { headers });
			assert.equal(first.outcome, `200 partner:${api.partner.id}`);
			assert.equal(first.headers["latchkey-name"], encodeURIComponent("Käufer & Co"));
			assert.equal(first.headers["latchkey-permissions"], "orders:*");
			assert.equal(first.headers["latchkey-body-sha256"], EMPTY);
			assert.equal((await ask(service, api.gate, target, { headers })).outcome, "401 nonce.reused");
		});

		it("binds the body of a POST to the signature by Content-Digest", async () => {
			const body = '{"a":1}';
			const sent = { method: "POST", body };
			const passed = await partnerAsks("/orders/1", sent);
			assert.equal(passed.outcome, `200 partner:${api.partner.id}`);
			assert.equal(passed.headers["latchkey-body-sha256"], sha256(body));
			const changed = { "content-digest": contentDigest('{"a":2}') };
			assert.equal((await partnerAsks("/orders/1", sent, changed)).outcome, "401 signature.invalid");
			const bare = await partnerAsks("/orders/1", { method: "POST" });
			assert.equal(bare.outcome, "401 gate.body_unbound");
			const empty = { "content-digest": contentDigest("") };
			const withEmpty = await partnerAsks("/orders/1", { method: "POST" }, empty);
			assert.equal(withEmpty.outcome, `200 partner:${api.partner.id}`);
			const other = { "content-digest": `md5=:AAAA:, ${contentDigest(body)};q=1` };
			assert.equal((await partnerAsks("/orders/1", sent, other)).status, 200);
			for (const malformed of [
				"sha-256=:AAAA:",
				`${contentDigest("a")}, ${contentDigest("b")}`,
				"sha-256=?1",
			])
				assert.equal(
					(await partnerAsks("/orders/1", sent, { "content-digest": malformed })).outcome,
					"400 gate.request",
				);
		});

		it("refuses another path, another application's partner, and an old time, and consumes no nonce", async () => {
			const headers = signedCall(service, api.partner, "/orders/1");
			assert.equal((await ask(service, api.gate, "/orders/2", { headers })).outcome, "401 signature.invalid");
			assert.equal((await ask(service, api.gate, "/orders/1", { headers })).status, 200);
			const stranger = await addApiClient(service);
			const foreign = signedCall(service, { ...stranger, app_id: api.id }, "/orders/1");
			assert.equal(
				(await ask(service, api.gate, "/orders/1", { headers: foreign })).outcome,
				"401 signature.invalid",
			);
			const own = signedCall(service, stranger, "/orders/1");
			assert.equal(
				(await ask(service, api.gate, "/orders/1", { headers: own })).outcome,
				"401 signature.invalid",
			);
			const old = { ...signedCall(service, api.partner, "/orders/1"), "x-timestamp": "1000000000" };
			assert.equal(
				(await ask(service, api.gate, "/orders/1", { headers: old })).outcome,
				"401 signature.timestamp",
			);
		});

		it("requires HTTPS of a signed request, even when the proxy reports plain HTTP", async () => {
			const headers = signedCall(service, api.partner, "/orders/1");
			const refused = await ask(service, api.gate, "/orders/1", { headers, proto: "http" });
			assert.equal(refused.outcome, "426 transport.https_required");
			assert.equal(refused.headers["latchkey-status"], "426");
		});

		it("accepts exactly one of 50 copies that arrive at once", async () => {
			const headers = signedCall(service, api.partner, "/orders/1");
			const copies = Array.from({ length: 50 }, () => ask(service, api.gate, "/orders/1", { headers }));
			const statuses = (await Promise.all(copies)).map(({ status }) => status);
			assert.deepEqual(
				[statuses.filter((s) => s === 200).length, statuses.filter((s) => s === 401).length],
				[1, 49],
			);
		});

		it("applies the removal of a role or a client at the next request", async () => {
			const { gate, partner, id } = await shop(service, {});
			const asks = () =>
				ask(service, gate, "/orders/1", { headers: signedCall(service, partner, "/orders/1") });
			assert.equal((await asks()).status, 200);
			await service.asAdmin("PUT", `${APPLICATIONS}/${id}/grants/api-clients/${partner.id}`, { roles: [] });
			const refused = await asks();
			assert.equal(refused.outcome, "403 application.access_denied");
			assert.equal(refused.headers["latchkey-reason"], "missing_permission");
			await service.asAdmin("PATCH", `/api/v1/api-clients/${partner.id}`, { status: "disabled" });
			assert.equal((await asks()).outcome, "401 signature.invalid");
			await service.asAdmin("PATCH", `${APPLICATIONS}/${id}`, { status: "disabled" });
			assert.equal((await asks()).outcome, "403 application.disabled");
		});

		it("shows when the client was last used", async () => {
			await partnerAsks("/orders/1");
			const used = await eventually(
				() => service.asAdmin("GET", `/api/v1/api-clients/${api.partner.id}`),
				({ last_used_ip }) => last_used_ip !== "",
			);
			assert.equal(used.last_used_ip, "203.0.113.7");
		});
	});

	describe("asked by a program", () => {
		const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

		it("accepts a token for the resource of the application", async () => {
			const passed = await ask(service, api.gate, "/orders/1", bearer(program.token));
			assert.equal(passed.outcome, `200 program:${program.id}`);
			assert.equal(passed.headers["latchkey-name"], "Nightly%20export");
			assert.equal(passed.headers["latchkey-permissions"], "orders:read");
			const again = await ask(service, api.gate, "/orders/1", bearer(program.token));
			assert.equal(again.status, 200);
		});

		it("refuses what its roles do not permit, and tokens that are broken or for Latchkey itself", async () => {
			const post = { method: "POST", ...bearer(program.token) };
			assert.equal(
				(await ask(service, api.gate, "/orders/1", post)).outcome,
				"403 application.access_denied",
			);
			const broken = bearer(`${program.token.slice(0, -4)}AAAA`);
			const refused = await ask(service, api.gate, "/orders/1", broken);
			assert.equal(refused.outcome, "401 token.invalid");
			assert.match(
				String(refused.headers["www-authenticate"]),
				/^Bearer error="invalid_token", resource_metadata="https:/,
			);
			const own = bearer(await service.adminToken());
			assert.equal((await ask(service, api.gate, "/orders/1", own)).outcome, "401 token.invalid");
			const other = await addGate(service, { rules: RULES });
			assert.equal(
				(await ask(service, other as KeyedGate, "/me", bearer(program.token))).outcome,
				"401 token.invalid",
			);
		});

		it("refuses the token of a client whose resource or application was removed", async () => {
			const application = await addApplication(service);
			const settings = { type: "service", allowed_resources: [api.resource] };
			const { client_secret: secret = "" } = await putOAuthClient(service, settings, application.id);
			await service.asAdmin("PUT", `${APPLICATIONS}/${api.id}/grants/programs/${application.id}`, {
				roles: ["reader"],
			});
			const token = await serviceToken(service, { id: application.id, secret }, api.resource);
			const asks = async () => (await ask(service, api.gate, "/orders/1", bearer(token))).outcome;
			assert.equal(await asks(), `200 program:${application.id}`);
			await putOAuthClient(service, { type: "service", allowed_resources: [] }, application.id);
			assert.equal(await asks(), "401 token.invalid");
			await putOAuthClient(service, settings, application.id);
			assert.equal(await asks(), `200 program:${application.id}`);
			await service.asAdmin("PATCH", `${APPLICATIONS}/${application.id}`, { status: "disabled" });
			assert.equal(await asks(), "401 token.invalid");
		});

		it("refuses a signature together with a token, and repeated proofs", async () => {
			const signed = signedCall(service, api.partner, "/orders/1");
			for (const headers of [
				{ ...signed, authorization: `Bearer ${program.token}` },
				{ ...signed, authorization: "Basic eDp5" },
				{ authorization: [`Bearer ${program.token}`, `Bearer ${program.token}`] },
				{ ...signed, "x-signature": [signed["x-signature"] ?? "", signed["x-signature"] ?? ""] },
			])
				assert.equal((await ask(service, api.gate, "/orders/1", { headers })).outcome, "400 gate.two_proofs");
			const basic = { headers: { authorization: "Basic eDp5" } };
			assert.equal((await ask(service, api.gate, "/orders/1", basic)).outcome, "401 token.missing");
		});
	});

	describe("asked by a person with a browser", () => {
		const withCookie = (cookie: string, more = {}) => ({ headers: { cookie, ...more } });

		it("accepts the session cookie for reading", async () => {
			const passed = await ask(service, api.gate, "/orders/1", withCookie(ada.cookie));
			assert.equal(passed.outcome, `200 person:${ada.id}`);
			assert.equal(passed.headers["latchkey-name"], "Ada%20L.");
			assert.equal(passed.headers["latchkey-permissions"], "orders:read");
			assert.equal((await ask(service, api.gate, "/me", withCookie(`a=1; ${ada.cookie}; b=2`))).status, 200);
		});

		it("refuses cross-site changes and upgrades", async () => {
			const { id, gate } = await shop(service);
			await putGrant(service, id, ada.id, ["writer"]);
			const post = (headers: object) =>
				ask(service, gate, "/orders/1", { method: "POST", headers: { cookie: ada.cookie, ...headers } });
			assert.equal((await post({})).outcome, "403 gate.origin");
			assert.equal((await post({ origin: "https://evil.example" })).outcome, "403 gate.origin");
			assert.equal((await post({ origin: "null" })).outcome, "403 gate.origin");
			const own = "https://localhost:8443";
			assert.equal((await post({ origin: [own, own] })).outcome, "403 gate.origin");
			assert.equal((await post({ origin: own })).outcome, `200 person:${ada.id}`);
			const upgrade = (headers: object) =>
				ask(service, gate, "/me", { headers: { cookie: ada.cookie, upgrade: "websocket", ...headers } });
			assert.equal((await upgrade({})).outcome, "403 gate.origin");
			assert.equal((await upgrade({ origin: own })).status, 200);
		});

		it("refuses without a permission, without a grant, and after the session ended", async () => {
			const own = "https://localhost:8443";
			const write = { method: "POST", ...withCookie(ada.cookie, { origin: own }) };
			const refused = await ask(service, api.gate, "/orders/1", write);
			assert.deepEqual(
				[refused.outcome, refused.headers["latchkey-reason"]],
				["403 application.access_denied", "missing_permission"],
			);
			const ben = await addPerson(service, "ben");
			const cookie = await browserCookie(service, ben);
			const stranger = await ask(service, api.gate, "/me", withCookie(cookie));
			assert.equal(stranger.headers["latchkey-reason"], "not_assigned");
			await service.asAdmin("POST", `/api/v1/users/${ben.id}/sessions/revoke`);
			assert.equal((await ask(service, api.gate, "/me", withCookie(cookie))).outcome, "401 session.ended");
			assert.equal(
				(await ask(service, api.gate, "/me", withCookie("__Host-latchkey=x"))).outcome,
				"401 session.ended",
			);
			assert.equal((await ask(service, api.gate, "/me")).outcome, "401 token.missing");
		});

		it("requires a second factor where the rule does", async () => {
			const refused = await ask(service, api.gate, "/vault", withCookie(ada.cookie));
			assert.equal(refused.outcome, "401 mfa.required");
			assert.match(
				refused.headers["www-authenticate"] ?? "",
				/insufficient_user_authentication.*multi-factor/,
			);
		});

		it("takes a token before the cookie", async () => {
			const headers = { cookie: ada.cookie, authorization: "Bearer x" };
			assert.equal((await ask(service, api.gate, "/me", { headers })).outcome, "401 token.invalid");
		});
	});

	describe("with a description that it cannot trust", () => {
		const raw = async (
			headers: Record<string, string | string[]>,
			path = `/gate/${api.id}`,
			method = "GET",
		) =>
			decisionOf(
				await service.call(method, path, {
					headers: { "x-gate-key": api.gate.gate_key, "x-forwarded-for": "203.0.113.9", ...headers },
				}),
			).outcome;

		it("reads one family of headers, each once", async () => {
			const original = { "x-original-method": "GET", "x-original-uri": "/status" };
			const forwarded = { "x-forwarded-method": "GET", "x-forwarded-uri": "/status" };
			assert.equal(await raw(original), "200 public");
			assert.equal(await raw(forwarded), "200 public");
			for (const query of ["x-gate-key=gk_1", "a=1&X-Gate-Key", "x%2dgate-key=gk_1"])
				for (const key of [api.gate.gate_key, ""])
					assert.equal(
						await raw({ ...original, "x-gate-key": key }, `/gate/${api.id}?${query}`),
						"400 gate.request",
					);
			for (const headers of [
				{ ...original, ...forwarded },
				{ ...forwarded, "x-original-uri": "/status" },
				{ ...forwarded, "x-original-host": "a" },
				{ "x-original-method": "GET" },
				{ "x-original-uri": "/status" },
				{ "x-forwarded-uri": "/status" },
				{},
				{ ...original, "x-original-uri": ["/status", "/orders/1"] },
				{ ...original, "x-original-method": "get" },
				{ ...original, "x-original-method": "" },
			])
				assert.equal(await raw(headers), "400 gate.request", JSON.stringify(headers));
			assert.equal(
				await raw(original, `/gate/${api.id}?X-Gate-Key=${api.gate.gate_key}`),
				"400 gate.request",
			);
		});

		it("refuses headers from which frameworks read another method or path", async () => {
			const original = { "x-original-method": "POST", "x-original-uri": "/status?a=b" };
			const forwarded = { "x-forwarded-method": "POST", "x-forwarded-uri": "/status?a=b" };
			for (const [header, value] of [
				["x-http-method-override", "DELETE"],
				["x-http-method-override", ""],
				["X_HTTP_Method_Override", "DELETE"],
				["x-http-method", "PUT"],
				["x-method-override", "POST"],
				["x-method_override", "POST"],
				["x-rewrite-url", "/status?a=b"],
				["x-original-url", "/status?a=b"],
			] as const)
				for (const description of [original, forwarded])
					assert.equal(await raw({ ...description, [header]: value }), "400 gate.request", header);
			const at = (headers: Record<string, string>) => raw(headers, `/gate/${api.id}/at/status`, "POST");
			assert.equal(await at({ "x-http-method": "PUT" }), "400 gate.request");
			assert.equal(await at({ "x-original-url": "https://a.example/orders/1" }), "400 gate.request");
		});

		it("ignores X-Original-URL of ingress-nginx if it is the same URL", async () => {
			const original = { "x-original-method": "GET", "x-original-uri": "/status?a=/b" };
			const asks = (url: string | string[]) => raw({ ...original, "x-original-url": url });
			assert.equal(await asks("https://shop.example/status?a=/b"), "200 public");
			assert.equal(await asks("http://shop.example:8080/status?a=/b"), "200 public");
			for (const url of [
				"https://shop.example/status",
				"https://shop.example/orders/1",
				"https://shop.example",
				"https://shop.example/orders?/status?a=/b",
				"/status?a=/b",
				["https://shop.example/status?a=/b", "https://shop.example/status?a=/b"],
			])
				assert.equal(await asks(url), "400 gate.request", String(url));
		});

		it("refuses a method in the query of a POST if it has another rule", async () => {
			const rules = [
				{ methods: ["POST"], path: "/orders/*", needs: "public" },
				{ methods: ["DELETE"], path: "/orders/*", needs: "orders:write" },
				{ path: "/any", needs: "public" },
			];
			const { gate } = await shop(service, { rules });
			const post = async (target: string, method = "POST") =>
				(await ask(service, gate, target, { method })).outcome;
			for (const query of [
				"_method=DELETE",
				"_method=delete",
				"_Method=%20Delete",
				"a=1;_method=DELETE",
				"%5Fmethod=DELETE",
				".method=DELETE",
				"%20_method=DELETE",
				"_method%00x=DELETE",
				"_method[]=DELETE",
				"[_method]=DELETE",
				"_method=POST&_method=DELETE",
				"_method=PATCH",
				"X-HTTP-Method-Override=DELETE",
				"x-http-method=DELETE",
				"x_method_override=DELETE",
			])
				assert.equal(await post(`/orders/1?${query}`), "400 gate.request", query);
			for (const query of ["_method=POST", "_method=", "method=DELETE", "my_method=DELETE", "a=_method"])
				assert.equal(await post(`/orders/1?${query}`), "200 public", query);
			assert.equal(await post("/any?_method=DELETE"), "200 public");
			assert.equal(await post("/orders/1?_method=POST", "DELETE"), "401 token.missing");
		});

		it("takes the target from the path after /at, and ignores the headers that describe another", async () => {
			const at = (target: string, method = "GET", headers = {}) =>
				raw(
					{ "x-original-uri": "/status", "x-forwarded-uri": "/status", ...headers },
					`/gate/${api.id}/at${target}`,
					method,
				);
			assert.equal(await at("/status?x=1"), "200 public");
			assert.equal(await at("/orders/1"), "401 token.missing");
			assert.equal(await at("/nowhere"), "403 gate.no_rule");
			assert.equal(await at("/status", "POST"), "200 public");
			assert.equal(
				await at("/orders/1", "DELETE", signedCall(service, api.partner, "/orders/1", { method: "DELETE" })),
				"426 transport.https_required",
			);
			assert.equal(await at("//status"), "400 gate.path");
			assert.equal(await at("/orders/..%2fstatus"), "400 gate.path");
		});

		it("refuses a missing or wrong key, an unknown application, and one without a gate alike", async () => {
			const { id } = await addApplication(service);
			const refused = await Promise.all(
				[
					[api.id, "gk_wrong"],
					[api.id, ""],
					[ABSENT_ID, api.gate.gate_key],
					[id, api.gate.gate_key],
					["x", api.gate.gate_key],
				].map(([application_id = "", gate_key = ""]) =>
					ask(service, { application_id, gate_key }, "/status"),
				),
			);
			assert.deepEqual(
				refused.map(({ outcome, body }) => [outcome, body]),
				refused.map(() => ["401 gate.key", { error: "X-Gate-Key must be the key of a gate, sent once" }]),
			);
		});
	});

	it("describes every refusal below /gate in headers, even before a gate decides", async () => {
		const verify = { "x-gate-key": api.gate.gate_key, "content-type": "application/json" };
		const browser = { "x-gate-key": api.gate.gate_key, "x-forwarded-proto": "http" };
		const { gate: shopGate } = await shop(service, { browser_origin: "https://headers.example" });
		const signIn = { ...browser, "x-gate-key": shopGate.gate_key };
		const large = JSON.stringify({ target: "x".repeat(2_000_000) });
		for (const [method, path, headers, body, outcome] of [
			["GET", `${api.id}/verify`, verify, undefined, "405 route.method_not_allowed"],
			["POST", `${api.id}/verify`, verify, large, "413 request.too_large"],
			["POST", `${api.id}/verify`, verify, "{", "400 request.malformed"],
			["GET", `${api.id}/elsewhere`, verify, undefined, "404 route.not_found"],
			["GET", `${api.id}/browser/sign-in`, browser, undefined, "404 route.not_found"],
			[
				"GET",
				`${shopGate.application_id}/browser/sign-in`,
				signIn,
				undefined,
				"426 transport.https_required",
			],
			["GET", `${api.id}/browser/sign-in`, {}, undefined, "401 gate.key"],
			["POST", `${shopGate.application_id}/browser/sign-out`, signIn, undefined, "403 gate.origin"],
		] as const) {
			const refused = await service.call<{ error?: string }>(method, `/gate/${path}`, { headers, body });
			const { "latchkey-status": status, "cache-control": caching } = refused.headers;
			assert.deepEqual(
				[decisionOf(refused).outcome, status, caching, typeof refused.body?.error],
				[outcome, outcome.slice(0, 3), "no-store", "string"],
				path,
			);
			assert.equal(refused.headers["latchkey-request-id"], refused.headers["x-request-id"]);
		}
	});

	describe("with statement", () => {
		it("signs its decisions", async () => {
			const { gate, partner } = await shop(service, { statement: true });
			const body = "x";
			const target = "/orders/1?a=b";
			const passed = await ask(service, gate, target, {
				method: "POST",
				headers: signedCall(service, partner, target, { method: "POST", body }),
			});
			const { body: keys } = await service.call<Parameters<typeof createLocalJWKSet>[0]>(
				"GET",
				"/.well-known/jwks.json",
			);
			const { payload } = await jwtVerify(
				String(passed.headers["latchkey-statement"]),
				createLocalJWKSet(keys),
				{
					typ: "gate+jwt",
					algorithms: ["ES256"],
					issuer: "https://localhost:8443",
					audience: `https://localhost:8443/gate/${gate.application_id}`,
					currentDate: new Date(service.clock.now()),
				},
			);
			const { jti, iat = 0, exp = 0, iss: _, aud: _aud, ...claims } = payload;
			assert.equal(exp - iat, 60);
			assert.ok(jti);
			assert.deepEqual(claims, {
				sub: `partner:${partner.id}`,
				method: "POST",
				target,
				body_sha256: sha256(body),
				permissions: ["orders:*"],
			});
		});
	});

	describe("with accept", () => {
		it("refuses other kinds of callers after their proof", async () => {
			const { gate, partner } = await shop(service, { accept: ["person"] });
			const refused = await ask(service, gate, "/orders/1", {
				headers: signedCall(service, partner, "/orders/1"),
			});
			assert.equal(refused.outcome, "403 gate.caller_kind");
		});
	});

	it("lists its refusals", async () => {
		const { gate, id, partner } = await shop(service);
		await ask(service, gate, "/orders/1?secret=1", { ip: "203.0.113.50" });
		await ask(service, gate, "/nowhere", { method: "PUT" });
		const headers = signedCall(service, partner, "/vault");
		await ask(service, gate, "/vault", { headers });
		await ask(service, gate, "/vault", { headers });
		const { body } = await eventually(
			async () => service.callAsAdmin("GET", `/api/v1/refusals?application_id=${id}&subject=gate`),
			({ body }) => body.total >= 3 && body.data.length > 0,
		);
		assert.deepEqual(
			body.data
				.map(({ caller, method, path, rule, code, ip }) => [caller, method, path, rule, code, ip])
				.sort(),
			[
				["-", "GET", "/orders/1", 1, "token.missing", "203.0.113.50"],
				["-", "GET", "/vault", 4, "nonce.reused", "203.0.113.7"],
				["-", "PUT", "/nowhere", null, "gate.no_rule", "203.0.113.7"],
			],
		);
	});
});
