import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addPerson, auditOf, type Person, signInToApplication } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/users/me";

describe("PATCH /api/v1/users/me", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const patch = ({ token }: Pick<Person, "token">, body: unknown) =>
		service.call("PATCH", PATH, { token, body, headers: { accept: "application/problem+json" } });
	const updates = async (id: string) =>
		(await auditOf(service, `user:${id}`)).filter(({ action }) => action === "user.updated");

	describe("200", () => {
		it("changes the given fields, keeps the others, and audits their names only", async () => {
			const ada = await addPerson(service, "ada", { display_name: "Ada" });
			const before = (await service.call("GET", PATH, { token: ada.token })).body.data;
			service.clock.advance(1_000);
			const changes = { display_name: " Ada L. ", locale: "zh-CN" };
			const { status, body } = await patch(ada, changes);
			assert.equal(status, 200);
			const { updated_at } = body.data;
			assert.deepEqual(body.data, { ...before, display_name: "Ada L.", locale: "zh-CN", updated_at });
			assert.ok(updated_at > before.updated_at);
			const [event, ...more] = await updates(ada.id);
			assert.deepEqual(more, []);
			assert.equal(event?.actor, `user:${ada.id}`);
			assert.deepEqual(event?.details.fields, ["display_name", "locale"]);
			assert.doesNotMatch(JSON.stringify(event?.details), /Ada L/);
		});

		it("accepts the record as it was read, and writes nothing without a change", async () => {
			const bea = await addPerson(service, "bea", { avatar_url: "https://img.example/b.png" });
			const before = (await service.call("GET", PATH, { token: bea.token })).body.data;
			service.clock.advance(1_000);
			const { display_name, avatar_url, locale, id, created_at } = before;
			for (const body of [{}, { display_name, avatar_url, locale, id, created_at }]) {
				const answer = await patch(bea, body);
				assert.deepEqual([answer.status, answer.body.data], [200, before]);
			}
			assert.deepEqual(await updates(bea.id), []);
		});

		it("empties the profile", async () => {
			const cal = await addPerson(service, "cal", { display_name: "Cal", locale: "zh-CN" });
			const { body } = await patch(cal, { display_name: "", avatar_url: "", locale: null });
			const { display_name, avatar_url, locale } = body.data;
			assert.deepEqual([display_name, avatar_url, locale], ["", "", null]);
		});

		it("is open to a token of an application", async () => {
			const dan = await addPerson(service, "dan");
			const token = await signInToApplication(service, dan);
			assert.equal((await patch({ token }, { display_name: "Dan" })).body.data.display_name, "Dan");
		});
	});

	describe("400", () => {
		let eve: Person;
		before(async () => {
			eve = await addPerson(service, "eve");
		});
		for (const [field, body] of [
			["locale", { locale: "de" }],
			["locale", { locale: "" }],
			["display_name", { display_name: "x".repeat(101) }],
			["avatar_url", { avatar_url: "javascript:alert(1)" }],
			["password", { password: "another password" }],
		] as const)
			it(`names ${JSON.stringify(body).slice(0, 40)}`, async () => {
				const answer = await patch(eve, body);
				assert.equal(answer.status, 400);
				assert.equal(answer.body.errors?.[0]?.field, field);
			});

		it("does not let users change what an administrator changes", async () => {
			// Fields of every user record are ignored in a body, so that a record can be sent back.
			const before = (await service.call("GET", PATH, { token: eve.token })).body.data;
			await patch(eve, { roles: ["admin"], email_verified: true, username: "root", status: "disabled" });
			assert.deepEqual((await service.call("GET", PATH, { token: eve.token })).body.data, before);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("PATCH", PATH, { body: { locale: "en" } })).status, 401);
		});
	});
});
