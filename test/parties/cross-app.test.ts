// The official MCP client's cross-app provider, unchanged, between two installations: the company's, and that of the API.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { BEHIND_PROXY, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { trustedAuthority } from "../harness/certificates/authority.ts";
import { MCP_SKIPPED, startMcpServer } from "../harness/openid/mcp-agents.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import {
	completeAuthorization,
	exchange,
	relyingParty,
	startAuthorization,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { freePorts } from "../harness/processes/program.ts";
import { IDENTITY_PROVIDERS } from "../harness/providers/identity-providers.ts";
import { GATE_PROXIES } from "../harness/proxies/gate-proxies.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { type FrontedService, startFrontedService } from "../harness/service/public-front.ts";

const RULES = [{ path: "/mcp", needs: "tasks:read" }];
const LOOPBACK = {
	LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8,::1/128",
	LATCHKEY_PROVIDER_ALLOWED_NETWORKS: "127.0.0.0/8,::1/128",
};
const CALLBACK = "https://agent.example/callback";
const [proxyKind] = GATE_PROXIES.filter(({ skip }) => skip === false);
const SKIPPED = MCP_SKIPPED || (proxyKind === undefined ? "no proxy is installed" : false);

interface Outcome {
	readonly tools?: readonly string[];
	readonly added?: readonly string[];
	readonly error?: string;
}

describe("the cross-app provider of the MCP client", { skip: SKIPPED, timeout: 120_000 }, () => {
	const closing = new AsyncDisposableStack();
	let company: FrontedService;
	let vendor: FrontedService;
	let ada: Person;
	let atVendor: Person;
	let tasks: string;
	let role: string;
	let env: Record<string, string | undefined>;
	before(async () => {
		const authority = await trustedAuthority();
		const { path: folder } = closing.use(temporaryFolder());
		const pair = await authority.issue(["localhost"]);
		const [cert, key] = (["cert", "key"] as const).map((name) => {
			writeFileSync(join(folder, `${name}.pem`), pair[name]);
			return join(folder, `${name}.pem`);
		});
		const own = { LATCHKEY_TLS_CERT: cert ?? "", LATCHKEY_TLS_KEY: key ?? "" };
		company = closing.use(await startFrontedService({ env: own }));
		vendor = closing.use(await startFrontedService({ env: { ...own, ...BEHIND_PROXY, ...LOOPBACK } }));
		const [port = 0] = await freePorts(1);
		closing.use(
			await startMcpServer("behind-gate.mjs", `http://127.0.0.1:${port}/mcp`, { PORT: String(port) }),
		);
		// The vendor: an MCP server behind the gate, which trusts the company's assertions.
		tasks = (await addApplication(vendor.service, { name: "Tasks", access_policy: "assigned" })).id;
		role = (await addRole(vendor.service, tasks, "editor", ["tasks:read", "tasks:write"])).id;
		const gate = (await addGate(vendor.service, { rules: RULES, accept: ["person"] }, tasks)) as KeyedGate;
		const start = proxyKind?.start ?? assert.fail("no proxy");
		const proxy = await start({ gate, gatePort: vendor.service.httpPort, appPort: port });
		closing.defer(() => proxy.remove());
		const resource = `https://localhost:${proxy.httpsPort}/mcp`;
		await putOAuthClient(vendor.service, { type: "service", resource }, tasks);
		const there = await addApplication(vendor.service, {
			name: "Agent",
			redirect_uris: [CALLBACK],
			access_policy: "open",
		});
		const thereClient = await putOAuthClient(
			vendor.service,
			{ type: "web", allowed_resources: [resource] },
			there.id,
		);
		await vendor.service.asAdmin("POST", IDENTITY_PROVIDERS, {
			provider: "company",
			kind: "oidc",
			display_name: "Company",
			uses: ["assertions"],
			issuer: company.publicUrl,
			email_domains: "any",
		});
		atVendor = await addPerson(vendor.service, "ada", { email_verified: true });
		await putGrant(vendor.service, tasks, atVendor.id, [role]);
		// The company: its people, and the program that may carry them to the vendor.
		ada = await addPerson(company.service, "ada", { email_verified: true });
		const here = await addApplication(company.service, {
			name: "Agent",
			redirect_uris: [CALLBACK],
			access_policy: "open",
		});
		const hereClient = await putOAuthClient(
			company.service,
			{
				type: "web",
				first_party: true,
				assertion_audiences: [{ issuer: vendor.publicUrl, client_id: there.id }],
			},
			here.id,
		);
		const certificates = join(folder, "certificates.pem");
		writeFileSync(certificates, [authority.certificate, proxy.certificate].join("\n"));
		env = {
			PATH: process.env.PATH,
			NODE_EXTRA_CA_CERTS: certificates,
			MCP_URL: resource,
			COMPANY: company.publicUrl,
			EXPECTED: vendor.publicUrl,
			HERE: here.id,
			HERE_SECRET: hereClient.client_secret,
			THERE: there.id,
			THERE_SECRET: thereClient.client_secret,
		};
	});
	after(() => closing.disposeAsync());

	async function idToken(): Promise<string> {
		const browser = new TestBrowser(company.service, company.publicUrl);
		const session = await browser.signIn(ada.username, ada.password);
		const client = { id: String(env.HERE), secret: String(env.HERE_SECRET) };
		const party = await relyingParty(company.service, client, undefined, {}, company.publicUrl);
		const asked = await startAuthorization(party, { redirect_uri: CALLBACK, scope: "openid email" });
		const returned = await completeAuthorization(browser, asked.url, session);
		return (await exchange(party, returned, asked)).id_token ?? assert.fail("no ID token");
	}
	async function run(token: string): Promise<Outcome> {
		const program = fork(join(resolve(import.meta.dirname, "mcp"), "cross-app.mjs"), {
			env: { ...env, ID_TOKEN: token },
			execArgv: [],
			silent: true,
		});
		let errors = "";
		program.stderr?.on("data", (chunk: Buffer) => {
			errors += chunk.toString();
		});
		const ended = once(program, "exit").then((): [Outcome] => [{ error: `ended: ${errors}` }]);
		const [outcome] = (await Promise.race([once(program, "message"), ended])) as [Outcome];
		await ended;
		return outcome;
	}

	test("carries a user of the company to the vendor's server, without a page of the vendor", async () => {
		const token = await idToken();
		assert.deepEqual(await run(token), { tools: ["list_tasks", "add_task"], added: ["Milk"] });
		// Disabled at either side: the next call is refused.
		const set = (at: FrontedService, id: string, status: string) =>
			at.service.asAdmin("PATCH", `/api/v1/users/${id}`, { status });
		await set(vendor, atVendor.id, "disabled");
		assert.notEqual((await run(token)).error, undefined);
		await set(vendor, atVendor.id, "active");
		assert.equal((await run(token)).error, undefined);
		await set(company, ada.id, "disabled");
		assert.notEqual((await run(token)).error, undefined);
	});
});
