// The files of `examples/`: each is applied to an empty service and walked with a real sign-in and a real signed call.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import * as client from "openid-client";
import { addApiClient, putGrant } from "../harness/access/applications.ts";
import { EXCHANGE, TOKEN_TYPE } from "../harness/openid/acting-clients.ts";
import {
	completeAuthorization,
	connect,
	obtainTokens,
	openIdService,
	relyingParty,
	signedInBrowser,
	startAuthorization,
} from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import type { TestService } from "../harness/service/service.ts";

/** Applies the file. @returns the ids of its applications by slug, and its secrets by place */
async function applyExample(service: TestService, name: string) {
	const token = await service.adminToken();
	const document = readFileSync(join(import.meta.dirname, "../../examples", name), "utf8");
	const { status, body } = await service.call("POST", "/api/v1/config/apply", { token, body: { document } });
	assert.equal(status, 200, JSON.stringify(body));
	assert.equal(body.data.stopped, undefined);
	const again = await service.call("POST", "/api/v1/config/plan", { token, body: { document } });
	assert.deepEqual(again.body.data.changes, []);
	const applications = (await service.call("GET", "/api/v1/applications?page_size=100", { token })).body.data;
	return {
		ids: Object.fromEntries(applications.map(({ slug, id }) => [slug, id])),
		secrets: Object.fromEntries(body.data.secrets.map(({ place, secret }) => [place, secret])),
		token,
	};
}

describe("examples/company.yaml", () => {
	const service = openIdService();

	it("lets a member of Support sign in as an agent, whom a signed call finds", async () => {
		const { ids, token } = await applyExample(service, "company.yaml");
		const [support] = (await service.call("GET", "/api/v1/groups?q=Support", { token })).body.data;
		const ada = await addPerson(service, "ada");
		await service.asAdmin("PUT", `/api/v1/groups/${support?.id}/members/${ada.id}`, {});
		const { browser, token: session } = await signedInBrowser(service, ada);
		const signIn = async (slug: string) => {
			const app = { id: ids[slug] as string, secret: "" };
			const party = await relyingParty(service, app, client.None());
			const redirect_uri = `https://${slug}.example.com/callback`;
			return (await obtainTokens(party, browser, session, { redirect_uri })).claims();
		};
		assert.deepEqual((await signIn("tickets"))?.roles, ["agent"]);

		const partner = await addApiClient(service, { app_id: ids.tickets, scopes: ["access:check"] });
		const check = async (permission: string) =>
			(
				await service.signed(partner, "POST", "/api/v1/external/users/check-access", {
					body: { user_id: ada.id, permission },
				})
			).body.data.allowed;
		assert.deepEqual([await check("tickets:close"), await check("invoices:read")], [true, false]);
	});
});

describe("examples/mcp-fleet.yaml", () => {
	const service = openIdService();

	it("lets the gateway call a server for the person who signed in, which a signed call shows", async () => {
		const { ids, secrets } = await applyExample(service, "mcp-fleet.yaml");
		const [gateway, files] = ["https://gateway.mcp.example.com", "https://files.mcp.example.com"];
		const ada = await addPerson(service, "ada");
		const { body } = await service.callAsAdmin("GET", `/api/v1/applications/${ids.files}/roles`);
		await putGrant(service, ids.files as string, ada.id, [body.data[0]?.id ?? ""]);

		const agent = await connect(
			service,
			{ firstParty: true, allowedResources: [gateway] },
			{ name: "Agent" },
		);
		const { browser, token: session } = await signedInBrowser(service, ada);
		const party = await relyingParty(service, agent);
		const asked = await startAuthorization(party, { resource: gateway, scope: "openid" });
		const returned = await completeAuthorization(browser, asked.url, session);
		const checks = {
			pkceCodeVerifier: asked.verifier,
			expectedState: asked.state,
			expectedNonce: asked.nonce,
		};
		const { access_token: subject } = await client.authorizationCodeGrant(party, returned, checks, {
			resource: gateway,
		});

		const secretOf = (slug: string) => ({
			id: ids[slug] as string,
			secret: secrets[`applications.${slug}.oauth_client`] as string,
		});
		const exchanged = await client.genericGrantRequest(
			await relyingParty(service, secretOf("gateway")),
			EXCHANGE,
			{ subject_token: subject, subject_token_type: TOKEN_TYPE, resource: files, scope: "files:read" },
		);
		const server = await relyingParty(service, secretOf("files"));
		const known = await client.tokenIntrospection(server, exchanged.access_token);
		assert.deepEqual([known.active, known.sub, known.scope], [true, ada.id, "files:read"]);
		await assert.rejects(
			client.genericGrantRequest(await relyingParty(service, secretOf("calendar")), EXCHANGE, {
				subject_token: subject,
				subject_token_type: TOKEN_TYPE,
				resource: files,
				scope: "files:read",
			}),
		);

		const partner = await addApiClient(service, { app_id: ids.files });
		const whoami = await service.signed(partner, "GET", "/api/v1/external/whoami", {});
		assert.deepEqual([whoami.status, whoami.body.data.client.app_id], [200, ids.files]);
	});
});
