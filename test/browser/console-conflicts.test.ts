// Two administrators edit a record at the same time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { addGroup } from "../harness/access/groups.ts";
import { describePages } from "../harness/browser/describe-pages.ts";
import { assertAccessible } from "../harness/browser/pages.ts";
import { ADMIN } from "../harness/service/service.ts";

describePages("a record that someone else changed", (pages) => {
	test("shows both values, and keeps theirs or uses mine", async () => {
		const { service } = pages;
		const { id } = await addGroup(service);
		const path = `/api/v1/groups/${id}` as const;
		const changeBeside = (name: string) => service.asAdmin("PATCH", path, { name });
		const { page, noTroubles } = await pages.openAs(ADMIN, `/console/groups/${id}`);
		const save = async (name: string) => {
			await page.getByRole("button", { name: "Edit", exact: true }).click();
			await page.getByLabel("Name", { exact: true }).fill(name);
			await page.getByRole("button", { name: "Save", exact: true }).click();
		};
		const question = page.getByRole("dialog", { name: "This record has changed" });

		await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
		await changeBeside("Intranet B");
		await save("Intranet A");
		await question.getByText("admin changed it").waitFor();
		assert.deepEqual(await question.getByRole("row").allTextContents(), [
			"FieldTheirsYours",
			"nameIntranet BIntranet A",
		]);
		await assertAccessible(page);
		await page.keyboard.press("Escape");
		await page.getByText("Your change was not saved.").first().waitFor();
		await page.getByRole("button", { name: "Save", exact: true }).click();
		await question.getByRole("button", { name: "Keep theirs" }).click();
		await page.getByRole("heading", { name: "Intranet B" }).waitFor();
		assert.equal(await page.getByRole("dialog").count(), 0);
		assert.equal((await service.asAdmin("GET", path)).name, "Intranet B");

		await changeBeside("Intranet C");
		await save("Intranet A");
		await question.getByRole("button", { name: "Use mine" }).click();
		await page.getByRole("heading", { name: "Intranet A" }).waitFor();
		assert.equal((await service.asAdmin("GET", path)).name, "Intranet A");

		// They changed another field.
		await service.asAdmin("PATCH", path, { description: "Of others" });
		await save("Intranet D");
		await page.getByRole("heading", { name: "Intranet D" }).waitFor();
		assert.equal((await service.asAdmin("GET", path)).description, "Of others");

		// The version is that of the own change.
		await save("Intranet E");
		await page.getByRole("heading", { name: "Intranet E" }).waitFor();
		noTroubles(/412/);
	});
});
