// Groups, their members and their grants.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import {
	APPLICATIONS,
	addApplication,
	addCast,
	addRole,
	problemOf,
	putGrant,
} from "../harness/access/applications.ts";
import { addGroup, addMember, GROUPS, putGroupGrant } from "../harness/access/groups.ts";
import { addPerson, auditOf, isAlive, lastAuditOf, withDatabase } from "../harness/people/people.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import type { DataOf } from "../harness/service/wire-body.ts";

type Member = DataOf<"GET /api/v1/groups/{id}/members">[number];

const service = testService();
const cast = fixture(() => addCast(service));

describe("GET /api/v1/groups", () => {
	describe("200", () => {
		it("returns the groups of the tenant in pages, newest first, to admins and auditors", async () => {
			const groups: DataOf<"GET /api/v1/groups">[number][] = [];
			for (let count = 0; count < 3; count++)
				groups.unshift(await addGroup(service, [], { name: `Listed ${count}` }));
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", `${GROUPS}?q=listed`, { token });
				assert.deepEqual([status, body.total, body.data], [200, 3, groups]);
			}
			const { body } = await service.callAsAdmin("GET", `${GROUPS}?q=listed&page=2&page_size=2`);
			assert.deepEqual(body, { data: groups.slice(2), total: 3, page: 2, page_size: 2 });
			const theirs = await service.call("GET", `${GROUPS}?q=listed`, { token: cast.other.adminToken });
			assert.deepEqual([theirs.body.data, theirs.body.total], [[], 0]);
		});

		it("counts members and applications on request, without those that are over", async () => {
			const [app, other] = [await addApplication(service), await addApplication(service)];
			const ends = (ms: number) => new Date(service.clock.now() + ms).toISOString();
			const [full, empty] = [
				await addGroup(service, [cast.auditor.id, cast.plain.id], { name: "Counted full" }),
				await addGroup(service, [], { name: "Counted empty" }),
			];
			await putGroupGrant(service, app.id, full.id);
			const path = `${APPLICATIONS}/${other.id}/grants/groups/${full.id}` as const;
			await service.asAdmin("PUT", path, { roles: [], expires_at: ends(120_000) });
			const usages = async () => {
				const { body } = await service.callAsAdmin("GET", `${GROUPS}?q=counted&include=usage`);
				return Object.fromEntries(body.data.map(({ id, usage }) => [id, usage]));
			};
			const none = { members: 0, applications: 0 };
			assert.deepEqual(await usages(), { [full.id]: { members: 2, applications: 2 }, [empty.id]: none });
			await service.asAdmin("PUT", `${GROUPS}/${full.id}/members/${cast.plain.id}`, {
				expires_at: ends(120_000),
			});
			service.clock.advance(121_000);
			assert.deepEqual(await usages(), { [full.id]: { members: 1, applications: 1 }, [empty.id]: none });
		});

		it("counts what a search finds up to 1,000, and says if there is more", async () => {
			await withDatabase(service, async ({ queries }) => {
				await queries.run(
					`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001)
					 INSERT INTO user_groups (id, tenant_id, name, name_key, name_folded, description, description_folded, created_at, updated_at)
					 SELECT 'many-' || i, id, 'Many ' || i, 'many ' || i, 'many ' || i, '', '', i, i FROM tenants CROSS JOIN n WHERE slug = 'default'`,
				);
			});
			const totalsOf = async (query: string) => {
				const { body } = await service.callAsAdmin("GET", `${GROUPS}?${query}`);
				return { rows: body.data.length, total: body.total, total_is_minimum: body.total_is_minimum };
			};
			const tooMany = { total: 1_000, total_is_minimum: true };
			assert.deepEqual(await totalsOf("q=many"), { rows: 20, ...tooMany });
			assert.deepEqual(await totalsOf("q=many&page=11&page_size=100"), { rows: 1, ...tooMany });
			await withDatabase(service, ({ queries }) =>
				queries.run("DELETE FROM user_groups WHERE id = 'many-1'"),
			);
			const exact = { total: 1_000, total_is_minimum: undefined };
			assert.deepEqual(await totalsOf("q=many"), { rows: 20, ...exact });
			const all = await totalsOf("");
			assert.ok(all.total > 1_000);
			assert.equal(all.total_is_minimum, undefined);
		});

		it("finds literal parts of name and description", async () => {
			const clerk = await addGroup(service, [], { name: "100% Clérks" });
			const night = await addGroup(service, [], { description: "works with CLERKS at night" });
			for (const [q, found] of [
				["clerks", [night.id, clerk.id]],
				["0% C", [clerk.id]],
				["_", []],
			] as const) {
				const { body } = await service.callAsAdmin("GET", `${GROUPS}?q=${encodeURIComponent(q)}`);
				assert.deepEqual(
					body.data.map(({ id }) => id),
					found,
					q,
				);
			}
		});
	});
});

describe("POST /api/v1/groups", () => {
	const create = (body: unknown, token = cast.admin) => service.call("POST", GROUPS, { token, body });

	describe("201", () => {
		it("creates a group, and audits it", async () => {
			const { status, body } = await create({
				name: "  Clerks ",
				description: " day shift ",
				id: "x",
				tenant_id: "y",
			});
			assert.equal(status, 201);
			const { id, tenant_id, created_at, updated_at, ...rest } = body.data;
			assert.deepEqual(rest, { name: "Clerks", description: "day shift", managed_by: null });
			assert.equal(created_at, updated_at);
			const read = await service.callAsAdmin("GET", `${GROUPS}/${id}`);
			assert.deepEqual(read.body, body);
			assert.equal(read.body.data.tenant_id, tenant_id);
			const [audit] = await auditOf(service, `group:${id}`);
			assert.deepEqual([audit?.action, audit?.details], ["group.created", { name: "Clerks" }]);
		});

		it("accepts texts at their limits, counted in code points", async () => {
			const texts = { name: "𝕏".repeat(100), description: "𝕏".repeat(500) };
			assert.equal((await create(texts)).status, 201);
		});

		it("allows another tenant the same name", async () => {
			assert.equal((await create({ name: "Both" })).status, 201);
			assert.equal((await create({ name: "Both" }, cast.other.adminToken)).status, 201);
		});
	});

	describe("409", () => {
		it("accepts one of twenty concurrent requests with one name, in either case", async () => {
			const names = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? "Racers" : "RACERS"));
			const responses = await Promise.all(names.map((name) => create({ name })));
			const statuses = responses.map(({ status }) => status).sort();
			assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)]);
			const { code, fields } = await problemOf(service, "POST", GROUPS, { name: "racers" });
			assert.deepEqual([code, fields], ["group.name_taken", ["name"]]);
		});
	});
});

describe("GET /api/v1/groups/{id}", () => {
	describe("200", () => {
		it("returns the group to admins and auditors, for the id in either case", async () => {
			const group = await addGroup(service, [], { description: "some" });
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", `${GROUPS}/${group.id.toUpperCase()}`, {
					token,
				});
				assert.deepEqual([status, body], [200, { data: group }]);
			}
		});
	});
});

describe("PATCH /api/v1/groups/{id}", () => {
	let id: string;
	before(async () => {
		id = (await addGroup(service)).id;
	});

	const path = (of = id) => `${GROUPS}/${of}` as const;
	const patch = (body: unknown, of = id) => service.callAsAdmin("PATCH", path(of), { body });

	describe("200", () => {
		it("changes the given fields, keeps the others, and audits it", async () => {
			const group = await addGroup(service, [], { description: "before" });
			service.clock.advance(1_000);
			const { status, body } = await patch({ name: "After", id: "x" }, group.id);
			assert.equal(status, 200);
			assert.ok(body.data.updated_at > group.updated_at);
			assert.deepEqual(body.data, { ...group, name: "After", updated_at: body.data.updated_at });
			assert.equal((await patch({ description: "" }, group.id)).body.data.description, "");
			assert.deepEqual(
				(await auditOf(service, `group:${group.id}`)).map(({ action, details }) => [action, details]),
				[
					["group.created", { name: group.name }],
					["group.updated", { fields: ["name"], name: "After" }],
					["group.updated", { fields: ["description"] }],
				],
			);
		});

		it("writes nothing if nothing changes, and allows a change of case in its own name", async () => {
			const group = await addGroup(service, [], { name: "Mine" });
			service.clock.advance(1_000);
			assert.deepEqual((await patch({ name: "Mine" }, group.id)).body.data, group);
			assert.deepEqual((await patch({}, group.id)).body.data, group);
			assert.equal((await auditOf(service, `group:${group.id}`)).length, 1);
			assert.equal((await patch({ name: "MINE" }, group.id)).body.data.name, "MINE");
		});
	});

	describe("409", () => {
		it("returns 409 for the name of another group", async () => {
			await addGroup(service, [], { name: "Taken" });
			const { status, code, fields } = await problemOf(service, "PATCH", path(), { name: "tAKEN" });
			assert.deepEqual([status, code, fields], [409, "group.name_taken", ["name"]]);
		});
	});
});

describe("DELETE /api/v1/groups/{id}", () => {
	const path = (id: string) => `${GROUPS}/${id}` as const;

	describe("204", () => {
		it("deletes memberships and grants, keeps the users, and audits the counts", async () => {
			const member = await addPerson(service, "keeps-account");
			const app = await addApplication(service);
			const group = await addGroup(service, [member.id, cast.reviewer.id]);
			await putGroupGrant(service, app.id, group.id);
			const seen = async () => (await service.call("GET", APPLICATIONS, { token: member.token })).body.total;
			assert.equal(await seen(), 1);
			const response = await service.callAsAdmin("DELETE", path(group.id));
			assert.deepEqual([response.status, response.body], [204, undefined]);
			assert.equal(await seen(), 0);
			assert.equal(await isAlive(service, member.token), true);
			const grants = await service.callAsAdmin("GET", `${APPLICATIONS}/${app.id}/grants`);
			assert.equal(grants.body.total, 0);
			assert.deepEqual(await lastAuditOf(service, `group:${group.id}`), [
				"group.deleted",
				{ name: group.name, members: 2, grants: 1 },
			]);
		});
	});

	describe("404", () => {
		it("returns 404 to all but one of twenty concurrent requests", async () => {
			const group = await addGroup(service);
			const remove = () => service.callAsAdmin("DELETE", path(group.id));
			const responses = await Promise.all(Array.from({ length: 20 }, remove));
			assert.equal(responses.filter(({ status }) => status === 204).length, 1);
			assert.equal(responses.filter(({ status }) => status === 404).length, 19);
		});
	});
});

describe("GET /api/v1/groups/{id}/grants", () => {
	const group = fixture(() => addGroup(service));

	const path = (of = group.id) => `${GROUPS}/${of}/grants` as const;

	describe("200", () => {
		it("returns the grants of the group, newest first, to admins and auditors", async () => {
			const shop = await addApplication(service, { name: "Shop" });
			const desk = await addApplication(service, { name: "Desk" });
			await addRole(service, shop.id, "viewer");
			await addRole(service, shop.id, "editor");
			const first = await putGroupGrant(service, shop.id, group.id, ["viewer", "editor"]);
			service.clock.advance(1_000);
			const second = await putGroupGrant(service, desk.id, group.id);
			await putGroupGrant(service, desk.id, (await addGroup(service)).id);
			await putGrant(service, shop.id, cast.plain.id);
			const inWords = ({ group_id: _, ...grant }: typeof first, app_name: string) => ({
				...grant,
				app_name,
			});
			const expected = [inWords(second, "Desk"), inWords(first, "Shop")];
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", path(), { token });
				assert.deepEqual([status, body.total, body.data], [200, 2, expected]);
			}
			const { body } = await service.callAsAdmin("GET", `${path()}?page=2&page_size=1`);
			assert.deepEqual([body.data, body.total], [[expected[1]], 2]);
		});
	});
});

describe("GET /api/v1/groups/{id}/members", () => {
	const group = fixture(() => addGroup(service));

	const path = (of = group.id) => `${GROUPS}/${of}/members` as const;

	describe("200", () => {
		it("returns the members in pages, latest first, to admins and auditors", async () => {
			const { plain, reviewer, auditor } = cast;
			const members: Omit<Member, "added_at">[] = [];
			for (const { id: userId, username, email } of [plain, reviewer, auditor]) {
				service.clock.advance(1_000);
				await addMember(service, group.id, userId);
				members.unshift({
					user_id: userId,
					username,
					display_name: "",
					email,
					status: "active",
					expires_at: null,
				});
			}
			await addGroup(service, [plain.id]);
			for (const token of [cast.admin, auditor.token]) {
				const { status, body } = await service.call("GET", path(), { token });
				assert.deepEqual([status, body.total], [200, 3]);
				assert.deepEqual(
					body.data.map(({ added_at: _, ...member }) => member),
					members,
				);
				const [latest, , first] = body.data;
				assert.ok(latest !== undefined && first !== undefined && latest.added_at > first.added_at);
			}
			const { body } = await service.callAsAdmin("GET", `${path()}?page=2&page_size=2`);
			assert.deepEqual([body.data[0]?.user_id, body.data.length, body.total], [plain.id, 1, 3]);
		});
	});
});

describe("PUT /api/v1/groups/{id}/members/{user_id}", () => {
	const path = (id: string) => `${GROUPS}/${id}/members/${cast.plain.id}` as const;

	describe("201", () => {
		it("adds the user once for twenty concurrent requests, and audits it", async () => {
			const group = await addGroup(service);
			const put = () => service.callAsAdmin("PUT", path(group.id));
			const responses = await Promise.all(Array.from({ length: 20 }, put));
			assert.deepEqual(
				responses.map(({ status }) => status).toSorted((a, b) => b - a),
				[201, ...responses.slice(1).map(() => 200)],
			);
			const members = await service.callAsAdmin("GET", `${GROUPS}/${group.id}/members`);
			assert.equal(members.body.total, 1);
			for (const { body } of responses) assert.deepEqual(body.data, members.body.data[0]);
			const audited = (await auditOf(service, `user:${cast.plain.id}`)).filter(
				({ action, details }) => action === "group_member.added" && details.group_id === group.id,
			);
			assert.deepEqual(
				audited.map(({ details }) => details),
				[{ group_id: group.id, group_name: group.name, expires_at: null }],
			);
		});

		it("gives the grants of the group immediately", async () => {
			const app = await addApplication(service);
			const group = await addGroup(service);
			await putGroupGrant(service, app.id, group.id);
			const login = async () => {
				const { username, password } = cast.plain;
				const body = { username, password, app_id: app.id };
				return (await service.call("POST", "/api/v1/auth/login", { body })).status;
			};
			assert.equal(await login(), 403);
			await service.asAdmin("PUT", path(group.id));
			assert.equal(await login(), 200);
		});
	});
});

describe("DELETE /api/v1/groups/{id}/members/{user_id}", () => {
	const path = (id: string) => `${GROUPS}/${id}/members/${cast.plain.id}` as const;

	describe("204", () => {
		it("removes the user, and audits it", async () => {
			const group = await addGroup(service, [cast.plain.id, cast.reviewer.id]);
			const response = await service.callAsAdmin("DELETE", path(group.id));
			assert.deepEqual([response.status, response.body], [204, undefined]);
			const members = await service.callAsAdmin("GET", `${GROUPS}/${group.id}/members`);
			assert.equal(members.body.total, 1);
			assert.deepEqual(await lastAuditOf(service, `user:${cast.plain.id}`), [
				"group_member.removed",
				{ group_id: group.id, group_name: group.name },
			]);
		});

		it("removes the access of the group immediately: a session ends at its next refresh", async () => {
			const { id: userId, username, password } = cast.plain;
			const app = await addApplication(service);
			const group = await addGroup(service, [userId]);
			await putGroupGrant(service, app.id, group.id);
			const body = { username, password, app_id: app.id };
			const login = await service.call("POST", "/api/v1/auth/login", { body });
			assert.equal(login.status, 200);
			await service.asAdmin("DELETE", path(group.id));
			const { refresh_token } = login.body.data;
			const refresh = await service.call("POST", "/api/v1/auth/refresh", { body: { refresh_token } });
			assert.equal(refresh.status, 403);
			assert.equal((await service.call("POST", "/api/v1/auth/login", { body })).status, 403);
		});
	});
});
