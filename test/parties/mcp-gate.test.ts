// The MCP server of docs/mcp.md behind the gate, without a line about tokens, with both official MCP clients unchanged.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { BEHIND_PROXY, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
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
import { GATE_PROXIES } from "../harness/proxies/gate-proxies.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { type FrontedService, startFrontedService } from "../harness/service/public-front.ts";

const RULES = [{ path: "/mcp", needs: "tasks:read" }];
const BOTH = ["tasks:read", "tasks:write"];

describe("an MCP server behind the gate", { skip: MCP_SKIPPED, timeout: 240_000 }, () => {
	const closing = new AsyncDisposableStack();
	const web = publishPrograms();
	let fronted: FrontedService;
	let port: number;
	before(async () => {
		fronted = closing.use(await startFrontedService({ programDocuments: web.documents, env: BEHIND_PROXY }));
		const { tenant_id } = await fronted.service.asAdmin("GET", "/api/v1/users/me");
		await fronted.service.asAdmin("PATCH", `/api/v1/tenants/${tenant_id}`, { program_requests: true });
		[port = 0] = await freePorts(1);
		const url = `http://127.0.0.1:${port}/mcp`;
		closing.use(await startMcpServer("behind-gate.mjs", url, { PORT: String(port) }));
	});
	after(() => closing.disposeAsync());

	for (const { name, skip, start } of GATE_PROXIES)
		for (const sdk of ["1", "2"])
			test(`lets a program with client ${sdk}.x in through ${name} until its access ends`, {
				skip,
			}, async () => {
				const { service, publicUrl } = fronted;
				const { id } = await addApplication(service, { name: "Tasks", access_policy: "assigned" });
				const role = await addRole(service, id, "editor", BOTH);
				const gate = (await addGate(service, { rules: RULES, accept: ["person"] }, id)) as KeyedGate;
				const proxy = await start({ gate, gatePort: service.httpPort, appPort: port });
				await using stack = new AsyncDisposableStack();
				stack.defer(() => proxy.remove());
				const resource = `https://localhost:${proxy.httpsPort}/mcp`;
				await putOAuthClient(service, { type: "service", resource }, id);
				const certificates = join(stack.use(temporaryFolder()).path, "certificates.pem");
				const issuers = [readFileSync(join(service.dataDir, "tls-cert.pem"), "utf8"), proxy.certificate];
				writeFileSync(certificates, issuers.join("\n"));
				const document = `https://${name.toLowerCase()}-${sdk}.example/client.json`;
				web.publish(document);
				const ada = await addPerson(service, `ada-${name}-${sdk}`);
				await putGrant(service, id, ada.id, [role.id]);
				const setPermissions = (permissions: readonly string[]) =>
					service.asAdmin("PATCH", `/api/v1/applications/${id}/roles/${role.id}`, { permissions });
				const browser = new TestBrowser(service, publicUrl);
				const token = await browser.signIn(ada.username, ada.password);
				const agent = stack.use(await startAgent({ sdk, url: resource, document, certificates }));

				const authorization = authorizationIn(await agent.tell("connect"));
				const program = await reviewProgram(fronted, { browser, token, authorization, resource });
				const returned = await completeAuthorization(browser, authorization, token);
				const tools = ["list_tasks", "add_task"];
				assert.deepEqual(await agent.tell("finish", returned.href), { result: tools });
				const add = { name: "add_task", arguments: { title: "Milk" } };
				const list = { name: "list_tasks", arguments: {} };
				assert.deepEqual((await agent.tell("call", add)).result, ["Milk"]);
				const first = await agent.held();
				const { client_id: clientId, aud } = decodeJwt(first.access_token ?? "");
				assert.deepEqual([clientId, aud], [document, resource]);

				await agent.tell("expire");
				assert.deepEqual((await agent.tell("call", list)).result, ["Milk"]);
				assert.notEqual((await agent.held()).refresh_token, first.refresh_token);

				await setPermissions(["tasks:read"]);
				assert.equal((await agent.tell("call", add)).result, undefined);
				assert.deepEqual(await agent.tell("connect"), { result: ["list_tasks"] });
				await setPermissions(BOTH);
				assert.deepEqual(await agent.tell("connect"), { result: tools });

				await service.asAdmin("DELETE", `/api/v1/programs/${program}`);
				const ended = await agent.tell("call", list);
				assert.equal(ended.result, undefined);
				assert.notEqual(ended.error ?? ended.authorization, undefined);
			});
});
