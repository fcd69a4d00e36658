// Reviews: what an item says, who decides it, and what ends when a review closes.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemCaller } from "../../src/domain/caller.ts";
import { REVIEWS_KEPT_MS } from "../../src/domain/review.ts";
import { createReview } from "../../src/features/access/reviews/create-review.ts";
import { submitApproved } from "../harness/access/access-requests.ts";
import {
	API_CLIENTS,
	APPLICATIONS,
	addApiClient,
	addApplication,
	addRole,
	problemOf,
	putGrant,
} from "../harness/access/applications.ts";
import { addGroup, putGroupGrant } from "../harness/access/groups.ts";
import { addReview, itemsOf, REVIEWS, type ReviewItem, runReviewJob } from "../harness/access/reviews.ts";
import { ADMIN_KEYS, addAdminKey } from "../harness/people/admin-keys.ts";
import { addPerson, auditOf, type Person } from "../harness/people/people.ts";
import { testService } from "../harness/runs/fixture.ts";
import { openBeside } from "../harness/service/beside-service.ts";

const service = testService();
const DAY = 86_400_000;
let people = 0;
const newPerson = (roles: readonly string[] = []) => addPerson(service, `reviewed${++people}`, { roles });
const inDays = (days: number) => new Date(service.clock.now() + days * DAY).toISOString();

type Problem = { code: string; data?: ReviewItem };
const decide = (token: string, { review_id, id }: ReviewItem, body: object) =>
	service.call<Problem>("POST", `${REVIEWS}/${review_id}/items/${id}`, {
		token,
		body,
		headers: { accept: "application/problem+json" },
	});
const codeOf = async (...call: Parameters<typeof decide>) => {
	const { status, body } = await decide(...call);
	return [status, body?.code];
};
const itemOf = async (id: string, subjectId: string): Promise<ReviewItem> => {
	const item = (await itemsOf(service, id)).find(({ subject_id }) => subject_id === subjectId);
	return item ?? assert.fail("no such item");
};
const grantsOf = async ({ id }: Pick<Person, "id">): Promise<readonly { app_id: string }[]> => {
	const { body } = await service.callAsAdmin("GET", `/api/v1/users/${id}/grants`);
	return body.data;
};
async function appWithRole(name = "editor", permissions = ["posts:write"]) {
	const app = await addApplication(service);
	await addRole(service, app.id, name, permissions);
	return app;
}

describe("the items of a review", () => {
	it("name roles and permissions of groups, the origin, and the risk", async () => {
		const app = await appWithRole();
		await addRole(service, app.id, "reader", ["posts:read"]);
		const [direct, member, gone] = [await newPerson(), await newPerson(), await newPerson()];
		await putGrant(service, app.id, direct.id, ["editor"]);
		await putGrant(service, app.id, gone.id, ["reader"]);
		await service.asAdmin("PATCH", `/api/v1/users/${gone.id}`, { status: "disabled" });
		const group = await addGroup(service, [member.id, direct.id]);
		await putGroupGrant(service, app.id, group.id, ["reader"]);
		const review = await addReview(service, { app_id: app.id });
		assert.deepEqual([review.total, review.open, review.status], [3, 3, "open"]);
		const both = await itemOf(review.id, direct.id);
		assert.deepEqual(both.roles, ["editor", "reader"]);
		assert.deepEqual(both.permissions, ["posts:read", "posts:write"]);
		assert.deepEqual(
			both.sources.map(({ kind, name, roles }) => [kind, name, roles]),
			[
				["grant", "", ["editor"]],
				["group", group.name, ["reader"]],
			],
		);
		assert.equal(both.granted_by, (await service.asAdmin("GET", "/api/v1/users/me")).id);
		assert.deepEqual((await itemOf(review.id, member.id)).roles, ["reader"]);
		const [first] = await itemsOf(service, review.id);
		assert.equal(first?.subject_id, gone.id, "who left comes first");
		assert.deepEqual(first?.flags, ["never_used", "owner_left"]);
		const other = await addApplication(service, { name: `Wiki of ${group.name}` });
		await putGroupGrant(service, other.id, group.id);
		const scoped = await addReview(service, { app_id: app.id });
		const named = await itemOf(scoped.id, direct.id);
		assert.deepEqual(
			named.sources.map(({ other_apps }) => other_apps),
			[[], [other.name]],
			"what the end of the membership takes away, too",
		);
		assert.equal((await itemOf(review.id, direct.id)).changed, false);
		const byName = await itemsOf(service, review.id, `&q=${member.username}`);
		assert.deepEqual(
			byName.map(({ subject_id }) => subject_id),
			[member.id],
		);
		assert.equal((await itemsOf(service, review.id, "&flag=owner_left")).length, 1);
	});

	it("of everything have system roles and one item for each application", async () => {
		const person = await newPerson(["auditor"]);
		const apps = [await appWithRole(), await appWithRole()];
		for (const { id } of apps) await putGrant(service, id, person.id, ["editor"]);
		const { id } = await addReview(service);
		const own = (await itemsOf(service, id)).filter(({ subject_id }) => subject_id === person.id);
		assert.deepEqual(
			new Set(own.map(({ app_id, roles }) => `${app_id} ${roles}`)),
			new Set(["null auditor", ...apps.map((app) => `${app.id} editor`)]),
		);
	});

	it("of a group are its memberships, and end as such", async () => {
		const app = await appWithRole();
		const [one, other] = [await newPerson(), await newPerson()];
		const group = await addGroup(service, [one.id, other.id]);
		await putGroupGrant(service, app.id, group.id, ["editor"]);
		const review = await addReview(service, { group_id: group.id });
		assert.equal(review.total, 2);
		const item = await itemOf(review.id, one.id);
		assert.deepEqual([item.app_id, item.roles], [null, ["editor"]]);
		await decide(await service.adminToken(), item, { decision: "end" });
		await service.asAdmin("POST", `${REVIEWS}/${review.id}/close`);
		assert.deepEqual([(await grantsOf(one)).length, (await grantsOf(other)).length], [0, 1]);
	});

	it("are refused for other subjects, absent records, and ends that are too near or too far", async () => {
		const group = await addGroup(service);
		const app = await addApplication(service);
		const base = { name: "R", subject: "people", unanswered: "keep", due_at: inDays(30) };
		for (const [body, field] of [
			[{ due_at: inDays(0.9) }, "due_at"],
			[{ due_at: inDays(181) }, "due_at"],
			[{ subject: "partners", unanswered: "end", due_at: inDays(13.9) }, "due_at"],
			[{ subject: "partners", group_id: group.id }, "group_id"],
			[{ subject: "admin_keys", app_id: app.id }, "app_id"],
			[{ app_id: app.id, group_id: group.id }, "group_id"],
			[{ app_id: group.id }, "app_id"],
			[{ group_id: app.id }, "group_id"],
			[{ reviewers: app.id }, "reviewers"],
		] as const) {
			const { status, code, fields } = await problemOf(service, "POST", REVIEWS, { ...base, ...body });
			assert.deepEqual([status, code, fields], [400, "request.invalid", [field]], JSON.stringify(body));
		}
	});
});

describe("a review", () => {
	const open = async (): Promise<number> => {
		await using engine = await service.openDatabase();
		const sql = "SELECT count(*) AS total FROM reviews WHERE status <> 'closed'";
		const total = (await engine.queries.one<{ total: number }>(sql))?.total ?? -1;
		return total;
	};
	const fields = {
		name: "Stopped",
		subject: "people",
		appId: null,
		groupId: null,
		unanswered: "keep",
		reviewers: null,
	} as const;

	it("whose preparation fails counts no longer, and one whose process ended for twenty minutes", async () => {
		await newPerson(["auditor"]);
		await using beside = await openBeside(service);
		const { db, clock } = beside;
		const { id: userId, tenant_id: tenantId } = await service.asAdmin("GET", "/api/v1/users/me");
		const before = await open();
		const fails = (canRemove: boolean): typeof db => ({
			...db,
			transaction: (work) =>
				db.transaction((stores) => {
					const fail = () => Promise.reject(new Error("the process ends"));
					const reviews = { ...stores.reviews, insertItems: fail, ...(!canRemove && { abandon: fail }) };
					return work({ ...stores, reviews });
				}),
		});
		const create = (canRemove: boolean) =>
			createReview(
				{ db: fails(canRemove), clock, publicUrl: "https://id.example", wakeMail: () => undefined },
				{ ...fields, dueAtMs: clock() + 30 * DAY },
				{ ...systemCaller(tenantId), userId },
			);
		await assert.rejects(create(true), /the process ends/);
		assert.equal(await open(), before);
		await assert.rejects(create(false), /the process ends/);
		assert.equal(await open(), before + 1);
		service.clock.advance(21 * 60_000);
		await runReviewJob(service);
		assert.equal(await open(), before);
	});

	it("whose preparation stood still for ten minutes is not opened, and leaves nothing", async () => {
		await newPerson(["auditor"]);
		await using beside = await openBeside(service);
		const { db, clock, engine } = beside;
		const { id: userId, tenant_id: tenantId } = await service.asAdmin("GET", "/api/v1/users/me");
		const rows = () => engine.queries.all("SELECT id FROM reviews UNION ALL SELECT id FROM review_items");
		const before = (await rows()).length;
		for (const standsStill of [2, 3]) {
			let transactions = 0;
			const transaction: typeof db.transaction = (work) => {
				// The first inserts the review, the second its items, and the third opens it.
				if (++transactions === standsStill) service.clock.advance(11 * 60_000);
				return db.transaction(work);
			};
			const creating = createReview(
				{ db: { ...db, transaction }, clock, publicUrl: "https://id.example", wakeMail: () => undefined },
				{ ...fields, dueAtMs: clock() + 30 * DAY },
				{ ...systemCaller(tenantId), userId },
			);
			await assert.rejects(creating, { code: "service.overloaded" });
			assert.equal((await rows()).length, before);
		}
	});

	it("is deleted with its items three years after its end, and stays in the audit trail", async () => {
		const [app, person] = [await appWithRole(), await newPerson()];
		await putGrant(service, app.id, person.id, ["editor"]);
		const [closed, running] = [
			await addReview(service, { app_id: app.id }),
			await addReview(service, { app_id: app.id }),
		];
		await decide(await service.adminToken(), await itemOf(closed.id, person.id), { decision: "keep" });
		await service.asAdmin("POST", `${REVIEWS}/${closed.id}/close`);
		await using beside = await openBeside(service);
		const { db, clock, engine } = beside;
		const purge = (afterMs: number) =>
			db.transaction(({ reviews }) => reviews.purge(clock() + afterMs, 1_000));
		await purge(REVIEWS_KEPT_MS - DAY);
		assert.equal((await itemsOf(service, closed.id)).length, 1);
		while ((await purge(REVIEWS_KEPT_MS + DAY)) > 0);
		assert.equal((await problemOf(service, "GET", `${REVIEWS}/${closed.id}`)).status, 404);
		const sql = "SELECT count(*) AS total FROM review_items WHERE review_id = $1";
		assert.equal((await engine.queries.one<{ total: number }>(sql, closed.id))?.total, 0);
		assert.equal((await itemsOf(service, running.id)).length, 1);
		const actions = (await auditOf(service, `review:${closed.id}`)).map(({ action }) => action);
		assert.deepEqual(actions.toSorted(), ["review.closed", "review.created"]);
		const events = await auditOf(service, `user:${person.id}`);
		assert.ok(events.some(({ action }) => action === "review.item_kept"));
	});
});

describe("a decision", () => {
	it("counts once, and is in the export with its audit event", async () => {
		const [app, person] = [
			await appWithRole(),
			await addPerson(service, `cmd${Date.now()}`, { display_name: "=1+1" }),
		];
		await putGrant(service, app.id, person.id, ["editor"]);
		const review = await addReview(service, { app_id: app.id });
		const item = await itemOf(review.id, person.id);
		const admin = await service.adminToken();
		const [one, two] = await Promise.all([
			decide(admin, item, { decision: "keep", note: "=needed" }),
			decide(admin, item, { decision: "end" }),
		]);
		assert.deepEqual([one.status, two.status].toSorted(), [200, 409]);
		assert.deepEqual(await codeOf(admin, item, { decision: "keep" }), [409, "review.decided"]);
		const decided = await itemOf(review.id, person.id);
		const [event] = (await service.asAdmin(
			"GET",
			`/api/v1/audit-events?action=review.item_${decided.state}&target=user:${person.id}` as "/api/v1/audit-events",
		)) as unknown as { id: string; details: Record<string, unknown> }[];
		assert.equal(event?.id, decided.audit_id);
		const { body } = await service.call("GET", `${REVIEWS}/${review.id}/export`, { token: admin });
		assert.match(String(body), new RegExp(decided.audit_id ?? "-"));
		assert.match(String(body), /,'=1\+1,/);
		const { kept, ended, open, total } = await service.asAdmin("GET", `${REVIEWS}/${review.id}`);
		assert.deepEqual([kept + ended, open, total], [1, 0, 1]);
	});

	it("to keep what changed since needs the version that was read", async () => {
		const [app, person] = [await appWithRole(), await newPerson()];
		await addRole(service, app.id, "owner");
		await putGrant(service, app.id, person.id, ["editor"]);
		const review = await addReview(service, { app_id: app.id });
		const before = await itemOf(review.id, person.id);
		assert.deepEqual([before.changed, before.current], [false, null]);
		await putGrant(service, app.id, person.id, ["editor", "owner"]);
		const admin = await service.adminToken();
		for (const body of [{}, { version: before.version }, { version: "0" }])
			assert.deepEqual(await codeOf(admin, before, { decision: "keep", ...body }), [
				409,
				"review.item_changed",
			]);
		const { changed, current, roles, version } = await itemOf(review.id, person.id);
		assert.deepEqual([changed, roles, current?.roles], [true, ["editor"], ["editor", "owner"]]);
		assert.deepEqual(await codeOf(admin, before, { decision: "keep", version }), [200, undefined]);
	});

	it("may shorten what it keeps, never lengthen it", async () => {
		const [app, person] = [await appWithRole(), await newPerson()];
		await service.asAdmin("PUT", `${APPLICATIONS}/${app.id}/grants/users/${person.id}`, {
			roles: ["editor"],
			expires_at: inDays(60),
		});
		const review = await addReview(service, { app_id: app.id });
		const item = await itemOf(review.id, person.id);
		const admin = await service.adminToken();
		for (const body of [
			{ decision: "keep", expires_at: inDays(61) },
			{ decision: "keep", expires_at: inDays(-1) },
			{ decision: "end", expires_at: inDays(10) },
		])
			assert.deepEqual(await codeOf(admin, item, body), [400, "request.invalid"]);
		const expires_at = inDays(10);
		assert.deepEqual(await codeOf(admin, item, { decision: "keep", expires_at }), [200, undefined]);
		const [grant] = (await grantsOf(person)) as unknown as { expires_at: string; roles: string[] }[];
		assert.deepEqual([grant?.expires_at, grant?.roles], [expires_at, ["editor"]]);
	});
});

describe("no one decides about themselves", () => {
	it("neither an administrator, nor a reviewer, nor another reviewer about one, nor by a key", async () => {
		const app = await appWithRole();
		const [one, two, plain] = [await newPerson(), await newPerson(), await newPerson()];
		const [boss, deputy] = [await newPerson(["admin"]), await newPerson(["admin"])];
		const reviewers = await addGroup(service, [one.id, two.id]);
		for (const { id } of [one, two, plain, boss]) await putGrant(service, app.id, id, ["editor"]);
		const review = await addReview(service, { app_id: app.id, reviewers: reviewers.id });
		const [ofOne, ofPlain, ofBoss] = (await Promise.all(
			[one, plain, boss].map(({ id }) => itemOf(review.id, id)),
		)) as [ReviewItem, ReviewItem, ReviewItem];
		assert.deepEqual(
			[ofOne.flags.includes("reviewer_is_subject"), ofPlain.flags.includes("reviewer_is_subject")],
			[true, false],
		);
		const end = { decision: "end" };
		const own = [403, "review.own"];
		assert.deepEqual(await codeOf(one.token, ofOne, end), own, "about herself");
		assert.deepEqual(await codeOf(two.token, ofOne, end), own, "for each other");
		assert.deepEqual(await codeOf(boss.token, ofBoss, end), own, "as an administrator");
		assert.deepEqual(await codeOf(plain.token, ofPlain, end), [403, "role.required"], "who reviews nothing");
		const key = await addAdminKey(service, { roles: ["admin"] });
		assert.deepEqual(await codeOf(key.key, ofPlain, end), [403, "admin_key.not_allowed"]);
		const made = await service.call("POST", ADMIN_KEYS, {
			token: boss.token,
			body: { name: "own", roles: ["admin"], expires_at: inDays(30) },
		});
		const keys = await addReview(service, { subject: "admin_keys" });
		const ofKey = await itemOf(keys.id, (made.body as unknown as { data: { id: string } }).data.id);
		assert.deepEqual(await codeOf(boss.token, ofKey, { decision: "keep" }), own, "about a key that he made");
		assert.deepEqual(await codeOf(one.token, ofKey, end), [404, "review.not_found"], "of a review of others");
		const delegated = await decide(deputy.token, ofOne, end);
		assert.equal(delegated.body.data?.decided_for, one.id);
		assert.deepEqual(await codeOf(two.token, ofPlain, { decision: "keep" }), [200, undefined]);
		assert.equal((await itemOf(review.id, plain.id)).decided_for, null);
	});
});

describe("the end of a review", () => {
	it("ends what was ended, keeps the rest, and takes no decision any more", async () => {
		const app = await appWithRole();
		const [kept, ended, open] = [await newPerson(), await newPerson(), await newPerson()];
		for (const { id } of [kept, ended, open]) await putGrant(service, app.id, id, ["editor"]);
		const review = await addReview(service, { app_id: app.id });
		const admin = await service.adminToken();
		await decide(admin, await itemOf(review.id, kept.id), { decision: "keep" });
		await decide(admin, await itemOf(review.id, ended.id), { decision: "end" });
		assert.equal((await grantsOf(ended)).length, 1, "nothing ends before");
		service.clock.advance(31 * DAY);
		const late = await itemOf(review.id, open.id);
		assert.deepEqual(await codeOf(await service.adminToken(), late, { decision: "end" }), [
			409,
			"review.closed",
		]);
		await runReviewJob(service);
		const closed = await service.asAdmin("GET", `${REVIEWS}/${review.id}`);
		assert.deepEqual([closed.status, closed.kept, closed.ended, closed.open], ["closed", 2, 1, 0]);
		assert.deepEqual(
			[await grantsOf(kept), await grantsOf(ended), await grantsOf(open)].map(({ length }) => length),
			[1, 0, 1],
		);
		const unanswered = await itemOf(review.id, open.id);
		assert.deepEqual(
			[unanswered.state, unanswered.decided_by, unanswered.audit_id !== null],
			["kept", null, true],
		);
		assert.equal((await problemOf(service, "POST", `${REVIEWS}/${review.id}/close`)).code, "review.closed");
	});

	it("with unanswered: end takes roles, clients, programs' grants, and keys, but not the last administrator", async () => {
		const auditor = await newPerson(["auditor"]);
		const client = await addApiClient(service);
		const key = await addAdminKey(service, { roles: ["auditor"] });
		for (const subject of ["people", "partners", "admin_keys"]) {
			const review = await addReview(service, { subject, unanswered: "end" });
			await service.asAdmin("POST", `${REVIEWS}/${review.id}/close`);
			const closed = await service.asAdmin("GET", `${REVIEWS}/${review.id}`);
			assert.deepEqual([closed.status, closed.open], ["closed", 0]);
			if (subject !== "people") continue;
			const me = await service.asAdmin("GET", "/api/v1/users/me");
			const own = (await itemsOf(service, review.id)).find(
				(item) => item.subject_id === me.id && item.app_id === null,
			);
			assert.notEqual(own?.failure, "", "an administrator remains");
		}
		const { data } = (await service.callAsAdmin("GET", `/api/v1/users/${auditor.id}`)).body;
		assert.deepEqual(data.roles, []);
		assert.equal((await service.asAdmin("GET", `${API_CLIENTS}/${client.id}`)).status, "disabled");
		const left = await service.call("GET", "/api/v1/users", { token: key.key });
		assert.equal(left.status, 401);
	});

	it("with unanswered: end leaves a membership on which a kept item depends, and ends it where a reviewer says so", async () => {
		const person = await newPerson();
		const apps = [await appWithRole(), await appWithRole()] as const;
		const group = await addGroup(service, [person.id]);
		for (const { id } of apps) await putGroupGrant(service, id, group.id, ["editor"]);
		const itemAt = async (id: string, appId: string) =>
			(await itemsOf(service, id)).find((item) => item.subject_id === person.id && item.app_id === appId) ??
			assert.fail("no such item");
		const admin = await service.adminToken();
		const reviewOfBoth = async (isEnded: boolean) => {
			const { id } = await addReview(service, { unanswered: "end" });
			for (const item of await itemsOf(service, id))
				if (item.subject_id !== person.id) await decide(admin, item, { decision: "keep" });
			await decide(admin, await itemAt(id, apps[0].id), { decision: "keep" });
			if (isEnded) await decide(admin, await itemAt(id, apps[1].id), { decision: "end" });
			await service.asAdmin("POST", `${REVIEWS}/${id}/close`);
			return [(await itemAt(id, apps[1].id)).failure, (await grantsOf(person)).length];
		};
		assert.deepEqual(await reviewOfBoth(false), ["review.decided", 2]);
		assert.deepEqual(await reviewOfBoth(true), ["", 0]);
	});

	it("leaves who became a platform admin after the snapshot, whom an admin may not manage", async () => {
		const [decider, person] = [await newPerson(["admin"]), await newPerson(["auditor"])];
		const review = await addReview(service);
		const item = await itemOf(review.id, person.id);
		assert.equal((await decide(decider.token, item, { decision: "end" })).status, 200);
		await service.asAdmin("PATCH", `/api/v1/users/${person.id}`, { roles: ["admin", "platform_admin"] });
		await service.asAdmin("POST", `${REVIEWS}/${review.id}/close`);
		assert.deepEqual((await service.asAdmin("GET", `/api/v1/users/${person.id}`)).roles, [
			"admin",
			"platform_admin",
		]);
		assert.equal((await itemOf(review.id, person.id)).failure, "role.required");
	});

	it("leaves what the subject got after the snapshot", async () => {
		const [app, person] = [await appWithRole(), await newPerson()];
		await putGrant(service, app.id, person.id, ["editor"]);
		const review = await addReview(service, { app_id: app.id });
		await decide(await service.adminToken(), await itemOf(review.id, person.id), { decision: "end" });
		await service.asAdmin("DELETE", `${APPLICATIONS}/${app.id}/grants/users/${person.id}`);
		service.clock.advance(60_000);
		await putGrant(service, app.id, person.id, ["editor"]);
		await service.asAdmin("POST", `${REVIEWS}/${review.id}/close`);
		assert.equal((await grantsOf(person)).length, 1);
	});
});

describe("partners", () => {
	it("are mailed once, say what they need, and decide nothing", async () => {
		const { email, api_client_id } = await submitApproved(service);
		await service.mailsTo(email, 2);
		const review = await addReview(service, { subject: "partners", due_at: inDays(20) });
		await runReviewJob(service);
		assert.equal((await itemOf(review.id, api_client_id ?? "")).partner_answer, null);
		service.clock.advance(6 * DAY + 60_000);
		await Promise.all([runReviewJob(service), runReviewJob(service)]);
		const mails = await service.mailsTo(email, 3);
		assert.equal(mails.length, 3, "one mail about the review");
		const token = /still-needed#([\w-]+)/.exec(mails.at(-1)?.text ?? "")?.[1] ?? "";
		const path = `${REVIEWS}/partner-answer` as const;
		const shown = await service.call("POST", `${path}/preview`, { body: { token } });
		assert.equal(shown.status, 200);
		const body = { token, answer: "needed", reason: "Nightly import." };
		for (const reason of [undefined, "", " "]) {
			const { status, fields } = await problemOf(service, "POST", path, { ...body, reason });
			assert.deepEqual([status, fields], [400, ["reason"]], "still needed, without a reason");
		}
		assert.equal((await service.call("POST", path, { body })).status, 204);
		const item = await itemOf(review.id, api_client_id ?? "");
		assert.deepEqual(
			[item.state, item.partner_answer, item.partner_reason],
			["open", "needed", "Nightly import."],
		);
		assert.equal((await service.call("POST", path, { body: { ...body, token: "wrong" } })).status, 404);
		service.clock.advance(15 * DAY);
		assert.equal((await service.call("POST", path, { body })).status, 404, "after the end");
	});

	it("are not mailed once a reviewer kept their client", async () => {
		const [kept, ended] = [await submitApproved(service), await submitApproved(service)];
		for (const { email } of [kept, ended]) await service.mailsTo(email, 2);
		const review = await addReview(service, { subject: "partners", due_at: inDays(20) });
		for (const [{ api_client_id }, decision] of [
			[kept, "keep"],
			[ended, "end"],
		] as const)
			await decide(await service.adminToken(), await itemOf(review.id, api_client_id ?? ""), { decision });
		service.clock.advance(6 * DAY + 60_000);
		await runReviewJob(service);
		assert.equal((await service.mailsTo(ended.email, 3)).length, 3);
		await using engine = await service.openDatabase();
		const sql = "SELECT count(*) AS total FROM mail_outbox WHERE recipient = $1";
		assert.equal((await engine.queries.one<{ total: number }>(sql, kept.email))?.total, 2);
	});
});
