import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { MIDDLEWARE } from "../../pages/console/gate/middleware.ts";
import { packagesIn } from "../../scripts/pages/guide-code.ts";
import { readDocument } from "../docs/document.ts";
import { addApiClient, addApplication, addRole } from "../harness/access/applications.ts";
import { ask, BEHIND_PROXY } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible, PAGES_URL, tabAndPress, tabTo } from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const RULES = [
	{ path: "/admin", needs: "admin:use" },
	{ methods: ["GET"], path: "/orders/*", needs: "signed-in" },
	{ path: "/*", needs: "public" },
];

const openPart = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();

describePages(
	"/console/applications/{id}#gate",
	(pages) => {
		const addAdminRole = (id: string) => addRole(pages.service, id, "operator", ["admin:use"]);
		const gateOf = (id: string) => pages.service.asAdmin("GET", `/api/v1/applications/${id}/gate`);

		test("puts a gate in front, shows its key once, and moves rules by keyboard", async () => {
			const { service } = pages;
			const { id } = await addApplication(service, { name: "Order desk" });
			await addRole(service, id, "reader", ["orders:read"]);
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#gate`);
			await page.getByText("No gate in front of this application").waitFor();
			await assertAccessible(page);
			await tabAndPress(page, "Add gate");
			const shown = (await page.getByText(/^gk_[\w-]/).textContent()) ?? "";
			await page.getByRole("checkbox", { name: "I have saved the key" }).check();
			await page.getByRole("button", { name: "Done" }).click();
			await page.getByText("No rules yet: the gate refuses every request.").waitFor();
			assert.equal(await page.getByText(shown).count(), 0);
			assert.equal(
				(await ask(service, { application_id: id, gate_key: shown }, "/")).outcome,
				"403 gate.no_rule",
			);

			for (const [path, needs] of [
				["/*", "public"],
				["/orders/*", "orders:*"],
			] as const) {
				await tabAndPress(page, "Add rule");
				await page.keyboard.type("get");
				await page.keyboard.press("Tab");
				await page.keyboard.type(path);
				await page.keyboard.press("Tab");
				await page.keyboard.press("ControlOrMeta+a");
				await page.keyboard.type(needs);
			}
			await page.keyboard.press("Alt+ArrowUp");
			await page.getByText("It is now rule 1.").waitFor();
			await page.keyboard.press("Enter");
			// A pattern is no permission: the error is at the field of the moved rule, which has the focus.
			await page.locator('[name="rules.0.needs"][aria-invalid=true]').waitFor();
			// So is a permission that no role has.
			await page.keyboard.press("ControlOrMeta+a");
			await page.keyboard.type("orders:raed");
			await page.keyboard.press("Enter");
			await page.getByText("No role has orders:raed. Check the spelling").waitFor();
			assert.equal(await page.locator('[name="rules.0.path"]').inputValue(), "/orders/*");
			await page.keyboard.press("ControlOrMeta+a");
			await page.keyboard.type("orders:read");
			await page.keyboard.press("Enter");
			await page.getByText("The gate was saved.").waitFor();
			const get = { methods: ["GET"] };
			assert.deepEqual((await gateOf(id)).rules, [
				{ ...get, path: "/orders/*", needs: "orders:read" },
				{ ...get, path: "/*", needs: "public" },
			]);

			await tabTo(page, "Move rule 2 up");
			await page.keyboard.press("Enter");
			await page.getByText("It is now rule 1.").waitFor();
			assert.equal(await page.evaluate("document.activeElement.ariaLabel"), "Move rule 1 up");
			await page.getByRole("button", { name: "Allow CORS preflight" }).click();
			await page.getByRole("button", { name: "Remove rule 3" }).click();
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByText("The gate was saved.").waitFor();
			await eventually(
				async () => (await gateOf(id)).rules.map(({ path, methods }) => `${methods} ${path}`),
				(rules) => rules.join() === "OPTIONS /*,GET /*",
			);
			await assertAccessible(page);
			noTroubles(/ 400 /);
		});

		test("keeps what another administrator changes meanwhile, and unsaved rules when the key changes", async () => {
			const { application_id: id } = await addGate(pages.service, {
				rules: [{ path: "/*", needs: "public" }],
			});
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#gate`);
			const path = page.locator('[name="rules.0.path"]');
			await path.fill("/docs/*");
			await openPart(page, "URL and key");
			await page.getByRole("button", { name: "Rotate key…" }).click();
			const dialog = page.getByRole("dialog");
			await dialog.getByRole("button", { name: "Rotate key" }).click();
			await dialog.getByRole("checkbox", { name: "I have saved the key" }).check();
			await dialog.getByRole("button", { name: "Done" }).click();
			await dialog.waitFor({ state: "detached" });
			await openPart(page, "Rules");
			assert.equal(await path.inputValue(), "/docs/*");
			// A test of the draft leaves the version that the form was opened with.
			await page.getByText("/docs/* · public").or(page.getByText("gate.no_rule")).first().waitFor();
			const { rules } = await gateOf(id);
			await pages.service.asAdmin("PUT", `/api/v1/applications/${id}/gate`, {
				rules,
				accept: ["partner"],
				own_tokens: true,
			});
			await page.getByLabel("Origins of other pages").fill("https://a.example https://b.example");
			await page.getByRole("button", { name: "Save" }).click();
			await page.locator(".lk-save-bar").waitFor({ state: "detached" });
			const stored = await gateOf(id);
			assert.deepEqual([stored.rules[0]?.path, stored.accept], ["/docs/*", ["partner"]]);
			const origins = ["https://a.example", "https://b.example"];
			assert.deepEqual([stored.own_tokens, stored.cors_origins], [true, origins]);
			await page
				.getByRole("checkbox", { name: /^People/ })
				.and(page.locator(":not(:checked)"))
				.waitFor();
			noTroubles(/412/);
		});

		test("tests a request at each change: the rule, the decision, and the reason", async () => {
			const { service } = pages;
			const { id } = await addApplication(service, { name: "Asked", access_policy: "assigned" });
			await addAdminRole(id);
			await addGate(service, { rules: RULES }, id);
			await addApiClient(service, { app_id: id, name: "Till" });
			await addPerson(service, "gate-visitor", { display_name: "Grace Hopper" });
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#gate`);
			const target = page.getByLabel("Path", { exact: true });
			const outcome = page.locator(".lk-notice", { hasText: /The request (?:passes|is refused)/ });
			const decisive = page.locator(".lk-rules tr[aria-current=true]");

			await outcome.getByText("/* · public").waitFor();
			await decisive.getByText("Decides").waitFor();
			assert.equal(await decisive.locator('[name="rules.2.path"]').count(), 1);
			assert.equal(await page.locator("tr[data-part=passedOver]").count(), 2);
			await page.getByText("Live", { exact: true }).waitFor();

			await target.fill("/ADMIN");
			await outcome.getByText("gate.path").waitFor();
			assert.equal(await decisive.count(), 0);

			await target.fill("/orders/17");
			await page.getByLabel("Caller").selectOption({ label: "A partner" });
			await page.getByText("Choose a caller.").waitFor();
			await page.getByRole("radio", { name: "Till" }).check();
			await outcome.getByText("The caller has no access to this application.").waitFor();
			await outcome.getByText("application.access_denied").waitFor();
			await page.getByLabel("Caller").selectOption({ label: "A person" });
			await page.getByLabel("Search by name").fill("Grace");
			await page.getByRole("radio", { name: "Grace Hopper" }).check();
			await outcome.getByText("GET · /orders/* · signed-in").waitFor();
			await assertAccessible(page);
			noTroubles();
		});

		test("tests the draft: one request at a time, the latest wins, and an error loses nothing", async () => {
			const { service } = pages;
			const { application_id: id } = await addGate(service, { rules: [{ path: "/*", needs: "public" }] });
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#gate`);
			const outcome = page.locator(".lk-notice", { hasText: /The request (?:passes|is refused)/ });
			await outcome.getByText("/* · public").waitFor();
			const held: (() => void)[] = [];
			const asked: string[] = [];
			await page.route("**/gate/explain", async (route) => {
				asked.push(route.request().postDataJSON().draft.rules[0].path);
				await new Promise<void>((resolve) => held.push(resolve));
				await route.continue();
			});
			const path = page.locator('[name="rules.0.path"]');
			const responseTo = (text: string) =>
				page.waitForRequest((request) => request.postData()?.includes(`"${text}"`) === true);
			const first = responseTo("/a");
			await path.fill("/a");
			await page.getByText("Draft", { exact: true }).waitFor();
			await first;
			// Longer than the pause after which a change is tested.
			for (const text of ["/b", "/c", "/d"]) {
				await path.fill(text);
				await page.waitForTimeout(500);
			}
			assert.deepEqual(asked, ["/a"]);
			const last = responseTo("/d");
			held.shift()?.();
			await last;
			held.shift()?.();
			await outcome.getByText("gate.no_rule").waitFor();
			assert.deepEqual(asked, ["/a", "/d"]);
			await page.unroute("**/gate/explain");

			await path.fill("/d/../e");
			await page.locator('[name="rules.0.path"][aria-invalid=true]').waitFor();
			await page.getByText("The draft is not complete yet").waitFor();
			assert.equal(await page.evaluate("document.activeElement.name"), "rules.0.path");
			assert.equal(await path.inputValue(), "/d/../e");
			await path.fill("/");
			await outcome.getByText("/ · public").waitFor();
			assert.equal(await page.locator("[aria-invalid=true]").count(), 0);
			await page.getByRole("button", { name: "Discard" }).click();
			await page.getByText("Live", { exact: true }).waitFor();
			await outcome.getByText("/* · public").waitFor();
			assert.equal((await gateOf(id)).rules[0]?.path, "/*");
			noTroubles(/ 400 /);
		});

		test("offers what a rule can need, and creates a permission with the role that gets it", async () => {
			const { service } = pages;
			const { id } = await addApplication(service, { name: "Needing" });
			const reader = await addRole(service, id, "reader", ["orders:read"]);
			await addRole(service, id, "owner", ["orders:*"]);
			await addGate(service, { rules: [{ path: "/*", needs: "signed-in" }] }, id);
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#gate`);
			const needs = page.getByRole("combobox", { name: "Needs of rule 1" });
			const options = page.getByRole("listbox").getByRole("option");
			const dialog = page.getByRole("dialog");
			const offered = async () => (await options.allTextContents()).join(" | ");

			await needs.focus();
			await page.keyboard.press("ArrowDown");
			await page.getByRole("option", { name: /^orders:read/ }).waitFor();
			assert.equal(
				await offered(),
				"publicEveryone, without a proof | signed-inAny known caller who may use the application | orders:readHeld by owner and reader",
			);
			await assertAccessible(page);
			await page.keyboard.press("ArrowUp");
			await page.keyboard.press("Enter");
			assert.equal(await needs.inputValue(), "orders:read");
			assert.equal(await options.count(), 0);
			// Leaving the field keeps what the user typed, and chooses nothing.
			await needs.fill("sign");
			await page.keyboard.press("Tab");
			assert.equal(await needs.inputValue(), "sign");
			await needs.fill("orders:write");
			await options.getByText("Held by owner").waitFor();

			// Another administrator changes the role meanwhile.
			await service.asAdmin("PATCH", `/api/v1/applications/${id}/roles/${reader.id}`, {
				permissions: ["orders:read", "orders:list"],
			});
			for (const [permission, role, holders] of [
				["bills:read", "reader", ["orders:read", "orders:list", "bills:read"]],
				["bills:write", "A new role", ["bills:write"]],
			] as const) {
				await needs.fill(permission);
				await page.getByText(`No role has ${permission}`).waitFor();
				await page.getByRole("option", { name: `Create ${permission}…` }).click();
				await dialog.getByLabel("Role that gets it").selectOption({ label: role });
				if (role === "A new role") await dialog.getByLabel("Name of the role").fill("biller");
				await assertAccessible(page);
				await dialog.getByRole("button", { name: "Create permission" }).click();
				await dialog.waitFor({ state: "detached" });
				await page.locator("[aria-invalid=true]").waitFor({ state: "detached" });
				assert.equal(await needs.inputValue(), permission);
				const stored = await service.asAdmin("GET", `/api/v1/applications/${id}/roles`);
				const name = role === "A new role" ? "biller" : role;
				assert.deepEqual(stored.find((one) => one.name === name)?.permissions, holders);
			}
			assert.equal((await gateOf(id)).rules[0]?.needs, "signed-in");
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByText("The gate was saved.").waitFor();
			assert.equal((await gateOf(id)).rules[0]?.needs, "bills:write");
			noTroubles(/ 400 /);
		});

		test("fills the form from a template, and saves nothing", async () => {
			const { service } = pages;
			const { id } = await addApplication(service, { name: "Empty" });
			await addRole(service, id, "clerk", ["bills:read", "orders:read", "orders:write"]);
			await addGate(service, {}, id);
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#gate`);
			const FIELDS = "[...document.querySelectorAll('.lk-rules input:not([type=checkbox])')]";
			const draft = () => page.evaluate(`${FIELDS}.map(({ value }) => value)`);
			await page.getByText("Begin with a template").waitFor();
			await assertAccessible(page);
			for (const [template, rules] of [
				["Public read", ["GET", "/*", "public", "", "/*", "signed-in"]],
				["Signed-in only", ["", "/*", "signed-in"]],
				["Partners read, people write", ["GET", "/*", "orders:read", "", "/*", "orders:write"]],
			] as const) {
				await page.getByRole("button", { name: new RegExp(`^${template}`) }).click();
				assert.deepEqual(await draft(), rules);
				assert.equal(await page.evaluate("document.activeElement.name"), "rules.0.methods");
				assert.deepEqual((await gateOf(id)).rules, []);
				if (template !== "Partners read, people write")
					await page.getByRole("button", { name: "Discard" }).click();
			}
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByText("The gate was saved.").waitFor();
			assert.equal((await gateOf(id)).rules.length, 2);
			noTroubles();
		});

		test("replays recent requests against the draft, and names what changes and the rule", async () => {
			const { service } = pages;
			const gate = await addGate(service, { rules: [{ path: "/public/*", needs: "public" }] });
			const keyed = { application_id: gate.application_id, gate_key: gate.gate_key ?? "" };
			assert.equal((await ask(service, keyed, "/public/a?token=secret")).status, 200);
			for (const path of ["/other", "/other", "/private"]) await ask(service, keyed, path);
			await eventually(
				() => service.asAdmin("GET", `/api/v1/refusals?application_id=${gate.application_id}&subject=gate`),
				(refusals) => refusals.length === 3,
			);
			const { page, noTroubles } = await pages.openAs(
				ADMIN,
				`/console/applications/${gate.application_id}#gate`,
			);
			const card = page
				.locator("section")
				.filter({ has: page.getByRole("heading", { name: "Replay", exact: true }) });
			await card.getByText("Change a rule to see what it does").waitFor();
			await page.locator('[name="rules.0.path"]').fill("/other");
			await card.getByRole("button", { name: "Replay recent requests" }).click();
			await card.getByText("1 same, 1 now refused, 2 now allowed").waitFor();
			const listed = (await card.getByRole("listitem").allTextContents()).join(" | ");
			assert.equal(
				listed,
				"GET /otherNow allowed× 2 · unknown caller · rule 1 | GET /public/aNow refusedanyone · no rulegate.no_rule",
			);
			await assertAccessible(page);
			await page.locator('[name="rules.0.path"]').fill("/*");
			await card.getByText("The draft has changed since.").waitFor();
			await card.getByRole("button", { name: "Replay again" }).click();
			await card.getByText("1 same, 3 now allowed").waitFor();
			noTroubles();
		});

		test("shows rules and test beside each other, and all of it on one screen", async () => {
			const { application_id: id } = await addGate(pages.service, { rules: RULES });
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#gate`);
			const rules = page.locator(".lk-rules");
			const tested = page.locator(".lk-gate__test");
			const boxes = async () => [await rules.boundingBox(), await tested.boundingBox()] as const;
			for (const { width, isBeside } of [
				{ width: 1440, isBeside: true },
				{ width: 1200, isBeside: true },
				{ width: 390, isBeside: false },
			]) {
				await page.setViewportSize({ width, height: 800 });
				const [left, right] = await boxes();
				assert.ok(left && right);
				assert.equal(right.x >= left.x + left.width, isBeside, `${width}`);
				assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
				await assertAccessible(page);
			}
			await page.setViewportSize({ width: 1440, height: 900 });
			const height = await page.evaluate<number>("document.documentElement.scrollHeight");
			assert.ok(height < 1_700, `the tab is ${height} px high`);
			await page.evaluate("scrollTo(0, 10_000)");
			const [, after] = await boxes();
			assert.ok(after && after.y >= 0 && after.y < 100, "the test stays in view");
			noTroubles();
		});

		test("lists refusals, regenerates the key, and removes the gate", async () => {
			const { service } = pages;
			const { id } = await addApplication(service, { name: "Refusing" });
			await addAdminRole(id);
			const gate = await addGate(service, { rules: RULES }, id);
			const keyed = { application_id: id, gate_key: gate.gate_key ?? "" };
			await ask(service, keyed, "/admin?token=secret");
			await eventually(
				() => service.asAdmin("GET", `/api/v1/refusals?application_id=${id}&subject=gate`),
				(refusals) => JSON.stringify(refusals).includes("token.missing"),
			);
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#gate/refusals`);
			await page.locator("summary").getByText("token.missing", { exact: true }).waitFor();
			await page.getByRole("row", { name: /GET \/admin / }).waitFor();
			assert.equal(await page.getByText("token=secret").count(), 0);

			await openPart(page, "URL and key");
			await page.getByRole("button", { name: "Rotate key…" }).click();
			await page.getByRole("radio", { name: "now" }).check();
			await page.getByLabel(/to confirm/).fill("Refusing");
			await page.getByRole("button", { name: "Rotate key", exact: true }).click();
			const shown = (await page.getByText(/^gk_[\w-]/).textContent()) ?? "";
			await page.getByRole("checkbox", { name: "I have saved the key" }).check();
			await page.getByRole("button", { name: "Done" }).click();
			await page.getByText(`gk_…${shown.slice(-4)}`).waitFor();
			assert.equal((await ask(service, keyed, "/")).outcome, "401 gate.key");
			assert.equal((await ask(service, { ...keyed, gate_key: shown }, "/")).outcome, "200 public");

			await page.getByRole("button", { name: "Remove gate…" }).click();
			await page.getByLabel(/to confirm/).fill("Refusing");
			await page.getByRole("button", { name: "Remove gate", exact: true }).click();
			await page.getByText("No gate in front of this application").waitFor();
			noTroubles(/ 404 /);
		});

		test("shows the middleware of each framework as the guide does, and the file of each proxy", async () => {
			const { service } = pages;
			const { id } = await addApplication(service, { name: "Connected" });
			const gate = await addGate(service, { rules: [] }, id);
			const { page, noTroubles } = await pages.openAs(ADMIN, `/console/applications/${id}#gate/connect`);
			const card = page.locator("section").filter({ has: page.getByRole("heading", { name: /^Connect / }) });
			const code = async () => (await card.locator("pre").allTextContents()).map((text) => text.trimEnd());
			const { files, packages, variables } = packagesIn(readDocument("docs/packages.md"));
			const own = (text = "missing") =>
				text.replaceAll("https://auth.example.com", PAGES_URL).replaceAll("LK_APP_ID=…", `LK_APP_ID=${id}`);
			await card.getByRole("heading", { name: "Connect your API" }).waitFor();
			await assertAccessible(page);
			for (const { label, package: name, files: shown, anchor } of MIDDLEWARE) {
				await card.getByRole("button", { name: new RegExp(`^${label}`) }).click();
				const guide = card.getByRole("link", { name: `the guide for ${label}` });
				assert.equal(await guide.getAttribute("href"), `/docs/packages#${anchor}`);
				assert.deepEqual(
					await code(),
					[packages[name]?.install, ...shown.map((file) => files[file]), variables].map(own),
				);
				await card.getByRole("button", { name: "Change" }).click();
			}
			const proxies = { nginx: 1, Caddy: 1, HAProxy: 2, Traefik: 1, Envoy: 1, Kong: 1 };
			for (const [proxy, count] of Object.entries(proxies)) {
				await tabAndPress(page, new RegExp(`^${proxy}`));
				await card.getByText(`/gate/${id}`).first().waitFor();
				assert.equal((await code()).length, count, proxy);
				const isUntested = ["Traefik", "Envoy", "Kong"].includes(proxy);
				assert.equal(await card.getByText("# Untested.").count(), isUntested ? 1 : 0, proxy);
				assert.equal(await page.evaluate("document.activeElement.textContent"), "Change");
				await assertAccessible(page);
				await page.keyboard.press("Enter");
			}
			assert.equal(await page.getByText("APPLICATION_ID").count(), 0);
			assert.ok(!(await page.content()).includes(gate.gate_key ?? "missing"));
			noTroubles();
		});

		test("is read-only for auditors, in Chinese too", async () => {
			const { service } = pages;
			const { id } = await addApplication(service, { name: "Audited" });
			await addAdminRole(id);
			await addGate(service, { rules: RULES }, id);
			const auditor = await addPerson(service, "gate-auditor", { roles: ["auditor"] });
			const { page, noTroubles } = await pages.openAs(auditor, `/console/applications/${id}#gate`, {
				locale: "zh-CN",
			});
			await page.getByRole("row", { name: "2 GET /orders/* signed-in" }).waitFor();
			for (const name of ["保存", "添加规则", "重新生成密钥…", "移除网关…"])
				assert.equal(await page.getByRole("button", { name }).count(), 0, name);
			await page.getByText("请求通过").waitFor();
			await page.getByText("线上").waitFor();
			await assertAccessible(page);
			noTroubles();
		});
	},
	() => BEHIND_PROXY,
);
