// `/reviews`: every status of every route. What a review does is in `test/access/reviews.test.ts`.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { submitApproved } from "../harness/access/access-requests.ts";
import { addApiClient, addApplication, problemOf, putGrant } from "../harness/access/applications.ts";
import { addGroup } from "../harness/access/groups.ts";
import { addReview, itemsOf, REVIEWS, type ReviewItem, runReviewJob } from "../harness/access/reviews.ts";
import { addPerson } from "../harness/people/people.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";

const service = testService();
const other = fixture(() => addSecondTenant(service));
const PARTNERS = { subject: "partners" };
let people = 0;

/** A new API client, and an open review of its application. */
async function addItem(): Promise<ReviewItem> {
	const { app_id } = await addApiClient(service);
	const { id } = await addReview(service, { ...PARTNERS, app_id });
	const [item] = await itemsOf(service, id);
	return item ?? assert.fail("the review has no item");
}
const pathOf = ({ review_id, id }: ReviewItem) => `${REVIEWS}/${review_id}/items/${id}` as const;
const close = (id: string) => service.asAdmin("POST", `${REVIEWS}/${id}/close`);
const codeOf = async (
	...call: Parameters<typeof problemOf> extends [unknown, ...infer Rest] ? Rest : never
) => {
	const { status, code } = await problemOf(service, ...call);
	return [status, code];
};
async function mailedToken(): Promise<string> {
	const { email } = await submitApproved(service);
	await service.mailsTo(email, 2);
	const due_at = new Date(service.clock.now() + 2 * 86_400_000).toISOString();
	const { id } = await addReview(service, { ...PARTNERS, due_at });
	await runReviewJob(service);
	const mails = await service.mailsTo(email, 3);
	await close(id);
	return /still-needed#([\w-]+)/.exec(mails.at(-1)?.text ?? "")?.[1] ?? assert.fail("no link was mailed");
}

describe("GET /api/v1/reviews", () => {
	describe("200", () => {
		it("lists the reviews of the tenant, newest first, and to a reviewer their own", async () => {
			const reviewer = await addPerson(service, `lister${++people}`);
			const { id: reviewers } = await addGroup(service, [reviewer.id]);
			const first = await addReview(service, PARTNERS);
			const second = await addReview(service, { ...PARTNERS, reviewers });
			const listed = async (token: string) =>
				(await service.call("GET", REVIEWS, { token })).body.data.map(({ id }) => id);
			assert.deepEqual((await listed(await service.adminToken())).slice(0, 2), [second.id, first.id]);
			assert.deepEqual(await listed(reviewer.token), [second.id]);
			assert.deepEqual(await listed(other.adminToken), []);
			for (const { id } of [first, second]) await close(id);
		});
	});
});

describe("POST /api/v1/reviews", () => {
	describe("201", () => {
		it("returns the review with its counts, and mails the reviewers once", async () => {
			const reviewer = await addPerson(service, `mailed${++people}`);
			const { id: reviewers } = await addGroup(service, [reviewer.id]);
			const review = await addReview(service, { ...PARTNERS, reviewers });
			assert.deepEqual([review.status, review.kept, review.ended], ["open", 0, 0]);
			assert.equal(review.total, review.open);
			const [mail] = await service.mailsTo(reviewer.email);
			assert.match(mail?.text ?? "", new RegExp(`/console/reviews/${review.id}`));
			await close(review.id);
		});
	});

	describe("409", () => {
		it("refuses the 21st open review, and a closed one makes room", async () => {
			const open: string[] = [];
			const body = { name: "R", subject: "admin_keys", unanswered: "keep", due_at: inDays(2) };
			for (;;) {
				const { status, body: answer } = await service.callAsAdmin("POST", REVIEWS, { body });
				if (status !== 201) break;
				open.push((answer as { data: { id: string } }).data.id);
			}
			const { data } = (await service.callAsAdmin("GET", `${REVIEWS}?page_size=100`)).body;
			assert.equal(data.filter(({ status }) => status === "open").length, 20);
			assert.deepEqual(await codeOf("POST", REVIEWS, body), [409, "review.too_many"]);
			for (const id of open) await close(id);
			await close((await addReview(service, PARTNERS)).id);
		});
	});
});

function inDays(days: number): string {
	return new Date(service.clock.now() + days * 86_400_000).toISOString();
}

describe("GET /api/v1/reviews/{id}", () => {
	describe("200", () => {
		it("returns the review, also to an auditor", async () => {
			const { id } = await addReview(service, PARTNERS);
			const auditor = await addPerson(service, `auditor${++people}`, { roles: ["auditor"] });
			const { status, body } = await service.call("GET", `${REVIEWS}/${id}`, { token: auditor.token });
			assert.deepEqual([status, body.data.id], [200, id]);
			await close(id);
		});
	});
});

describe("GET /api/v1/reviews/{id}/items", () => {
	describe("200", () => {
		it("filters by state, and counts", async () => {
			const item = await addItem();
			await service.asAdmin("POST", pathOf(item), { decision: "end" });
			assert.equal((await itemsOf(service, item.review_id, "&state=open")).length, 0);
			assert.equal((await itemsOf(service, item.review_id, "&state=ended")).length, 1);
			await close(item.review_id);
		});
	});
});

describe("POST /api/v1/reviews/{id}/items/{item_id}", () => {
	describe("200", () => {
		it("names who decided", async () => {
			const item = await addItem();
			const decided = await service.asAdmin("POST", pathOf(item), { decision: "keep", note: "Needed." });
			const me = await service.asAdmin("GET", "/api/v1/users/me");
			assert.deepEqual(
				[decided.decision, decided.note, decided.decided_by, decided.decided_by_name],
				["keep", "Needed.", me.id, me.username],
			);
			await close(item.review_id);
		});
	});

	describe("403", () => {
		it("about oneself", async () => {
			const boss = await addPerson(service, `boss${++people}`, { roles: ["admin"] });
			const { id: app_id } = await addApplication(service);
			await putGrant(service, app_id, boss.id);
			const { id } = await addReview(service, { app_id });
			const [item] = await itemsOf(service, id);
			assert.ok(item);
			const { status, body } = await service.call<{ code: string }>("POST", pathOf(item), {
				token: boss.token,
				body: { decision: "keep" },
				headers: { accept: "application/problem+json" },
			});
			assert.deepEqual([status, body?.code], [403, "review.own"]);
			await close(id);
		});
	});

	describe("409", () => {
		it("after a decision, after a change, and after the end", async () => {
			const [decided, changed] = [await addItem(), await addItem()];
			await service.asAdmin("POST", pathOf(decided), { decision: "keep" });
			assert.deepEqual(await codeOf("POST", pathOf(decided), { decision: "end" }), [409, "review.decided"]);
			await service.asAdmin("PATCH", `/api/v1/api-clients/${changed.subject_id}`, { scopes: [] });
			assert.deepEqual(await codeOf("POST", pathOf(changed), { decision: "keep" }), [
				409,
				"review.item_changed",
			]);
			for (const { review_id } of [decided, changed]) await close(review_id);
			assert.deepEqual(await codeOf("POST", pathOf(changed), { decision: "end" }), [409, "review.closed"]);
		});
	});
});

describe("POST /api/v1/reviews/{id}/close", () => {
	describe("200", () => {
		it("disables what was ended", async () => {
			const item = await addItem();
			await service.asAdmin("POST", pathOf(item), { decision: "end" });
			assert.equal((await close(item.review_id)).status, "closed");
			assert.equal(
				(await service.asAdmin("GET", `/api/v1/api-clients/${item.subject_id}`)).status,
				"disabled",
			);
		});
	});

	describe("409", () => {
		it("for a closed review", async () => {
			const { id } = await addReview(service, PARTNERS);
			await close(id);
			assert.deepEqual(await codeOf("POST", `${REVIEWS}/${id}/close`), [409, "review.closed"]);
		});
	});
});

describe("GET /api/v1/reviews/{id}/export", () => {
	describe("200", () => {
		it("has a line for each item, and the audit trail has the export", async () => {
			const item = await addItem();
			const { body } = await service.callAsAdmin("GET", `${REVIEWS}/${item.review_id}/export`);
			assert.equal(String(body).trimEnd().split("\r\n").length, 2);
			const { data } = (await service.callAsAdmin("GET", "/api/v1/audit-events?action=list.exported")).body;
			assert.deepEqual(data[0]?.details, { list: "review", format: "csv", id: item.review_id });
			await close(item.review_id);
		});
	});
});

describe("POST /api/v1/reviews/partner-answer", () => {
	describe("204", () => {
		it("notes the last reply", async () => {
			const { email, api_client_id } = await submitApproved(service);
			await service.mailsTo(email, 2);
			const { id } = await addReview(service, { ...PARTNERS, due_at: inDays(2) });
			await runReviewJob(service);
			const text = (await service.mailsTo(email, 3)).at(-1)?.text ?? "";
			const token = /still-needed#([\w-]+)/.exec(text)?.[1];
			const said = { needed: "Nightly import.", not_needed: "" };
			for (const [answer, reason] of Object.entries(said)) {
				const body = { token, answer, reason };
				assert.equal((await service.call("POST", `${REVIEWS}/partner-answer`, { body })).status, 204);
			}
			const item = (await itemsOf(service, id)).find(({ subject_id }) => subject_id === api_client_id);
			assert.deepEqual([item?.partner_answer, item?.state], ["not_needed", "open"]);
			const shown = await service.call("POST", `${REVIEWS}/partner-answer/preview`, { body: { token } });
			assert.deepEqual([shown.status, shown.body.data.answer], [200, "not_needed"]);
			await close(id);
		});
	});

	describe("404", () => {
		it("once the review is closed", async () => {
			const body = { token: await mailedToken(), answer: "needed" };
			assert.deepEqual(await codeOf("POST", `${REVIEWS}/partner-answer`, body), [
				404,
				"still_needed.not_found",
			]);
		});
	});
});

describe("POST /api/v1/reviews/partner-answer/preview", () => {
	describe("200", () => {
		it("names the API client, and changes nothing", async () => {
			const { email, api_client_id } = await submitApproved(service);
			await service.mailsTo(email, 2);
			const { id } = await addReview(service, { ...PARTNERS, due_at: inDays(2) });
			await runReviewJob(service);
			const text = (await service.mailsTo(email, 3)).at(-1)?.text ?? "";
			const token = /still-needed#([\w-]+)/.exec(text)?.[1];
			const { body } = await service.call("POST", `${REVIEWS}/partner-answer/preview`, { body: { token } });
			assert.equal(body.data.answer, null);
			const item = (await itemsOf(service, id)).find(({ subject_id }) => subject_id === api_client_id);
			assert.deepEqual([body.data.api_client_name, item?.partner_answer], [item?.subject_name, null]);
			await close(id);
		});
	});
});
