// The metadata of APIs behind gates (RFC 9728), and where clients find it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ABSENT_ID, addApiClient, addApplication, addRole } from "../../harness/access/applications.ts";
import { ask, BEHIND_PROXY, type KeyedGate, signedCall } from "../../harness/access/gate-calls.ts";
import { addGate } from "../../harness/access/gates.ts";
import { putOAuthClient } from "../../harness/openid/oauth-clients.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

const service = testService({ env: BEHIND_PROXY });
const RESOURCE = "https://tasks.example/mcp/";
const api = fixture(async () => {
	const { id } = await addApplication(service, { name: "Tasks" });
	await addRole(service, id, "reader", ["tasks:read", "tasks:list"]);
	await addRole(service, id, "owner", ["tasks:*", "tasks:read", "*"]);
	await putOAuthClient(service, { type: "service", resource: RESOURCE }, id);
	const rules = [{ path: "/*", needs: "tasks:read" }];
	return (await addGate(service, { rules }, id)) as KeyedGate;
});
const read = (id: string, headers: Record<string, string> = {}) =>
	service.call<Record<string, unknown>>("GET", `/.well-known/oauth-protected-resource/gate/${id}`, {
		headers,
	});

describe("GET /.well-known/oauth-protected-resource/gate/{application_id}", () => {
	describe("200", () => {
		it("contains the resource byte for byte, the issuer, and permissions without patterns", async () => {
			const { status, body, headers } = await read(api.application_id, { origin: "https://agent.example" });
			assert.equal(status, 200);
			assert.equal(headers["access-control-allow-origin"], "*");
			const { authorization_servers, ...own } = body;
			assert.deepEqual(own, {
				resource: RESOURCE,
				resource_name: "Tasks",
				scopes_supported: ["tasks:list", "tasks:read"],
				bearer_methods_supported: ["header"],
			});
			const discovery = await service.call<{ issuer: string }>(
				"GET",
				"/.well-known/oauth-authorization-server",
				{},
			);
			assert.deepEqual(authorization_servers, [discovery.body.issuer]);
		});

		it("is the document that the gate's 401 refers to", async () => {
			const { headers } = await ask(service, api, "/");
			const [, url = ""] =
				/^Bearer resource_metadata="(.+)"$/.exec(String(headers["www-authenticate"])) ?? [];
			assert.equal(new URL(url).pathname, `/.well-known/oauth-protected-resource/gate/${api.application_id}`);
			const refused = await ask(service, api, "/", { headers: { authorization: "Bearer x" } });
			assert.equal(
				refused.headers["www-authenticate"],
				`Bearer error="invalid_token", resource_metadata="${url}"`,
			);
			const partner = await addApiClient(service, { app_id: api.application_id });
			const old = { ...signedCall(service, partner, "/"), "x-timestamp": "1000000000" };
			const signed = await ask(service, api, "/", { headers: old });
			assert.equal(signed.outcome, "401 signature.timestamp");
			assert.equal(signed.headers["www-authenticate"], `Bearer resource_metadata="${url}"`);
			const unbound = await ask(service, api, "/", {
				method: "POST",
				headers: signedCall(service, partner, "/", { method: "POST" }),
			});
			assert.equal(unbound.outcome, "401 gate.body_unbound");
			assert.equal(unbound.headers["www-authenticate"], `Bearer resource_metadata="${url}"`);
		});
	});

	describe("404", () => {
		it("is returned for a gate without a resource, an application without a gate, and a bad id", async () => {
			const gate = (await addGate(service, { rules: [{ path: "/*", needs: "signed-in" }] })) as KeyedGate;
			const { id } = await addApplication(service);
			for (const one of [gate.application_id, id, ABSENT_ID, "x"]) {
				assert.equal((await read(one)).status, 404, one);
			}
			const { headers } = await ask(service, gate, "/");
			assert.equal(headers["www-authenticate"], "Bearer");
		});
	});
});
