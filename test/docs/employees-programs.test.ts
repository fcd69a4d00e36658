// docs/employees-programs.md: its lines, run against two installations.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { decodeJwt } from "jose";
import { filesIn } from "../../scripts/pages/guide-code.ts";
import { addApplication, addRole, putGrant } from "../harness/access/applications.ts";
import { trustedAuthority } from "../harness/certificates/authority.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import {
	completeAuthorization,
	exchange,
	relyingParty,
	startAuthorization,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { type FrontedService, startFrontedService } from "../harness/service/public-front.ts";
import { readDocument } from "./document.ts";

const FILES = filesIn(readDocument("docs/employees-programs.md"));
const CALLBACK = "https://agent.example/callback";
const RESOURCE = "https://invoices.example/api";
const LOOPBACK = {
	LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8,::1/128",
	LATCHKEY_PROVIDER_ALLOWED_NETWORKS: "127.0.0.0/8,::1/128",
};
const run = promisify(execFile);

describe("docs/employees-programs.md", { skip: skippedWithout("bash", "curl", "jq") }, () => {
	const closing = new AsyncDisposableStack();
	let company: FrontedService;
	let vendor: FrontedService;
	let trusted: string;
	before(async () => {
		const authority = await trustedAuthority();
		const { path: folder } = closing.use(temporaryFolder());
		const pair = await authority.issue(["localhost"]);
		for (const name of ["cert", "key"] as const) writeFileSync(join(folder, `${name}.pem`), pair[name]);
		const own = {
			LATCHKEY_TLS_CERT: join(folder, "cert.pem"),
			LATCHKEY_TLS_KEY: join(folder, "key.pem"),
		};
		company = closing.use(await startFrontedService({ env: own }));
		vendor = closing.use(await startFrontedService({ env: { ...own, ...LOOPBACK } }));
		trusted = authority.certificateFile;
	});
	after(() => closing.disposeAsync());

	async function bash(file: string, env: Readonly<Record<string, string>>): Promise<string> {
		const script = FILES[file] ?? assert.fail(`the guide has no ${file}`);
		const own = { PATH: process.env.PATH, CURL_CA_BUNDLE: trusted, ...env };
		return (await run("bash", ["-euo", "pipefail", "-c", script], { env: own })).stdout.trim();
	}
	async function addProgram({ service }: FrontedService, fields: object) {
		const application = { name: "Agent", redirect_uris: [CALLBACK], access_policy: "open" };
		const { id } = await addApplication(service, application);
		const { client_secret: secret = "" } = await putOAuthClient(service, { type: "web", ...fields }, id);
		return { id, secret };
	}

	it("carries an employee from the company's sign-in to the API", async () => {
		const employee = await addPerson(company.service, "ada", { email_verified: true });
		const known = await addPerson(vendor.service, "ada.example");
		const invoices = await putOAuthClient(vendor.service, { type: "service", resource: RESOURCE });
		const role = await addRole(vendor.service, invoices.client_id, "reader", ["invoices:read"]);
		await putGrant(vendor.service, invoices.client_id, known.id, [role.id]);
		const there = await addProgram(vendor, { allowed_resources: [RESOURCE] });
		const here = await addProgram(company, { first_party: true });
		const atVendor = { LK_BASE_URL: vendor.publicUrl, ADMIN_TOKEN: await vendor.service.adminToken() };

		await bash("trust-company.sh", { ...atVendor, COMPANY_ISSUER: company.publicUrl });
		await bash("list-api.sh", {
			LK_BASE_URL: company.publicUrl,
			ADMIN_TOKEN: await company.service.adminToken(),
			CLIENT_ID: here.id,
			API_ISSUER: vendor.publicUrl,
			CLIENT_ID_THERE: there.id,
		});

		const browser = new TestBrowser(company.service, company.publicUrl);
		const session = await browser.signIn(employee.username, employee.password);
		const party = await relyingParty(company.service, here, undefined, {}, company.publicUrl);
		const asked = await startAuthorization(party, { redirect_uri: CALLBACK, scope: "openid" });
		const returned = await completeAuthorization(browser, asked.url, session);
		const carried = {
			COMPANY_ISSUER: company.publicUrl,
			API_ISSUER: vendor.publicUrl,
			CLIENT_ID: here.id,
			CLIENT_SECRET: here.secret,
			CLIENT_ID_THERE: there.id,
			CLIENT_SECRET_THERE: there.secret,
			ID_TOKEN: (await exchange(party, returned, asked)).id_token ?? "",
			RESOURCE,
			SCOPE: "invoices:read invoices:write",
		};
		await assert.rejects(bash("carry.sh", carried), /400/, "the employee is not linked");
		await bash("link-employee.sh", { ...atVendor, USER_ID: known.id, SUBJECT: employee.id });
		const claims = decodeJwt(await bash("carry.sh", carried));
		assert.deepEqual(
			[claims.iss, claims.sub, claims.aud, claims.client_id, claims.scope],
			[vendor.publicUrl, known.id, RESOURCE, there.id, "invoices:read"],
		);
	});
});
