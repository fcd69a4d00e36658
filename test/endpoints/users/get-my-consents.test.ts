import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
	allowApplication,
	connect,
	obtainTokens,
	relyingParty,
	startOpenIdService,
} from "../../harness/openid.ts";
import { addPerson, type Person, signInToApplication } from "../../harness/people.ts";
import type { TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me/consents";

describe("GET /api/v1/users/me/consents", () => {
	let service: TestService;
	let ada: Person;
	before(async () => {
		service = await startOpenIdService();
		ada = await addPerson(service, "ada");
	});
	after(() => service.stop());

	describe("200", () => {
		it("shows what the caller let applications have, the one allowed last first", async () => {
			const first = await allowApplication(service, ada, {
				name: "Shop",
				homepage_url: "https://shop.example",
			});
			service.clock.advance(1_000);
			const second = await allowApplication(service, ada);
			await allowApplication(service, await addPerson(service, "eve"));
			const own = await relyingParty(service, await connect(service, { firstParty: true }));
			await obtainTokens(own, second.browser, second.token);
			const { status, body } = await service.call("GET", PATH, { token: ada.token });
			assert.deepEqual([status, body.total, body.page], [200, 2, 1]);
			const [newer, older] = body.data;
			assert.ok(older);
			assert.equal(newer?.application.id, second.id);
			const { id, created_at, ...rest } = older;
			assert.match(id, /^[0-9a-f-]{36}$/);
			const application = { id: first.id, name: "Shop", homepage_url: "https://shop.example", logo_url: "" };
			const scopes = ["openid", "profile", "email", "roles"];
			assert.deepEqual(rest, { application, scopes, resources: [], updated_at: created_at });
			const paged = await service.call("GET", `${PATH}?page=2&page_size=1`, { token: ada.token });
			assert.deepEqual([paged.body.total, paged.body.data[0]?.id], [2, id]);
		});

		it("shows an empty page to a user who was asked nothing", async () => {
			const bob = await addPerson(service, "bob");
			const { body } = await service.call("GET", PATH, { token: bob.token });
			assert.deepEqual(body, { data: [], total: 0, page: 1, page_size: 20 });
		});
	});

	describe("400", () => {
		it("refuses a page that is none", async () => {
			assert.equal((await service.call("GET", `${PATH}?page=-1`, { token: ada.token })).status, 400);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("GET", PATH)).status, 401);
		});
	});

	describe("403", () => {
		it("tells an application nothing of the others", async () => {
			const token = await signInToApplication(service, ada);
			const { status, body } = await service.call("GET", PATH, { token });
			assert.equal(status, 403);
			assert.match(body.error, /issued for an application/);
		});
	});
});
