// The MCP server of docs/mcp.md with both official MCP clients, unchanged: from an unknown program to its removal.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import {
	addApplication,
	addRole,
	type CreatedApplication,
	putGrant,
} from "../harness/access/applications.ts";
import {
	authorizationIn,
	MCP_SKIPPED,
	reviewProgram,
	startAgent,
	startMcpServer,
} from "../harness/openid/mcp-agents.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { completeAuthorization, TestBrowser } from "../harness/openid/openid.ts";
import { publishPrograms } from "../harness/openid/programs.ts";
import { addPerson } from "../harness/people/people.ts";
import { freePorts } from "../harness/processes/program.ts";
import { type FrontedService, startFrontedService } from "../harness/service/public-front.ts";

describe("an MCP server", { skip: MCP_SKIPPED, timeout: 240_000 }, () => {
	const closing = new AsyncDisposableStack();
	const web = publishPrograms();
	let fronted: FrontedService;
	let resource: string;
	let api: CreatedApplication;
	let apiSecret: string;
	let certificates: string;
	before(async () => {
		fronted = closing.use(await startFrontedService({ programDocuments: web.documents }));
		const { service, publicUrl } = fronted;
		const [port = 0] = await freePorts(1);
		resource = `http://localhost:${port}/mcp`;
		api = await addApplication(service, { name: "Tasks", access_policy: "assigned" });
		apiSecret = (await putOAuthClient(service, { type: "service", resource }, api.id)).client_secret ?? "";
		const { tenant_id } = await service.asAdmin("GET", "/api/v1/users/me");
		await service.asAdmin("PATCH", `/api/v1/tenants/${tenant_id}`, { program_requests: true });
		certificates = join(service.dataDir, "tls-cert.pem");
		const environment = {
			NODE_EXTRA_CA_CERTS: certificates,
			OIDC_ISSUER: publicUrl,
			TENANT_ID: tenant_id,
			RESOURCE: resource,
		};
		closing.use(await startMcpServer("server.mjs", resource, environment));
	});
	after(() => closing.disposeAsync());

	const scopesIn = (scope: unknown) => String(scope).split(" ").sort();
	async function introspect(token: string) {
		const { service, publicUrl } = fronted;
		const authorization = `Basic ${Buffer.from(`${api.id}:${apiSecret}`).toString("base64")}`;
		const response = await service.call<{ active: boolean }>("POST", "/oauth/introspect", {
			https: true,
			body: new URLSearchParams({ token }).toString(),
			headers: {
				authorization,
				"content-type": "application/x-www-form-urlencoded",
				host: new URL(publicUrl).host,
			},
		});
		return response.body.active;
	}

	for (const sdk of ["1", "2"])
		test(`lets a program with client ${sdk}.x in after a review, until its access ends`, async () => {
			const { service, publicUrl } = fronted;
			const document = `https://agent-${sdk}.example/client.json`;
			web.publish(document);
			const ada = await addPerson(service, `ada-${sdk}`);
			const role = await addRole(service, api.id, `editor-${sdk}`, ["tasks:read", "tasks:write"]);
			await putGrant(service, api.id, ada.id, [role.id]);
			const narrow = (permissions: readonly string[]) =>
				service.asAdmin("PATCH", `/api/v1/applications/${api.id}/roles/${role.id}`, { permissions });
			const browser = new TestBrowser(service, publicUrl);
			const session = await browser.signIn(ada.username, ada.password);
			const visit = async (answer: Parameters<typeof authorizationIn>[0]) =>
				(await completeAuthorization(browser, authorizationIn(answer), session)).href;
			await using agent = await startAgent({ sdk, url: resource, document, certificates });
			const { held } = agent;

			const begun = await agent.tell("connect");
			const authorization = authorizationIn(begun);
			const program = await reviewProgram(fronted, { browser, token: session, authorization, resource });
			assert.deepEqual(await agent.tell("finish", await visit(begun)), {
				result: ["list_tasks", "add_task"],
			});
			const add = { name: "add_task", arguments: { title: `Milk ${sdk}` } };
			const list = { name: "list_tasks", arguments: {} };
			assert.ok(((await agent.tell("call", add)).result as string[]).includes(`Milk ${sdk}`));
			const first = await held();
			assert.deepEqual(scopesIn(decodeJwt(first.access_token ?? "").scope), ["tasks:read", "tasks:write"]);
			assert.equal(decodeJwt(first.access_token ?? "").client_id, document);

			await agent.tell("expire");
			assert.ok(((await agent.tell("call", list)).result as string[]).includes(`Milk ${sdk}`));
			const refreshed = await held();
			assert.notEqual(refreshed.refresh_token, first.refresh_token);

			await narrow(["tasks:read"]);
			await agent.tell("expire");
			assert.notEqual((await agent.tell("call", list)).result, undefined);
			const narrowed = await held();
			assert.equal(decodeJwt(narrowed.access_token ?? "").scope, "tasks:read");
			const refused = await agent.tell("call", add);
			assert.equal(refused.result, undefined);
			await narrow(["tasks:read", "tasks:write"]);
			if (sdk === "1") {
				// It refreshes its token instead of asking its user again.
				assert.match(refused.error ?? "", /403/);
				await agent.tell("expire");
				await agent.tell("connect");
			} else {
				assert.ok(
					scopesIn(new URL(authorizationIn(refused)).searchParams.get("scope")).includes("tasks:write"),
				);
				await agent.tell("finish", await visit(refused));
			}
			assert.ok(Array.isArray((await agent.tell("call", add)).result));

			const last = await held();
			assert.equal(await introspect(last.access_token ?? ""), true);
			await service.asAdmin("DELETE", `/api/v1/programs/${program}`);
			assert.equal(await introspect(last.access_token ?? ""), false);
			await agent.tell("expire");
			const ended = await agent.tell("call", list);
			assert.equal(ended.result, undefined);
			assert.notEqual(ended.error ?? ended.authorization, undefined);
		});

	test("refuses a call without a token, with another one, and one of several that lacks its scope", async () => {
		const call = async (authorization: string) => {
			const response = await fetch(resource, {
				method: "POST",
				headers: { "content-type": "application/json", authorization },
				body: JSON.stringify([{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add_task" } }]),
			});
			return [response.status, response.headers.get("www-authenticate")];
		};
		const metadata = `Bearer resource_metadata="${new URL("/.well-known/oauth-protected-resource/mcp", resource)}"`;
		assert.deepEqual(await call("Basic eDp5"), [401, metadata]);
		assert.deepEqual(await call("Bearer wrong"), [401, `${metadata}, error="invalid_token"`]);
		const worker = await addApplication(fronted.service);
		const settings = { type: "service", allowed_resources: [resource] };
		const { client_secret } = await putOAuthClient(fronted.service, settings, worker.id);
		const token = await fronted.service.call<{ access_token: string }>("POST", "/oauth/token", {
			https: true,
			body: new URLSearchParams({ grant_type: "client_credentials", resource }).toString(),
			headers: {
				authorization: `Basic ${Buffer.from(`${worker.id}:${client_secret}`).toString("base64")}`,
				"content-type": "application/x-www-form-urlencoded",
				host: new URL(fronted.publicUrl).host,
			},
		});
		assert.deepEqual(await call(`Bearer ${token.body.access_token}`), [
			403,
			`${metadata}, error="insufficient_scope", scope="tasks:write"`,
		]);
	});
});
