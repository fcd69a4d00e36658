// `/console/refusals`: why a call was refused, found by its request ID, also with the palette.

import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, mailedLinks, submit } from "../harness/access/access-requests.ts";
import { addApiClient, addApplication } from "../harness/access/applications.ts";
import { ask } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, noAxeViolations, PAGES_URL } from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson, withDatabase } from "../harness/people/people.ts";
import { ADMIN, type Credentials } from "../harness/service/service.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

describePages("/console/refusals", (pages) => {
	/** @returns the request ID of the refused call. */
	async function written(response: { readonly headers: Record<string, unknown> }): Promise<string> {
		const id = String(response.headers["latchkey-request-id"] ?? response.headers["x-request-id"]);
		await eventually(
			() => pages.service.asAdmin("GET", `/api/v1/refusals?request_id=${encodeURIComponent(id)}`),
			(refusals) => refusals.length > 0,
		);
		return id;
	}

	test("explains a call by its request ID, found with the palette, and links to its record", async () => {
		const { service } = pages;
		const client = await addApiClient(service, { name: "Till <b>7</b>" });
		const wrong = { ...client, secret: `${client.secret}x` };
		const id = await written(await service.signed(wrong, "GET", "/api/v1/external/whoami"));
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console");
		await page.getByRole("heading", { level: 1 }).waitFor();
		await page.keyboard.press("Control+K");
		await page.getByRole("combobox", { name: "Find anything" }).fill(id);
		await page
			.getByRole("option", { name: `${id} signature.invalid Refused calls`, selected: true })
			.waitFor();
		await page.keyboard.press("Enter");
		await page.waitForURL(`${PAGES_URL}/console/refusals?request_id=${encodeURIComponent(id)}`);
		await page.getByRole("heading", { level: 1, name: "Why was it refused?" }).waitFor();
		await page.getByText("The signature does not match").first().waitFor();
		await page.getByText("Use “Explain a signature”.").waitFor();
		await page.getByText("One call did not prove its caller.").waitFor();
		await assertAccessible(page);
		await page.getByRole("link", { name: "Till <b>7</b>" }).click();
		await page.waitForURL(`${PAGES_URL}/console/clients/${client.id}`);
		noTroubles();
	});

	test("offers administrators what repairs a cause, with its effect, and nothing that was repaired", async () => {
		const { service } = pages;
		const client = await addApiClient(service, { name: "Till", ip_allowlist: ["203.0.113.7"] });
		const call = () => service.signed(client, "GET", "/api/v1/external/whoami");
		const stranger = { ...client, secret: `${client.secret}x` };
		await written(await service.signed(stranger, "GET", "/api/v1/external/whoami"));
		const id = await written(await call());
		const path = `/console/refusals?request_id=${id}`;
		const auditor = await addPerson(service, "repair-auditor", { roles: ["auditor"] });
		const other = await pages.openAs(auditor, path);
		await other.page.getByText("If the address belongs to the partner").waitFor();
		assert.equal(await other.page.getByRole("button", { name: /allowlist/ }).count(), 0);

		const { page, noTroubles } = await pages.openAs(ADMIN, path);
		const add = page.getByRole("button", { name: "Add 127.0.0.1 to the allowlist · Till" });
		await add.click();
		const dialog = page.getByRole("dialog", { name: "Add 127.0.0.1 to the allowlist?" });
		await dialog.getByRole("row", { name: /^127\.0\.0\.1 Allowed/ }).waitFor();
		await assertAccessible(page);
		await page.setViewportSize({ width: 320, height: 640 });
		await noAxeViolations(page);
		assert.equal((await call()).status, 403);
		await dialog.getByRole("button", { name: "Add" }).click();
		await page.getByText("Till may call from 127.0.0.1.").first().waitFor();
		assert.equal(await add.count(), 0);
		const { ip_allowlist } = await service.asAdmin("GET", `/api/v1/api-clients/${client.id}`);
		assert.deepEqual(ip_allowlist, ["203.0.113.7", "127.0.0.1"]);
		assert.equal((await call()).status, 200);
		await page.reload();
		await add.click();
		await dialog.getByText("Till was changed after these calls").waitFor();
		noTroubles();
	});

	test("sends the link of unclaimed credentials again, and extends and enables clients", async () => {
		const { service } = pages;
		const request = await submit(service, { project_name: "Shop" });
		const shopId = String((await decide(service, request.id, "approve")).api_client_id);
		const shop = await service.asAdmin("GET", `/api/v1/api-clients/${shopId}`);
		const whoami = (client: Credentials) => service.signed(client, "GET", "/api/v1/external/whoami");
		await written(await whoami({ ...shop, secret: "sk_none" }));
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/clients/${shopId}`);
		const repair = async (button: string, submit: string) => {
			await page.getByRole("button", { name: button }).click();
			await page.getByRole("dialog").getByRole("button", { name: submit, exact: true }).click();
			await page.getByRole("dialog").waitFor({ state: "detached" });
		};
		await repair("Send the link again", "Send");
		assert.equal((await mailedLinks(service, request.email, "claim", 2)).length, 2);

		const till = await addApiClient(service, { name: "Till" });
		await withDatabase(service, ({ queries }) =>
			queries.run("UPDATE api_clients SET expires_at = 1 WHERE id = $1", till.id),
		);
		await written(await whoami(till));
		await page.goto(`${PAGES_URL}/console/clients/${till.id}`);
		await repair("Extend the expiry", "Extend");
		assert.equal((await whoami(till)).status, 200);
		await page.getByText("This client has expired").waitFor({ state: "detached" });
		await service.asAdmin("PATCH", `/api/v1/api-clients/${till.id}`, { status: "disabled" });
		await written(await whoami(till));
		await page.reload();
		await page.locator("summary", { hasText: "The client is disabled" }).click();
		await repair("Enable the client", "Enable");
		assert.equal((await whoami(till)).status, 200);
		noTroubles();
	});

	test("shows how a recognized library sends a code challenge, and where the guide has the others", async () => {
		const { service } = pages;
		const redirect_uri = "https://shop.example/oidc/callback/";
		const { id } = await addApplication(service, { name: "Django shop", redirect_uris: [redirect_uri] });
		await putOAuthClient(service, {}, id);
		const query = new URLSearchParams({
			client_id: id,
			redirect_uri,
			response_type: "code",
			scope: "openid",
			state: "s",
			nonce: "n",
		});
		const refused = await service.call("GET", `/oauth/authorize?${query}`, {
			https: true,
			headers: { host: new URL(PAGES_URL).host },
		});
		const requestId = await written(refused);
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/refusals?request_id=${requestId}`);
		await page.getByText("The redirect URI is the usual one of mozilla-django-oidc.").waitFor();
		await page.getByText("OIDC_USE_PKCE = True").waitFor();
		await assertAccessible(page);
		await page.getByRole("link", { name: "The setting of each library" }).click();
		await page.getByRole("heading", { name: "If the first sign-in is refused" }).waitFor();
		noTroubles();
	});

	test("shows auditors calls at gates, and says when nothing was found, in Chinese", async () => {
		const { service } = pages;
		const { id } = await addApplication(service, { name: "Orders" });
		const { gate_key = "" } = await addGate(service, { rules: [] }, id);
		const requestId = await written(await ask(service, { application_id: id, gate_key }, "/orders?secret=1"));
		const auditor = await addPerson(service, "reads", { roles: ["auditor"] });
		const { page, noTroubles } = await pages.openAs(auditor, "/console/refusals?subject=gate", {
			locale: "zh-CN",
		});
		await page.getByRole("heading", { level: 1, name: "为什么被拒绝？" }).waitFor();
		await page.getByText("没有匹配的规则").first().waitFor();
		await page.getByRole("row", { name: new RegExp(`网关 Orders.*GET /orders .*${requestId}`) }).waitFor();
		await page.getByRole("textbox", { name: "请求 ID" }).fill("no-such-id");
		await page.getByText("未找到被拒绝的调用").waitFor();
		await assertAccessible(page);
		noTroubles();
	});
});
