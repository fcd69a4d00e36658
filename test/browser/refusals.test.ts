// API errors are shown in the language of the reader, with the original text available.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addGroup } from "../harness/access/groups.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { noAxeViolations } from "../harness/browser/pages.ts";
import { addPerson } from "../harness/people/people.ts";
import { ADMIN } from "../harness/service/service.ts";

const CHINESE = { locale: "zh-CN" };

describePages("an API error in Chinese", (pages) => {
	test("is shown by its code, and expands to the text of the API", async () => {
		await addGroup(pages.service, [], { name: "Night shift" });
		const { page } = await pages.openAs(ADMIN, "/console/groups", CHINESE);
		await page.getByRole("button", { name: "添加群组" }).click();
		await page.locator("dialog input[name=name]").fill("Night shift");
		await page.keyboard.press("Enter");
		await page.getByText("已被其他群组使用").waitFor();
		await page.goto(page.url().replace("/groups", "/people/00000000-0000-7000-8000-000000000000"));
		const notice = page.getByRole("alert").filter({ hasText: "该人员不存在。" });
		await notice.waitFor();
		assert.equal(await notice.getByText("no such user").isVisible(), false);
		await notice.getByText("API 原文").click();
		await notice.getByText("no such user").waitFor();
		await noAxeViolations(page);
	});

	test("is shown on the sign-in page", async () => {
		const { page } = await pages.open("/sign-in", CHINESE);
		await page.getByLabel("用户名").fill("nobody.here");
		await page.getByLabel("密码", { exact: true }).fill("wrong password 1");
		await page.keyboard.press("Enter");
		await page.getByText("用户名或密码错误。").waitFor();
	});

	test("uses the language of the user, not of the browser, like the audit trail", async () => {
		const auditor = await addPerson(pages.service, "reads.only", { roles: ["auditor"], locale: "zh-CN" });
		const { page } = await pages.openAs(auditor, "/console/audit");
		await page.getByRole("heading", { level: 1, name: "审计日志" }).waitFor();
		await page
			.getByText("root（命令行）")
			.or(page.getByText(/添加了人员 reads\.only/))
			.first()
			.waitFor();
	});

	test("includes the checks of the installation", async () => {
		const { page } = await pages.openAs(ADMIN, "/console/installation", CHINESE);
		// In a test, the doctor uses the settings of the process and finds no installation.
		await page.getByRole("row", { name: "配置 正常 有效" }).waitFor();
		const installation = page.getByRole("row", { name: /^安装 失败 .+ 尚不存在：请先启动一次服务/ });
		await installation.getByText("API 原文").click();
		await installation.getByText(/does not exist yet; start the service once first/).waitFor();
	});
});
