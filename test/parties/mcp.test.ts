// The MCP server of docs/mcp.md with both official MCP clients, unchanged: from an unknown program to its removal.

import assert from "node:assert/strict";
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { filesIn } from "../../scripts/pages/guide-code.ts";
import { addApplication, addRole, type CreatedApplication, putGrant } from "../harness/applications.ts";
import { firstResponse } from "../harness/example-program.ts";
import { putOAuthClient } from "../harness/oauth-clients.ts";
import { completeAuthorization, TestBrowser } from "../harness/openid.ts";
import { addPerson } from "../harness/people.ts";
import { freePorts } from "../harness/program.ts";
import { publishPrograms } from "../harness/programs.ts";
import { type FrontedService, startFrontedService } from "../harness/public-front.ts";

const FOLDER = join(import.meta.dirname, "mcp");
/** `false`, or the reason to skip. With `CI` set, missing packages are a failure. */
const SKIPPED =
	process.env.CI === undefined && !existsSync(join(FOLDER, "node_modules"))
		? "no packages of MCP (npm ci --prefix test/parties/mcp)"
		: false;
const FILES = filesIn(readFileSync(resolve(import.meta.dirname, "../../docs/mcp.md"), "utf8"));
const REDIRECT_URI = "http://127.0.0.1:43210/callback";

interface Answer {
	readonly result?: unknown;
	readonly error?: string;
	/** Where the program sends its user. */
	readonly authorization?: string;
}

describe("an MCP server", { skip: SKIPPED, timeout: 240_000 }, () => {
	const closing = new AsyncDisposableStack();
	const web = publishPrograms();
	let fronted: FrontedService;
	let folder: string;
	let resource: string;
	let api: CreatedApplication;
	let apiSecret: string;
	let environment: Record<string, string | undefined>;
	before(async () => {
		fronted = closing.use(await startFrontedService({ programDocuments: web.documents }));
		const { service, publicUrl } = fronted;
		folder = mkdtempSync(join(tmpdir(), "latchkey-mcp-"));
		closing.defer(() => rmSync(folder, { recursive: true }));
		symlinkSync(join(FOLDER, "node_modules"), join(folder, "node_modules"));
		writeFileSync(join(folder, "server.mjs"), FILES["server.mjs"] ?? "");
		const [port = 0] = await freePorts(1);
		resource = `http://localhost:${port}/mcp`;
		api = await addApplication(service, { name: "Tasks", access_policy: "assigned" });
		apiSecret = (await putOAuthClient(service, { type: "service", resource }, api.id)).client_secret ?? "";
		const { tenant_id } = await service.asAdmin("GET", "/api/v1/users/me");
		await service.asAdmin("PATCH", `/api/v1/tenants/${tenant_id}`, { program_requests: true });
		environment = {
			PATH: process.env.PATH,
			NODE_EXTRA_CA_CERTS: join(service.dataDir, "tls-cert.pem"),
			OIDC_ISSUER: publicUrl,
			TENANT_ID: tenant_id,
			RESOURCE: resource,
		};
		const server = spawn(process.execPath, ["server.mjs"], {
			cwd: folder,
			env: environment,
			stdio: ["ignore", "ignore", "pipe"],
		});
		closing.defer(() => stop(server));
		await firstResponse(resource, server);
	});
	after(() => closing.disposeAsync());

	/** Starts a program with the client library of this major version. */
	async function startAgent(sdk: string, document: string) {
		const program = fork(join(FOLDER, "agent.mjs"), {
			env: { ...environment, SDK: sdk, MCP_URL: resource, DOCUMENT: document, REDIRECT_URI },
			execArgv: [],
			silent: true,
		});
		await once(program, "message");
		const tell = async (action: string, value?: unknown): Promise<Answer> => {
			const answered = once(program, "message");
			program.send({ action, value });
			return (await answered)[0];
		};
		return { tell, [Symbol.asyncDispose]: () => stop(program) };
	}

	/** Requests the unknown program, and approves it. @returns its application */
	async function review(browser: TestBrowser, token: string, authorization: string): Promise<string> {
		const { service, publicUrl } = fronted;
		const { headers } = await browser.go(authorization);
		const page = new URL(headers.location ?? "");
		assert.equal(page.origin + page.pathname, `${publicUrl}/program`);
		const id = page.searchParams.get("request");
		const reason = { reason: "To work with my tasks." };
		await browser.post(`/api/v1/auth/programs/requests/${id}/ask`, reason, token);
		const { client_id: url } = Object.fromEntries(new URL(authorization).searchParams);
		const path = `/api/v1/program-requests?status=pending&q=${encodeURIComponent(url ?? "")}` as const;
		const [request] = await service.asAdmin("GET", path as "/api/v1/program-requests");
		const decision = { allowed_resources: [resource] };
		const approval = `/api/v1/program-requests/${request?.id}/approve` as const;
		return (await service.asAdmin("POST", approval, decision)).application_id ?? "";
	}
	const urlIn = ({ authorization }: Answer): string =>
		authorization ?? assert.fail("no authorization request");
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
		test(`lets a program with client ${sdk}.x in after a review, and no longer than it may`, async () => {
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
			const visit = async (answer: Answer) =>
				(await completeAuthorization(browser, urlIn(answer), session)).href;
			await using agent = await startAgent(sdk, document);
			const held = async () => (await agent.tell("tokens")).result as Record<string, string>;

			const begun = await agent.tell("connect");
			const program = await review(browser, session, urlIn(begun));
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
				assert.ok(scopesIn(new URL(urlIn(refused)).searchParams.get("scope")).includes("tasks:write"));
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

async function stop(program: ChildProcess): Promise<void> {
	if (program.exitCode !== null) return;
	const exited = once(program, "exit");
	program.kill("SIGKILL");
	await exited;
}
