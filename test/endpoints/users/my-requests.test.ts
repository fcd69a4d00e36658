// What people request, may request, and withdraw.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { auditOf, decide, QUEUE } from "../../harness/access/access-requests.ts";
import { ABSENT_ID, APPLICATIONS, addApplication, putGrant } from "../../harness/access/applications.ts";
import { addGroup, putGroupGrant } from "../../harness/access/groups.ts";
import {
	addRequestable,
	inDays,
	MY_REQUESTS,
	REQUESTABLE,
	requestBody,
	requestRoles,
} from "../../harness/access/person-requests.ts";
import { addPerson, type Person, signInToApplication } from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

const service = testService();
let people = 0;
const newPerson = (fields = {}) => addPerson(service, `asker${++people}`, fields);
const shared = fixture(async () => ({ appId: await addRequestable(service) }));

type Problem = { code: string; errors?: readonly { field: string }[] };
const post = (token: string, body: unknown) =>
	service.call<Problem>("POST", MY_REQUESTS, {
		token,
		body,
		headers: { accept: "application/problem+json" },
	});
const requestable = async ({ token }: Person, query = "page_size=100") => {
	const { status, body } = await service.call("GET", `${REQUESTABLE}?${query}`, { token });
	assert.equal(status, 200, JSON.stringify(body));
	return body;
};
const offeredIn = async (person: Person, appId: string) =>
	(await requestable(person)).data.find(({ app_id }) => app_id === appId);

describe("GET /api/v1/users/me/requestable", () => {
	describe("200", () => {
		it("returns the roles that the person lacks, with the longest time and the pending request", async () => {
			const person = await newPerson();
			const offered = await offeredIn(person, shared.appId);
			assert.deepEqual(
				offered?.roles.map(({ name }) => name),
				["closer", "reader"],
			);
			assert.deepEqual([offered?.longest, offered?.pending_request_id], ["P30D", null]);
			const { id } = await requestRoles(service, person, shared.appId);
			assert.equal((await offeredIn(person, shared.appId))?.pending_request_id, id);
		});

		it("leaves out roles that a group gives, and applications without a role that is lacking", async () => {
			const [person, app] = [await newPerson(), await addRequestable(service)];
			const group = await addGroup(service, [person.id]);
			await putGroupGrant(service, app, group.id, ["reader"]);
			assert.deepEqual(
				(await offeredIn(person, app))?.roles.map(({ name }) => name),
				["closer"],
			);
			await putGroupGrant(service, app, group.id, ["reader", "closer"]);
			assert.equal(await offeredIn(person, app), undefined);
			const own = await addRequestable(service);
			await putGrant(service, own, person.id, []);
			assert.equal(await offeredIn(person, own), undefined);
		});

		it("offers access without a role, and leaves out disabled applications and those of other tenants", async () => {
			const person = await newPerson();
			const bare = await addRequestable(service, { roles: [] });
			assert.deepEqual((await offeredIn(person, bare))?.roles, []);
			const open = await addRequestable(service, { roles: [] }, { access_policy: "open" });
			assert.equal(await offeredIn(person, open), undefined);
			await service.asAdmin("PATCH", `${APPLICATIONS}/${bare}`, { status: "disabled" });
			assert.equal(await offeredIn(person, bare), undefined);
			const { data, total } = await requestable(person, "page_size=1");
			assert.equal(data.length, 1);
			assert.equal(total, (await requestable(person)).data.length);
		});
	});
});

describe("POST /api/v1/users/me/requests", () => {
	describe("201", () => {
		it("waits in the queue, is in the audit trail, and is mailed to the reviewers", async () => {
			const reviewer = await addPerson(service, "mailed.reviewer", { roles: ["reviewer"] });
			const person = await newPerson({ display_name: "A\u0455ker" });
			const made = await requestRoles(service, person, shared.appId, {
				roles: ["reader", "closer", "reader"],
			});
			assert.deepEqual([made.kind, made.status, made.roles], ["person", "pending", ["closer", "reader"]]);
			const queued = await service.asAdmin("GET", `${QUEUE}/${made.id}`);
			assert.ok(queued.kind === "person");
			assert.deepEqual(
				[queued.username, queued.app_id, queued.reason, queued.until, queued.mixed_scripts],
				[person.username, shared.appId, "To close the books.", made.until, ["display_name"]],
			);
			const [mail] = await service.mailsTo(reviewer.email);
			assert.match(
				mail?.text ?? "",
				new RegExp(`${person.username}[\\s\\S]*closer, reader[\\s\\S]*/console/requests/${made.id}`),
			);
			assert.deepEqual(await auditOf(service, `person_request:${made.id}`), [
				`user:${person.id} person_request.submitted`,
			]);
		});

		it("mails the group of the application instead, without the person", async () => {
			const [member, person] = [await newPerson(), await newPerson()];
			const group = await addGroup(service, [member.id, person.id]);
			const app = await addRequestable(service, { reviewers: group.id });
			await requestRoles(service, person, app);
			assert.equal((await service.mailsTo(member.email)).length, 1);
			assert.equal((await service.mailsTo(person.email, 0)).length, 0);
		});
	});

	describe("400", () => {
		it("names an end after the longest time, and one that has passed", async () => {
			const person = await newPerson();
			for (const days of [31, -1]) {
				const { status, body } = await post(
					person.token,
					requestBody(service, shared.appId, { until: inDays(service, days) }),
				);
				assert.deepEqual([status, body.code, body.errors?.[0]?.field], [400, "request.too_long", "until"]);
			}
		});
	});

	describe("403", () => {
		it("refuses the same way whether the application exists, takes requests, or has the role", async () => {
			const person = await newPerson();
			const closed = await addApplication(service);
			const answers = [];
			for (const [appId, roles] of [
				[ABSENT_ID, ["closer"]],
				[closed.id, ["closer"]],
				[shared.appId, ["owner"]],
				[shared.appId, ["closer", "no-role"]],
				[shared.appId, []],
			] as const) {
				const { status, body } = await post(person.token, requestBody(service, appId, { roles }));
				answers.push(JSON.stringify([status, body.code, (body as { detail?: string }).detail]));
			}
			assert.equal(new Set(answers).size, 1, answers.join("\n"));
			assert.match(answers[0] ?? "", /403,"request.not_requestable"/);
		});

		it("refuses a person with a grant of their own without an end, and the token of an application", async () => {
			const person = await newPerson();
			const app = await addRequestable(service);
			await putGrant(service, app, person.id, ["reader"]);
			assert.equal(
				(await post(person.token, requestBody(service, app))).body.code,
				"request.not_requestable",
			);
			const token = await signInToApplication(service, person);
			assert.equal((await post(token, requestBody(service, shared.appId))).body.code, "application.token");
		});
	});

	describe("409", () => {
		it("keeps one pending request for each application, of simultaneous ones too", async () => {
			const person = await newPerson();
			const app = await addRequestable(service);
			const body = requestBody(service, app);
			const answers = await Promise.all([1, 2, 3].map(() => post(person.token, body)));
			assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
			const { id } = (await service.call("GET", MY_REQUESTS, { token: person.token })).body.data[0] ?? {};
			await decide(service, id ?? "", "reject");
			assert.equal((await post(person.token, body)).status, 201);
		});
	});

	describe("429", () => {
		it("refuses the 21st request that waits", async () => {
			const person = await newPerson();
			for (let count = 0; count < 20; count++)
				await requestRoles(service, person, await addRequestable(service, { roles: [] }), { roles: [] });
			const last = requestBody(service, shared.appId);
			const { status, body, headers } = await post(person.token, last);
			assert.deepEqual([status, body.code], [429, "request.queue_full"]);
			assert.ok(Number(headers["retry-after"]) > 0);
		});
	});
});

describe("GET /api/v1/users/me/requests", () => {
	describe("200", () => {
		it("returns the caller's requests, newest first, without who decided", async () => {
			const [person, other] = [await newPerson(), await newPerson()];
			const first = await requestRoles(service, person, shared.appId);
			const second = await requestRoles(service, person, await addRequestable(service));
			await requestRoles(service, other, shared.appId);
			await decide(service, first.id, "reject", { review_note: "Ask your manager." });
			const { body } = await service.call("GET", MY_REQUESTS, { token: person.token });
			assert.deepEqual(
				body.data.map(({ id, status, review_note }) => [id, status, review_note]),
				[
					[second.id, "pending", ""],
					[first.id, "rejected", "Ask your manager."],
				],
			);
			assert.ok(!("reviewed_by" in (body.data[1] ?? {})));
		});
	});
});

describe("POST /api/v1/users/me/requests/{id}/withdraw", () => {
	const withdraw = ({ token }: Person, id: string) =>
		service.call("POST", `${MY_REQUESTS}/${id}/withdraw`, { token });
	describe("200", () => {
		it("withdraws a pending request once; no one can approve it then", async () => {
			const person = await newPerson();
			const { id } = await requestRoles(service, person, shared.appId);
			const answers = await Promise.all([withdraw(person, id), withdraw(person, id)]);
			assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
			const approval = await service.callAsAdmin("POST", `${QUEUE}/${id}/approve`, { body: {} });
			assert.equal(approval.status, 409);
		});
	});

	describe("404", () => {
		it("does not know the request of another person", async () => {
			const [person, other] = [await newPerson(), await newPerson()];
			const { id } = await requestRoles(service, person, shared.appId);
			assert.equal((await withdraw(other, id)).status, 404);
			assert.equal((await service.asAdmin("GET", `${QUEUE}/${id}`)).status, "pending");
		});
	});

	describe("409", () => {
		it("refuses a decided request", async () => {
			const person = await newPerson();
			const { id } = await requestRoles(service, person, shared.appId);
			await decide(service, id, "reject");
			assert.equal((await withdraw(person, id)).status, 409);
		});
	});
});
