// `/console/refusals`: why a call was refused, found by its request ID, also with the palette.

import { test } from "node:test";
import { addApiClient, addApplication } from "../harness/access/applications.ts";
import { ask } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, PAGES_URL } from "../harness/browser/pages.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";
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
