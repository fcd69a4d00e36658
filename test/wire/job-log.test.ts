// Log lines of background work: the field names of requests, and no email address.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeFor } from "../harness/people/registration.ts";
import { testService } from "../harness/runs/fixture.ts";

type Line = Readonly<Record<string, unknown>>;

const service = testService();

/** The first line with this message; the job writes it after it delivered the mail. */
async function lineOf(message: string): Promise<Line> {
	for (let turn = 0; turn < 10_000; turn++) {
		const found = service
			.logs()
			.split("\n")
			.find((line) => line.includes(`"msg":"${message}"`));
		if (found !== undefined) return JSON.parse(found);
		await new Promise((resolve) => setImmediate(resolve));
	}
	throw new Error(`${message} is not in the log`);
}

describe("a mail that was sent", () => {
	it("is logged at level info with template, state, and tenant, without the address", async () => {
		const address = "marked-address@log.example";
		await codeFor(service, address);
		const { level, template, state, attempts, ms, mail_id, tenant_id, error } = await lineOf("mail sent");
		const me = await service.callAsAdmin("GET", "/api/v1/users/me");
		assert.deepEqual(
			[level, template, state, attempts, tenant_id, error],
			[30, "registration_code", "sent", 1, me.body.data.tenant_id, undefined],
		);
		assert.match(String(mail_id), /^[0-9a-f-]{36}$/);
		assert.ok(typeof ms === "number" && ms > 0, String(ms));
		assert.ok(!service.logs().includes(address));
	});
});
