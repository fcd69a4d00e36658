// Reviewers decide the requests of people, but never their own.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { auditOf, decide, QUEUE, submit } from "../harness/access/access-requests.ts";
import { APPLICATIONS, problemOf, putGrant } from "../harness/access/applications.ts";
import { addGroup, addMember, removeMember } from "../harness/access/groups.ts";
import { addRequestable, inDays, requestRoles } from "../harness/access/person-requests.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { addPerson, type Person, signInAgain, signInToApplication } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";

const service = testService();
let people = 0;
const newPerson = (roles: readonly string[] = []) => addPerson(service, `someone${++people}`, { roles });

type Problem = { code: string; errors?: readonly { field: string }[] };
const send = (
	token: string,
	id: string,
	verb: string,
	body: object = verb === "reject" ? { review_note: "No." } : {},
) =>
	service.call<Problem>("POST", `${QUEUE}/${id}/${verb}`, {
		token,
		body,
		headers: { accept: "application/problem+json" },
	});
const grantOf = async (person: Person, appId: string) => {
	const { data } = (await service.callAsAdmin("GET", `/api/v1/users/${person.id}/grants`)).body;
	return data.find(({ app_id }) => app_id === appId);
};
const codeOf = async (...call: Parameters<typeof send>) => {
	const { status, body } = await send(...call);
	return [status, body?.code];
};

describe("an approval of a person's request", () => {
	it("gives a grant with its end and its request, and mails the person", async () => {
		const [person, app] = [await newPerson(), await addRequestable(service)];
		const { id, until } = await requestRoles(service, person, app);
		const decided = await decide(service, id, "approve", { review_note: "Until the audit." });
		assert.equal(decided.status, "approved");
		const grant = await grantOf(person, app);
		assert.deepEqual([grant?.roles, grant?.expires_at, grant?.request_id], [["closer"], until, id]);
		const [mail] = await service.mailsTo(person.email);
		assert.match(mail?.text ?? "", /closer[\s\S]*Until the audit\./);
		const actions = (await auditOf(service, `person_request:${id}`)).map((event) => event.split(" ")[1]);
		assert.deepEqual(actions, ["person_request.submitted", "person_request.approved"]);
		service.clock.advance(7 * 86_400_000);
		assert.equal(await grantOf(person, app), undefined, "the grant has ended");
	});

	it("may drop roles and shorten the time, and neither add nor lengthen", async () => {
		const [person, app] = [await newPerson(), await addRequestable(service)];
		const { id } = await requestRoles(service, person, app, { roles: ["closer", "reader"] });
		for (const [body, code, field] of [
			[{ roles: ["closer", "owner"] }, "request.invalid", "roles.1"],
			[{ roles: ["no-role"] }, "request.invalid", "roles.0"],
			[{ until: inDays(service, 8) }, "request.too_long", "until"],
			[{ until: inDays(service, -1) }, "request.too_long", "until"],
			[{ expires_at: inDays(service, 1) }, "request.invalid", "expires_at"],
			[{ scopes: [] }, "request.invalid", "scopes"],
			[{ allowed_resources: [] }, "request.invalid", "allowed_resources"],
		] as const) {
			const problem = await problemOf(service, "POST", `${QUEUE}/${id}/approve`, body);
			assert.deepEqual([problem.status, problem.code, problem.fields], [400, code, [field]]);
		}
		assert.equal((await service.asAdmin("GET", `${QUEUE}/${id}`)).status, "pending");
		const until = inDays(service, 2);
		await decide(service, id, "approve", { roles: ["reader"], until });
		const grant = await grantOf(person, app);
		assert.deepEqual([grant?.roles, grant?.expires_at], [["reader"], until]);
	});

	it("replaces the roles and the end of a grant that ends, and refuses one without an end", async () => {
		const [person, app] = [await newPerson(), await addRequestable(service)];
		await decide(service, (await requestRoles(service, person, app)).id, "approve");
		const again = await requestRoles(service, person, app, { roles: ["reader"], until: inDays(service, 20) });
		await decide(service, again.id, "approve");
		const grant = await grantOf(person, app);
		assert.deepEqual(
			[grant?.roles, grant?.expires_at, grant?.request_id],
			[["reader"], again.until, again.id],
		);
		const third = await requestRoles(service, person, app, { roles: ["closer"] });
		await putGrant(service, app, person.id, ["owner"]);
		await service.asAdmin("PUT", `${APPLICATIONS}/${app}/grants/users/${person.id}`, {
			roles: ["owner"],
			expires_at: null,
		});
		const problem = await problemOf(service, "POST", `${QUEUE}/${third.id}/approve`, {});
		assert.deepEqual([problem.status, problem.code], [403, "request.not_requestable"]);
		assert.deepEqual((await grantOf(person, app))?.roles, ["owner"]);
	});

	it("succeeds once among concurrent decisions and a withdrawal", async () => {
		const [person, app] = [await newPerson(), await addRequestable(service)];
		const { id } = await requestRoles(service, person, app);
		const token = await service.adminToken();
		const answers = await Promise.all([
			send(token, id, "approve"),
			send(token, id, "reject"),
			send(token, id, "approve"),
			service.call("POST", `/api/v1/users/me/requests/${id}/withdraw`, { token: person.token }),
		]);
		assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
	});
});

describe("members of the reviewers of an application", () => {
	it("see and decide the requests for it, and nothing else", async () => {
		const [member, person] = [await newPerson(), await newPerson()];
		const group = await addGroup(service, [member.id]);
		const [app, other] = [
			await addRequestable(service, { reviewers: group.id }),
			await addRequestable(service),
		];
		const own = await requestRoles(service, person, app);
		const foreign = [(await requestRoles(service, person, other)).id, (await submit(service)).id];
		const list = async (query: string) =>
			(await service.call("GET", `${QUEUE}?${query}`, { token: member.token })).body;
		for (const query of ["status=pending", "kind=person", "sort=oldest", `q=${person.username}`, ""])
			assert.deepEqual(
				(await list(query)).data.map(({ id }) => id),
				[own.id],
				query,
			);
		assert.deepEqual((await list("kind=partner")).data, []);
		const overview = await service.call("GET", "/api/v1/overview", { token: member.token });
		assert.deepEqual([overview.body.data.pending_requests, overview.body.data.locked_users], [1, null]);
		for (const id of foreign) {
			assert.equal((await service.call("GET", `${QUEUE}/${id}`, { token: member.token })).status, 404);
			for (const verb of ["approve", "reject", "resend"])
				assert.equal((await send(member.token, id, verb)).status, 404);
			const preview = { decision: "approve" };
			assert.equal((await send(member.token, id, "decision-mail", preview)).status, 404);
		}
		assert.equal((await send(member.token, own.id, "decision-mail", { decision: "approve" })).status, 200);
		assert.equal((await send(member.token, own.id, "approve")).status, 200);
		assert.equal((await send(member.token, own.id, "resend")).status, 202);
	});

	it("lose the queue with their membership, the group, or the setting", async () => {
		const [member, person] = [await newPerson(), await newPerson()];
		const statusOf = async () => (await service.call("GET", QUEUE, { token: member.token })).status;
		assert.equal(await statusOf(), 403);
		const group = await addGroup(service, [member.id]);
		const app = await addRequestable(service, { reviewers: group.id });
		assert.equal(await statusOf(), 200);
		await requestRoles(service, person, app);
		await removeMember(service, group.id, member.id);
		assert.equal(await statusOf(), 403);
		await addMember(service, group.id, member.id);
		await service.asAdmin("PATCH", `${APPLICATIONS}/${app}`, { requestable: null });
		assert.equal(await statusOf(), 403);
		await service.asAdmin("PATCH", `${APPLICATIONS}/${app}`, {
			requestable: { roles: ["closer"], longest: "PT8H", reviewers: group.id },
		});
		assert.equal(await statusOf(), 200);
		await service.asAdmin("DELETE", `/api/v1/groups/${group.id}`);
		assert.equal(await statusOf(), 403);
		const { requestable } = await service.asAdmin("GET", `${APPLICATIONS}/${app}`);
		assert.deepEqual(requestable, { roles: ["closer"], longest: "PT8H", reviewers: null });
	});
});

it("takes no requests once every role that people may request is deleted, and says so", async () => {
	const [person, app] = [await newPerson(), await addRequestable(service, { roles: ["reader"] })];
	const { data: roles } = (await service.callAsAdmin("GET", `${APPLICATIONS}/${app}/roles`)).body;
	const reader = roles.find(({ name }) => name === "reader");
	await service.asAdmin("DELETE", `${APPLICATIONS}/${app}/roles/${reader?.id}`);
	assert.equal((await service.asAdmin("GET", `${APPLICATIONS}/${app}`)).requestable, null);
	const { status } = await service.call("POST", "/api/v1/users/me/requests", {
		token: person.token,
		body: { app_id: app, roles: [], reason: "To read the books.", until: inDays(service, 1) },
	});
	assert.equal(status, 403);
});

describe("no one approves their own request", () => {
	const shared = fixture(async () => {
		const group = await addGroup(service);
		return { groupId: group.id, app: await addRequestable(service, { reviewers: group.id }) };
	});

	/** Asks as a person with these roles. */
	async function ask(roles: readonly string[]) {
		const person = await newPerson(roles);
		return { person, id: (await requestRoles(service, person, shared.app)).id };
	}
	const OWN = [403, "request.own"];

	for (const [index, roles] of [
		["admin"],
		["reviewer"],
		["platform_admin"],
		["admin", "reviewer", "auditor"],
	].entries())
		it(`way ${index + 1}: with the roles ${roles}`, async () => {
			const { person, id } = await ask(roles);
			for (const verb of ["approve", "reject"]) assert.deepEqual(await codeOf(person.token, id, verb), OWN);
			assert.equal(await grantOf(person, shared.app), undefined);
		});

	it("way 5: as a member of the reviewers", async () => {
		const { person, id } = await ask([]);
		await addMember(service, shared.groupId, person.id);
		assert.deepEqual(await codeOf(person.token, id, "approve"), OWN);
	});

	it("way 6: with an admin key that they made, before or after", async () => {
		const person = await newPerson(["admin"]);
		const before = await addAdminKey(service, {}, person.token);
		const { id } = await requestRoles(service, person, shared.app);
		const after = await addAdminKey(service, { roles: ["reviewer"] }, person.token);
		for (const { key } of [before, after]) assert.deepEqual(await codeOf(key, id, "approve"), OWN);
		// The key of another administrator decides.
		assert.equal((await send((await addAdminKey(service)).key, id, "approve")).status, 200);
	});

	it("way 7: in another session", async () => {
		const { person, id } = await ask(["admin"]);
		assert.deepEqual(await codeOf(await signInAgain(service, person), id, "approve"), OWN);
	});

	it("way 8: with the token of an application", async () => {
		const { person, id } = await ask(["admin"]);
		const token = await signInToApplication(service, person);
		assert.deepEqual(await codeOf(token, id, "approve"), [403, "application.token"]);
	});

	it("way 9: after a promotion, or under another name", async () => {
		const { person, id } = await ask([]);
		const path = `/api/v1/users/${person.id}`;
		await service.asAdmin("PATCH", path, { roles: ["admin"], username: `${person.username}.renamed` });
		assert.deepEqual(await codeOf(person.token, id, "approve"), OWN);
	});

	it("way 10: with fewer roles or a shorter time", async () => {
		const { person, id } = await ask(["admin"]);
		const less = { roles: [], until: inDays(service, 1) };
		assert.deepEqual(await codeOf(person.token, id, "approve", less), OWN);
	});

	it("way 11: at the same time as they withdraw it, or many times", async () => {
		const { person, id } = await ask(["admin"]);
		const answers = await Promise.all([
			...Array.from({ length: 5 }, () => send(person.token, id, "approve")),
			service.call("POST", `/api/v1/users/me/requests/${id}/withdraw`, { token: person.token }),
		]);
		assert.ok(answers.slice(0, 5).every(({ status }) => status === 403));
		assert.equal(await grantOf(person, shared.app), undefined);
	});

	it("way 12: from another tenant, or by its administrator", async () => {
		const { id } = await ask([]);
		const other = await addSecondTenant(service);
		assert.deepEqual(await codeOf(other.adminToken, id, "approve"), [404, "request.not_found"]);
	});
});
