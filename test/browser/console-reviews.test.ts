// The screen of a review: every item is decided with one key, and a partner's reply by a link.

import assert from "node:assert/strict";
import { test } from "node:test";
import { submitApproved } from "../harness/access/access-requests.ts";
import { addApplication } from "../harness/access/applications.ts";
import { addReview, itemsOf, REVIEWS, runReviewJob } from "../harness/access/reviews.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible } from "../harness/browser/pages.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { ADMIN, type TestService } from "../harness/service/service.ts";

const ITEMS = atDepth({ quick: 200, all: 200, long: 1_000 });
/** Ten pages of 100, each at most with two kinds, three keys each; and ten single decisions. */
const KEYS_MAX = 50;

/** Of three kinds: never used, unused for 90 days, and in use. */
async function addPartners(service: TestService, tenantId: string, appId: string): Promise<void> {
	const engine = await service.openDatabase();
	const now = service.clock.now();
	const old = now - 200 * 86_400_000;
	await engine.queries.run(
		`INSERT INTO api_clients (id, tenant_id, app_id, mode, name, name_folded, api_key, secret_hint, status, scopes,
			ip_allowlist, ip_allowlist_mode, last_used_ip, last_used_at, created_at, updated_at)
		 WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ITEMS})
		 SELECT '01900000-0000-7000-8000-' || CAST(100000000000 + n AS TEXT), CAST($1 AS TEXT), CAST($2 AS TEXT), 'live',
			'Partner ' || n, 'partner ' || n, 'key-' || n, '', 'active', '[]', '[]', 'enforce', '',
			CASE WHEN n % 10 < 3 THEN NULL WHEN n % 10 < 6 THEN ${old} ELSE ${now} END, ${old}, ${old}
		 FROM numbers`,
		tenantId,
		appId,
	);
	await engine.close();
}

describePages("the screen of a review", (pages) => {
	test(`decides ${ITEMS} items in few keys: one for one item, three for all of a kind on a page`, async (t) => {
		const { service } = pages;
		const { id: app_id, tenant_id } = await addApplication(service);
		await addPartners(service, tenant_id, app_id);
		const review = await addReview(service, { subject: "partners", app_id });
		const { page, troubles } = await pages.openAs(ADMIN, `/console/reviews/${review.id}`);
		const decided = (count: number) =>
			page.getByText(`${count.toLocaleString("en")} of ${ITEMS.toLocaleString("en")} decided`).waitFor();
		const items = page.locator(".lk-review__items > li");
		const ready = () => page.locator(".lk-review__items > li:not([aria-busy] *)").first().waitFor();
		await decided(0);
		await assertAccessible(page);
		await page.getByLabel("Rows per page").selectOption("100");
		await items.nth(99).waitFor();
		let keys = 0;
		const press = async (key: string) => {
			keys += 1;
			await page.keyboard.press(key);
		};
		let count = 0;
		let slowestMs = 0;
		for (; count < 10; count++) {
			const began = performance.now();
			await press(count % 2 === 0 ? "k" : "e");
			await decided(count + 1);
			slowestMs = Math.max(slowestMs, performance.now() - began);
		}
		const began = performance.now();
		const bar = page.getByRole("region", { name: "Selected rows" });
		while (count < ITEMS) {
			await ready();
			assert.ok((await items.count()) <= 100, "one page is in the document");
			await press("a");
			count += Number.parseInt(String(await bar.locator("b").textContent()), 10);
			await press(count > ITEMS / 2 ? "k" : "e");
			await page.locator("dialog [type=submit]:focus").waitFor();
			await press("Enter");
			await page.getByRole("dialog").waitFor({ state: "detached" });
			await decided(count);
		}
		const inAllMs = performance.now() - began;
		await page.getByText("Everything is decided.").waitFor();
		t.diagnostic(
			`${keys} keys; slowest single decision ${slowestMs.toFixed(0)} ms; ${ITEMS - 10} in bulk ${inAllMs.toFixed(0)} ms`,
		);
		assert.ok(keys <= KEYS_MAX, `${keys} keys`);
		const { kept, ended, open } = await service.asAdmin("GET", `${REVIEWS}/${review.id}`);
		assert.deepEqual([kept + ended, open], [ITEMS, 0]);
		await page.getByRole("button", { name: "Close review" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Close review" }).click();
		await page
			.getByText("Closed", { exact: true })
			.or(page.getByText("Closing", { exact: true }))
			.waitFor();
		assert.deepEqual(troubles, []);
	});

	test("is in Chinese, and begins from the list", async () => {
		const { page } = await pages.openAs(ADMIN, "/console/reviews", { locale: "zh-CN" });
		await page.getByRole("button", { name: "开始审查" }).click();
		const dialog = page.getByRole("dialog");
		await dialog.getByRole("textbox", { name: "名称" }).fill("Autumn");
		await assertAccessible(page);
		await dialog.getByRole("button", { name: "开始审查" }).click();
		await page.getByRole("heading", { name: "Autumn" }).waitFor();
		await assertAccessible(page);
	});

	test("shows what a partner replied by the link of the mail", async () => {
		const { service } = pages;
		const { email, api_client_id } = await submitApproved(service);
		await service.mailsTo(email, 2);
		const due_at = new Date(service.clock.now() + 2 * 86_400_000).toISOString();
		const { id } = await addReview(service, { subject: "partners", due_at });
		await runReviewJob(service);
		const link = /\/still-needed#[\w-]+/.exec((await service.mailsTo(email, 3)).at(-1)?.text ?? "")?.[0];
		const { page } = await pages.open(link ?? "");
		await page.getByRole("radio", { name: /no longer needed/ }).check();
		await assertAccessible(page);
		await page.getByRole("button", { name: "Send answer" }).click();
		await page.getByRole("heading", { name: "Thank you" }).waitFor();
		const item = (await itemsOf(service, id)).find(({ subject_id }) => subject_id === api_client_id);
		assert.equal(item?.partner_answer, "not_needed");
		await service.asAdmin("POST", `${REVIEWS}/${id}/close`);
	});
});
