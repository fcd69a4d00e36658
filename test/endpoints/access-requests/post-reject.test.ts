import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
	auditOf,
	decide,
	mailedToken,
	REQUESTS,
	rows,
	submit,
	submitApproved,
} from "../../harness/access-requests.ts";
import { addPerson } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const NOTE = { review_note: "Too little detail." };

let service: TestService;
let token: string;
before(async () => {
	service = await startTestService();
	token = await service.adminToken();
});
after(() => service.stop());

const reject = (id: string, body: unknown = NOTE, as = token) =>
	service.call("POST", `${REQUESTS}/${id}/reject`, { token: as, body });
const read = async (id: string) => (await service.call("GET", `${REQUESTS}/${id}`, { token })).body.data;

describe("POST /api/v1/access-requests/{id}/reject", () => {
	describe("200", () => {
		test("answers the rejected request, and creates no client and no application", async () => {
			const record = await submit(service);
			const reviewer = await addPerson(service, "reject-reviewer", { roles: ["reviewer"] });
			const answer = await reject(record.id, { review_note: " Too little detail. " }, reviewer.token);
			assert.equal(answer.status, 200);
			const { data } = answer.body;
			assert.deepEqual(data, {
				...record,
				status: "rejected",
				review_note: "Too little detail.",
				reviewed_by: reviewer.id,
				reviewed_at: data.reviewed_at,
				updated_at: data.reviewed_at,
				api_client_id: null,
				reviewed_by_name: "reject-reviewer",
				claimed_at: null,
			});
			assert.ok(data.reviewed_at && data.reviewed_at >= record.created_at);
			assert.deepEqual(await rows(service, "SELECT id FROM api_clients"), []);
			assert.deepEqual(await auditOf(service, `access_request:${record.id}`), [
				"anonymous access_request.submitted",
				`user:${reviewer.id} access_request.rejected`,
			]);
		});

		test("mails the applicant the note in the language of the submission", async () => {
			const record = await submit(service, {}, { "accept-language": "zh-CN" });
			await reject(record.id, { review_note: "请补充用途 <script>" });
			const [, mail] = await service.mailsTo(record.email, 2);
			assert.match(mail?.subject ?? "", /您的接入申请未通过/);
			assert.match(mail?.text ?? "", /请补充用途 <script>/);
			assert.doesNotMatch(mail?.html ?? "", /<script/);
		});

		test("review_note may have 2000 characters", async () => {
			const review_note = "😀".repeat(2000);
			const answer = await reject((await submit(service)).id, { review_note });
			assert.equal(answer.body.data.review_note, review_note);
		});
	});

	describe("400", () => {
		for (const [what, body] of [
			["no body", undefined],
			["no review_note", {}],
			["an empty review_note", { review_note: "" }],
			["a blank review_note", { review_note: " \n\t\u3000" }],
			["a review_note of null", { review_note: null }],
			["a review_note that is a number", { review_note: 17 }],
			["a review_note of 2001 characters", { review_note: "x".repeat(2001) }],
		] as const) {
			test(`refuses ${what}, and the request stays pending`, async () => {
				const { id } = await submit(service);
				const answer = await service.call("POST", `${REQUESTS}/${id}/reject`, { token, body });
				assert.equal(answer.status, 400);
				assert.match(answer.body.error, /^review_note /);
				assert.equal((await read(id)).status, "pending");
			});
		}
	});

	describe("401", () => {
		test("needs a token", async () => {
			const { id } = await submit(service);
			assert.equal((await service.call("POST", `${REQUESTS}/${id}/reject`, { body: NOTE })).status, 401);
		});
	});

	describe("403", () => {
		for (const roles of [["auditor"], []]) {
			test(`refuses the roles [${roles}]`, async () => {
				const { id } = await submit(service);
				const person = await addPerson(service, `reject-${roles[0] ?? "nobody"}`, { roles });
				assert.equal((await reject(id, NOTE, person.token)).status, 403);
				assert.equal((await read(id)).status, "pending");
			});
		}
	});

	describe("404", () => {
		test("answers absent, malformed and foreign ids alike", async () => {
			const second = await addSecondTenant(service);
			const { id } = await submit(service);
			const unknown = await reject("01980000-0000-7000-8000-000000000000");
			const foreign = await reject(id, NOTE, second.adminToken);
			assert.equal(unknown.status, 404);
			assert.equal(foreign.status, 404);
			assert.deepEqual(foreign.body, unknown.body);
			assert.equal((await reject("nonsense")).status, 404);
			assert.equal((await read(id)).status, "pending");
		});
	});

	describe("409", () => {
		test("refuses a decided or withdrawn request", async () => {
			const approved = await submitApproved(service);
			const rejected = await submit(service);
			await decide(service, rejected.id, "reject");
			const withdrawn = await submit(service);
			await service.call("POST", `${REQUESTS}/withdraw`, {
				body: { token: await mailedToken(service, withdrawn.email, "withdraw") },
			});
			for (const { id } of [approved, rejected, withdrawn]) {
				const earlier = await read(id);
				const answer = await reject(id);
				assert.equal(answer.status, 409);
				assert.match(answer.body.error, new RegExp(earlier.status));
				assert.deepEqual(await read(id), earlier);
			}
		});
	});
});
