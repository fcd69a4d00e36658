// `/console/clients`: API clients and their credentials.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { programsIn } from "../../scripts/pages/guide-code.ts";
import { readDocument } from "../docs/document.ts";
import { withSecret } from "../harness/access/applications.ts";
import { addOwnKey, type KeyPair, newKey, withKey } from "../harness/access/partner-keys.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import {
	assertAccessible,
	fitsEveryWidth,
	noAxeViolations,
	PAGES_URL,
	tabAndPress,
} from "../harness/browser/pages.ts";
import { until } from "../harness/databases/ledger.ts";
import { addPerson } from "../harness/people/people.ts";
import { ADMIN, type Credentials } from "../harness/service/service.ts";

const CLIENTS = "/api/v1/api-clients";
const WHOAMI = "/api/v1/external/whoami";
const HOSTILE = `<img src=x onerror="alert(1)">`;
const RIGHT_TO_LEFT = "نظام الفوترة";
const WIDE = { viewport: { width: 1280, height: 800 } };

describePages("/console/clients", (pages) => {
	let token: string;
	let appId: string;
	before(async () => {
		token = await pages.service.adminToken();
		appId = await addApplication("Order Portal");
	});

	const addApplication = async (name: string): Promise<string> =>
		(await pages.service.call("POST", "/api/v1/applications", { token, body: { name } })).body.data.id;
	const addClient = async (
		name: string,
		fields: Readonly<Record<string, unknown>> = {},
	): Promise<Credentials & { readonly id: string }> => {
		const body = { app_id: appId, name, ...fields };
		return withSecret((await pages.service.call("POST", CLIENTS, { token, body })).body.data);
	};
	const readClient = async (id: string) =>
		(await pages.service.call("GET", `${CLIENTS}/${id}`, { token })).body.data;
	/** Waits for refused calls, which the service writes every few seconds. */
	const untilRefused = (id: string, count: number): Promise<void> =>
		until(`${count} refused calls`, async () => {
			const { body } = await pages.service.call("GET", `/api/v1/refusals?api_client_id=${id}`, { token });
			return body.total >= count;
		});
	const openClient = (id: string, options = {}) =>
		pages.openAs(ADMIN, `/console/clients/${id}`, { ...WIDE, ...options });
	const tab = (page: Page, name: string) => page.getByRole("tab", { name }).click();

	test("creates a client by keyboard, and shows its Secret once", async () => {
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/clients", WIDE);
		await page.getByRole("heading", { level: 1, name: "API clients" }).waitFor();
		await tabAndPress(page, "Create client");
		await page.getByRole("radio", { name: "Order Portal" }).waitFor();
		await page.keyboard.type("Warehouse sync");
		await page.keyboard.press("Enter");
		await page.getByText("Choose an application.").waitFor();
		await tabAndPress(page, "Order Portal", "Space");
		await noAxeViolations(page);
		await tabAndPress(page, "Create client");
		const dialog = page.getByRole("dialog", { name: "The client was created" });
		await dialog.waitFor();
		const secret = await dialog.getByText(/^sk_/).textContent();
		const saved = page.waitForEvent("download");
		await dialog.getByRole("button", { name: "Save as file" }).click();
		const file = await (await saved).path();
		assert.match(await readFile(file, "utf8"), new RegExp(`^LK_SECRET=${secret}$`, "m"));
		await page.keyboard.press("Escape");
		await dialog.getByRole("checkbox", { name: "I have stored the Secret" }).check();
		await dialog.getByRole("button", { name: "Done" }).click();
		await page.getByRole("heading", { level: 1, name: "Warehouse sync" }).waitFor();
		assert.equal(await page.getByText(secret ?? "").count(), 0);
		noTroubles();
	});

	test("finds clients, and keeps the search in the URL", async () => {
		for (const name of ["Alpha", "Beta"]) await addClient(name);
		const { page } = await pages.openAs(ADMIN, "/console/clients?q=alp", WIDE);
		await page.getByRole("link", { name: "Alpha" }).waitFor();
		assert.equal(await page.getByRole("link", { name: "Beta" }).count(), 0);
		await page.getByRole("searchbox").fill("bet");
		await page.getByRole("link", { name: "Beta" }).waitFor();
		await page.waitForURL(`${PAGES_URL}/console/clients?q=bet`);
		await page.getByLabel("Status").selectOption("disabled");
		await page.getByText("No clients match").waitFor();
	});

	test("sorts on a phone, where the headers are hidden", async () => {
		const names = ["Sorted Zulu", "Sorted Alpha"];
		for (const name of names) await addClient(name);
		const phone = { viewport: { width: 390, height: 844 } };
		const { page } = await pages.openAs(ADMIN, "/console/clients?q=sorted", phone);
		const rows = page.getByRole("rowheader");
		const order = page.getByLabel("Sort", { exact: true });
		await rows.first().waitFor();
		assert.equal(await order.inputValue(), "refused_24h");
		await order.selectOption({ label: "Name, A to Z" });
		await page.waitForURL(`${PAGES_URL}/console/clients?q=sorted&sort=name`);
		await rows.nth(0).getByText("Sorted Alpha").waitFor();
		await order.selectOption({ label: "Newest first" });
		await page.waitForURL(`${PAGES_URL}/console/clients?q=sorted&sort=newest`);
		await rows.nth(1).getByText("Sorted Zulu").waitFor();
		await assertAccessible(page);
		await fitsEveryWidth(page);
	});

	test("counts calls by result, explains refused calls by reason, and an invalid signature", async () => {
		const { service } = pages;
		const client = await addClient("Refused", { scopes: [] });
		for (let count = 0; count < 3; count++)
			await service.signed({ ...client, secret: `${client.secret}x` }, "GET", WHOAMI);
		await service.signed(client, "GET", `/api/v1/external/users/${client.id}`);
		await service.signed(client, "GET", WHOAMI);
		await untilRefused(client.id, 4);
		await until("the calls are counted", async () => {
			const { body } = await pages.service.call("GET", `${CLIENTS}/${client.id}/stats`, { token });
			// The hour may turn between two calls.
			const counts = body.data.steps.map(({ refused }) => refused["signature.invalid"] ?? 0);
			return counts.reduce((sum, count) => sum + count, 0) === 3;
		});
		const { page, noTroubles } = await openClient(client.id);
		await page.getByText("Accepted: 1 · Refused: 4").waitFor();
		await page.getByRole("group", { name: /^Calls/ }).focus();
		await page.keyboard.press("End");
		await page.getByRole("status").getByText("Accepted 1 · Refused 4").waitFor();
		await page.getByText("signature.invalid · 3").waitFor();
		const reason = page.locator("summary", { hasText: "The signature does not match" });
		await reason.waitFor();
		assert.match((await reason.textContent()) ?? "", /^3/);
		await page.locator("summary", { hasText: "A scope is missing" }).click();
		await page.getByText("Add the scope if the caller needs it.").waitFor();
		await reason.click();
		await page.getByText("3 calls did not prove their caller").waitFor();
		await assertAccessible(page);
		await page
			.getByRole("button", { name: /^Actions for/ })
			.last()
			.click();
		await page.getByRole("menuitem", { name: "Explain the signature" }).click();
		assert.equal(await page.getByLabel("Path and query").inputValue(), WHOAMI);
		await page.getByLabel("Headers").fill(`X-API-Key: ${client.api_key}`);
		await page.getByRole("button", { name: "Explain", exact: true }).click();
		await page.getByText("The request is refused").waitFor();
		await page
			.getByText(/X-Tenant-ID/)
			.first()
			.waitFor();
		await assertAccessible(page);
		noTroubles();
	});

	test("shows a first call with the package and the client's values, but never its Secret", async () => {
		const client = await addClient("Connected");
		const auditor = await addPerson(pages.service, "connect-auditor", { roles: ["auditor"] });
		for (const user of [ADMIN, auditor]) {
			const { page, noTroubles } = await pages.openAs(user, `/console/clients/${client.id}#connect`);
			await page.getByText(`LK_API_KEY=${client.api_key}`).waitFor();
			const programs = programsIn(readDocument("docs/signing.md"));
			for (const [language, label] of [
				["js-package", "Node.js"],
				["python-package", "Python"],
				["go-package", "Go"],
			] as const) {
				await page.getByLabel("Signed call in a programming language").selectOption({ label });
				const { code = "missing", install = "missing" } = programs[language] ?? {};
				const shown = (await page.locator("pre").allTextContents()).map((text) => text.trimEnd());
				assert.deepEqual(shown, [
					[
						`LK_BASE_URL=${PAGES_URL}`,
						`LK_TENANT_ID=${client.tenant_id}`,
						`LK_APP_ID=${client.app_id}`,
						`LK_API_KEY=${client.api_key}`,
						"LK_SECRET=sk_…",
					].join("\n"),
					install.replaceAll("https://auth.example.com", PAGES_URL),
					code,
				]);
			}
			assert.ok(!(await page.content()).includes(client.secret));
			await assertAccessible(page);
			noTroubles();
		}
	});

	test("shows what an allowlist covers and which recent callers it would refuse", async () => {
		const client = await addClient("Listed");
		assert.equal((await pages.service.signed(client, "GET", WHOAMI)).status, 200);
		await until("the last use is written", async () => (await readClient(client.id)).last_used_at !== null);
		const { page, context, noTroubles } = await openClient(client.id);
		await tab(page, "Allowed addresses");
		const entry = (row: number) => page.getByLabel(`Addresses and ranges, row ${row}`);
		await entry(1).focus();
		const pasted = "203.0.113.0/24, 203.0.113.7 10.0.0.1/8\n::ffff:10.0.0.0/104";
		await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: PAGES_URL });
		await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pasted)})`);
		await page.keyboard.press("ControlOrMeta+V");
		const rows = page.getByRole("group", { name: /^Addresses and ranges/ }).locator(".lk-rows__row");
		await rows.nth(3).waitFor();
		assert.deepEqual(
			(await rows.allTextContents()).map((text) => text.replace(/^.*row \d/, "")),
			[
				"IPv4256 addresses203.0.113.0 – 203.0.113.255",
				"IPv41 addressAlready covered by 203.0.113.0/24",
				"Host bits are set. The range is 10.0.0.0/8.",
				"10.0.0.0/8IPv416,777,216 addresses10.0.0.0 – 10.255.255.255",
			],
		);
		await page.getByText("The one known address would be refused.").waitFor();
		await assertAccessible(page);
		for (const row of [4, 3]) await page.getByRole("button", { name: `Remove row ${row}` }).click();
		await entry(1).fill("127.0.0.0/8");
		await entry(2).fill("2001:db8::/32");
		await page.getByText("The one known address is allowed.").waitFor();
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("The changes were saved.").waitFor();
		assert.deepEqual((await readClient(client.id)).ip_allowlist, ["127.0.0.0/8", "2001:db8::/32"]);

		// Another administrator shortens the list, which this one does not change.
		const ip_allowlist = ["127.0.0.1"];
		await pages.service.asAdmin("PATCH", `${CLIENTS}/${client.id}`, { ip_allowlist });
		await page.getByRole("radio", { name: "Report only" }).check();
		await page.getByRole("button", { name: "Save" }).click();
		await page.locator(".lk-save-bar").waitFor({ state: "detached" });
		const { ip_allowlist: stored, ip_allowlist_mode: mode } = await readClient(client.id);
		assert.deepEqual([stored, mode], [ip_allowlist, "report"]);
		noTroubles(/412/);
	});

	test("regenerates the Secret with an overlap, changes scopes and expiry, disables, and deletes by name", async () => {
		const { service } = pages;
		const client = await addClient("Managed");
		const { page, noTroubles } = await openClient(client.id);
		await page.getByRole("button", { name: "Rotate Secret" }).click();
		await page.getByRole("button", { name: "Rotate", exact: true }).click();
		await page.getByRole("checkbox", { name: "I have stored the Secret" }).check();
		const secret = (await page.getByText(/^sk_/).textContent()) ?? "";
		await page.getByRole("button", { name: "Done" }).click();
		await page.getByText(/^Valid until/).waitFor();
		for (const valid of [client.secret, secret])
			assert.equal((await service.signed({ ...client, secret: valid }, "GET", WHOAMI)).status, 200);

		await tab(page, "Settings");
		await page.getByRole("checkbox", { name: "Find users by linked account" }).uncheck();
		await page.getByLabel("Expires").selectOption("90");
		await noAxeViolations(page);
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("The changes were saved.").waitFor();
		const changed = await readClient(client.id);
		assert.deepEqual(changed.scopes, ["users:read", "access:check"]);
		const days = (new Date(changed.expires_at ?? 0).getTime() - Date.now()) / 86_400_000;
		assert.ok(days > 89 && days < 92, `${days} days`);

		for (const [action, status] of [
			["Disable", "disabled"],
			["Delete", undefined],
		] as const) {
			await page.getByRole("button", { name: "More actions for Managed" }).click();
			await page.getByRole("menuitem", { name: action }).click();
			const dialog = page.getByRole("dialog");
			assert.ok(await dialog.getByRole("button", { name: action }).isDisabled());
			await dialog.getByRole("textbox").fill("Managed");
			await dialog.getByRole("button", { name: action }).click();
			await dialog.waitFor({ state: "detached" });
			if (status !== undefined) assert.equal((await readClient(client.id)).status, status);
		}
		await page.waitForURL(`${PAGES_URL}/console/clients`);
		assert.equal((await service.call("GET", `${CLIENTS}/${client.id}`, { token })).status, 404);
		noTroubles();
	});

	test("creates a client with a public key, then adds, removes, and accepts keys", async () => {
		const { service } = pages;
		const [first, second, third] = [newKey(), newKey(), newKey()];
		const { page, noTroubles } = await pages.openAs(ADMIN, "/console/clients", WIDE);
		await page.getByRole("button", { name: "Create client" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.locator("[name=name]").fill("Signs with keys");
		await dialog.getByRole("radio", { name: "Order Portal" }).check();
		await dialog.getByRole("radio", { name: "Public key" }).check();
		const typed = dialog.getByRole("textbox", { name: "Public key" });
		await typed.fill("ssh-ed25519 AAAA");
		await dialog.getByRole("button", { name: "Create client" }).click();
		await dialog.getByText("Paste a JSON Web Key, or an Ed25519 public key in PEM.").waitFor();
		await noAxeViolations(page);
		await typed.fill(JSON.stringify(first.public_key));
		await dialog.getByRole("button", { name: "Create client" }).click();
		await page.getByRole("heading", { level: 1, name: "Signs with keys" }).waitFor();
		await page.getByText("None: the client signs with a key").waitFor();
		assert.equal(await page.getByRole("button", { name: "Rotate Secret" }).count(), 0);
		const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
		const client = { ...(await readClient(id)), secret: "", privateKey: first.privateKey };
		assert.equal((await service.signed(client, "GET", WHOAMI)).status, 200);

		const keys = page.locator(".lk-client__keys > li");
		const add = async ({ public_key }: KeyPair) => {
			await page.getByRole("button", { name: "Add key" }).click();
			await dialog.getByRole("textbox", { name: "Public key" }).fill(JSON.stringify(public_key));
			await dialog.getByRole("button", { name: "Add key" }).click();
		};
		await add(first);
		await dialog.getByText("the API client already has this key").waitFor();
		await page.keyboard.press("Escape");
		await add(second);
		await keys.nth(1).waitFor();
		await keys.nth(1).getByRole("link").waitFor();
		await add(third);
		await dialog.getByText("an API client has at most 2 keys").waitFor();
		await page.keyboard.press("Escape");
		const remove = async (row: number) => {
			await keys.nth(row).getByRole("button", { name: "Remove" }).click();
			await dialog.getByRole("button", { name: "Remove" }).click();
		};
		await remove(0);
		await dialog.waitFor({ state: "detached" });
		assert.equal((await service.signed(client, "GET", WHOAMI)).status, 401);
		await remove(0);
		await dialog.getByText("this is the last key of the API client").waitFor();
		await page.keyboard.press("Escape");

		await addOwnKey(service, withKey(client, second));
		await page.reload();
		const unreviewed = keys.filter({ hasText: "Not reviewed" });
		await unreviewed.getByText("by the partner").waitFor();
		await assertAccessible(page);
		await unreviewed.getByRole("button", { name: "Accept" }).click();
		await dialog.getByRole("button", { name: "Accept" }).click();
		await unreviewed.waitFor({ state: "detached" });
		await tab(page, "Connect");
		await page.getByText("LK_PRIVATE_KEY_FILE=latchkey.pem").first().waitFor();
		const { code = "missing" } = programsIn(readDocument("docs/signing.md"), "key")["js-package"] ?? {};
		await page.locator("pre", { hasText: code }).waitFor();
		assert.equal(await page.getByText("LK_SECRET").count(), 0);
		noTroubles(/ status of 409 /);
	});

	test("adds the first key of a client, which replaces its Secret after the chosen time", async () => {
		const client = await addClient("Leaves its Secret");
		const { page, noTroubles } = await openClient(client.id, { locale: "zh-CN" });
		await page.getByRole("button", { name: "添加密钥" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByRole("textbox", { name: "公钥" }).fill(JSON.stringify(newKey().public_key));
		await dialog.getByRole("radio", { name: "1 小时" }).check();
		await noAxeViolations(page);
		await dialog.getByRole("button", { name: "添加密钥" }).click();
		await page.getByText("无：该客户端使用密钥签名").waitFor();
		await page.getByText("上一个 Secret").waitFor();
		assert.equal((await pages.service.signed(client, "GET", WHOAMI)).status, 200);
		assert.equal(await page.getByRole("button", { name: "更换 Secret" }).count(), 0);
		await fitsEveryWidth(page);
		noTroubles();
	});

	test("shows hostile and right-to-left names on a phone in Chinese, and offers auditors no changes", async () => {
		for (const name of [HOSTILE, RIGHT_TO_LEFT, "W".repeat(200)]) await addClient(name);
		const auditor = await addPerson(pages.service, "audrey", { roles: ["auditor"] });
		const { page, noTroubles } = await pages.openAs(auditor, "/console/clients", {
			...WIDE,
			locale: "zh-CN",
		});
		await page.getByRole("heading", { level: 1, name: "API 客户端" }).waitFor();
		await page.getByRole("link", { name: HOSTILE }).waitFor();
		assert.equal(await page.getByRole("button", { name: "创建客户端" }).count(), 0);
		await assertAccessible(page);
		await page.getByRole("link", { name: RIGHT_TO_LEFT }).click();
		await page.getByRole("heading", { level: 1, name: RIGHT_TO_LEFT }).waitFor();
		await page.getByText("最近 30 天没有被拒绝的调用。").waitFor();
		assert.deepEqual(await page.getByRole("tab").allTextContents(), ["概览", "接入"]);
		assert.equal(await page.getByRole("button", { name: "更换 Secret" }).count(), 0);
		await fitsEveryWidth(page);
		noTroubles();
	});
});
