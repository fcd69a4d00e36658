import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addApplication, addRole, putGrant } from "../../harness/access/applications.ts";
import { addGroup, addMember, putGroupGrant, removeMember } from "../../harness/access/groups.ts";
import { addPerson, type Person } from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import type { BodyOfRow, DataOf } from "../../harness/service/wire-body.ts";

const service = testService();
const ada = fixture(() => addPerson(service, "ada"));
const bob = fixture(() => addPerson(service, "bob"));

describe("GET /api/v1/users/{id}/groups", () => {
	const list = async ({ id }: Person, query = "") =>
		service.callAsAdmin<BodyOfRow<"GET /api/v1/users/{id}/groups">>(
			"GET",
			`/api/v1/users/${id}/groups${query}`,
		);

	describe("200", () => {
		it("returns the user's groups in pages, the last joined first", async () => {
			const names = ["Sales", "Field", "Night shift"];
			const left = await addGroup(service, [ada.id], { name: "Left" });
			for (const name of names) {
				const group = await addGroup(service, [bob.id], { name, description: `All of ${name}` });
				service.clock.advance(1_000);
				await addMember(service, group.id, ada.id);
			}
			await removeMember(service, left.id, ada.id);
			const { status, body } = await list(ada);
			assert.deepEqual([status, body.total], [200, 3]);
			assert.deepEqual(
				body.data.map(({ name }) => name),
				names.toReversed(),
			);
			const [latest, , first] = body.data;
			assert.ok(latest && first && latest.added_at > first.added_at);
			const { group_id, added_at: _, ...rest } = latest;
			assert.match(group_id, /^[0-9a-f-]{36}$/);
			assert.deepEqual(rest, { name: "Night shift", description: "All of Night shift", expires_at: null });
			const paged = (await list(ada, "?page=2&page_size=2")).body;
			assert.deepEqual([paged.data[0]?.name, paged.data.length, paged.total], ["Sales", 1, 3]);
		});

		it("returns an empty page for a user without groups", async () => {
			const { body } = await list(await addPerson(service, "without-groups"));
			assert.deepEqual([body.data, body.total], [[], 0]);
		});
	});
});

describe("GET /api/v1/users/{id}/grants", () => {
	type Held = DataOf<"GET /api/v1/users/{id}/grants">[number];
	const list = async ({ id }: Person, query = "") =>
		service.callAsAdmin<BodyOfRow<"GET /api/v1/users/{id}/grants">>(
			"GET",
			`/api/v1/users/${id}/grants${query}`,
		);
	const sourceOf = ({ app_name, group_name, roles }: Held) => [app_name, group_name, roles];

	describe("200", () => {
		it("returns own grants and those of groups with application, group and roles, newest first", async () => {
			const desk = await addApplication(service, { name: "Desk" });
			const wiki = await addApplication(service, { name: "Wiki" });
			for (const role of ["reader", "editor"]) await addRole(service, desk.id, role);
			await addRole(service, wiki.id, "author");
			const support = await addGroup(service, [ada.id, bob.id], { name: "Support" });
			const night = await addGroup(service, [ada.id], { name: "Night" });
			const without = await addGroup(service, [bob.id], { name: "Without" });
			const direct = await putGrant(service, desk.id, ada.id, ["reader", "editor"]);
			service.clock.advance(1_000);
			const bySupport = await putGroupGrant(service, desk.id, support.id, ["editor"]);
			service.clock.advance(1_000);
			await putGroupGrant(service, wiki.id, night.id, ["author"]);
			service.clock.advance(1_000);
			await putGroupGrant(service, wiki.id, support.id);
			await putGroupGrant(service, wiki.id, without.id);
			await putGrant(service, wiki.id, bob.id);
			const { status, body } = await list(ada);
			assert.deepEqual([status, body.total], [200, 4]);
			assert.deepEqual(body.data.map(sourceOf), [
				["Wiki", "Support", []],
				["Wiki", "Night", ["author"]],
				["Desk", "Support", ["editor"]],
				["Desk", null, ["editor", "reader"]],
			]);
			const [, , third, last] = body.data;
			assert.deepEqual(last, {
				id: direct.id,
				app_id: desk.id,
				app_name: "Desk",
				group_id: null,
				group_name: null,
				roles: ["editor", "reader"],
				expires_at: null,
				reason: "",
				request_id: null,
				granted_by: direct.granted_by,
				granted_at: direct.created_at,
				last_used_at: null,
				created_at: direct.created_at,
				updated_at: direct.updated_at,
			});
			assert.deepEqual([third?.id, third?.group_id], [bySupport.id, support.id]);
			const paged = (await list(ada, "?page=2&page_size=3")).body;
			assert.deepEqual([paged.total, paged.data.map(sourceOf)], [4, [["Desk", null, ["editor", "reader"]]]]);
			await removeMember(service, support.id, ada.id);
			const left = (await list(ada)).body;
			assert.deepEqual(
				left.data.map(({ group_name }) => group_name),
				["Night", null],
			);
		});

		it("returns an empty page for a user without grants", async () => {
			const { body } = await list(await addPerson(service, "without-grants"));
			assert.deepEqual([body.data, body.total], [[], 0]);
		});
	});
});
