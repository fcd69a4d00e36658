import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { DAY_MS } from "../../../src/kernel/clock.ts";
import { ADMIN_KEYS, addAdminKey } from "../../harness/admin-keys.ts";
import {
	addCast,
	assertForbidden,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("GET /api/v1/admin-keys", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	describe("200", () => {
		it("pages through the tenant's keys, newest first, never with the keys themselves", async () => {
			const made = [];
			for (let count = 0; count < 3; count++)
				made.push(await addAdminKey(service, { name: `Key ${count}`, ip_allowlist: ["203.0.113.7"] }));
			const answer = await service.call("GET", `${ADMIN_KEYS}?page_size=2`, { token: cast.admin });
			const { data, ...counts } = answer.body;
			assert.deepEqual(counts, { total: 3, page: 1, page_size: 2 });
			const listed = made.map(({ key: _, ...record }) => record).toReversed();
			assert.deepEqual(data, listed.slice(0, 2));
			for (const { key } of made) assert.ok(!JSON.stringify(answer.body).includes(key));
			const foreign = await service.call("GET", ADMIN_KEYS, { token: cast.other.adminToken });
			assert.equal(foreign.body.total, 0);
		});

		it("lists an expired key, which opens nothing any more", async () => {
			const { id, key, expires_at } = await addAdminKey(service);
			service.clock.advance(DAY_MS);
			const token = await service.adminToken();
			const answer = await service.call("GET", ADMIN_KEYS, { token });
			assert.equal(answer.body.data.find((each) => each.id === id)?.expires_at, expires_at);
			assert.equal((await service.call("GET", "/api/v1/users", { token: key })).status, 401);
		});
	});

	describe("400", () => {
		it("names the parameter", async () => {
			const { status, fields } = await problemOf(service, "GET", `${ADMIN_KEYS}?page_size=101`);
			assert.deepEqual([status, fields], [400, ["page_size"]]);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", ADMIN_KEYS));
	});

	describe("403", () => {
		it("refuses callers other than admins", async () => {
			const people = ["eva", "ida"].map(async (name, index) => {
				const roles = [index === 0 ? "auditor" : "reviewer"];
				const password = `the long password of ${name}`;
				const { id } = await service.addUser({ username: name, email: `${name}@x.example`, password, roles });
				return { id, username: name, email: "", password, token: await service.tokenOf(name, password) };
			});
			await assertForbidden(service, await Promise.all(people), "GET", ADMIN_KEYS);
		});
	});
});
