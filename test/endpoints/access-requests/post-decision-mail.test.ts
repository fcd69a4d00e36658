import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { auditOf, decide, REQUESTS, rows, submit } from "../../harness/access-requests.ts";
import {
	ABSENT_ID,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const NOTE = "Welcome. <b>Read</b> https://docs.example/start first.";

let service: TestService;
let cast: Cast;
before(async () => {
	service = await startTestService();
	cast = await addCast(service);
});
after(() => service.stop());

const pathOf = (id: string) => `${REQUESTS}/${id}/decision-mail` as const;
const preview = async (id: string, body: unknown, token = cast.admin) => {
	const answer = await service.call("POST", pathOf(id), { token, body });
	assert.equal(answer.status, 200, JSON.stringify(answer.body));
	return answer.body.data;
};

describe("POST /api/v1/access-requests/{id}/decision-mail", () => {
	describe("200", () => {
		for (const [decision, language] of [
			["approve", "en"],
			["reject", "zh-CN"],
		] as const)
			test(`is the mail that the decision "${decision}" then sends, in ${language}, but for the token`, async () => {
				const record = await submit(service, { project_name: "Engine 3" }, { "accept-language": language });
				const shown = await preview(record.id, { decision, review_note: NOTE }, cast.reviewer.token);
				assert.deepEqual(
					[shown.to_address, shown.to_name, shown.locale],
					[record.email, record.applicant_name, language],
				);
				assert.deepEqual(await service.mailsTo(record.email, 1).then((mails) => mails.length), 1);
				await decide(service, record.id, decision, { review_note: NOTE });
				const [, sent] = await service.mailsTo(record.email, 2);
				assert.ok(sent);
				// The link ends seven days after the decision, which may be a minute after the preview.
				const withoutToken = (text: string) =>
					text
						.replace(/\/claim#[\w-]{43}/, "/claim#…")
						.replaceAll(/\d\d:\d\d/g, "hh:mm")
						.trim();
				assert.equal(sent.subject, shown.subject);
				assert.equal(withoutToken((sent.text ?? "").replaceAll("\r\n", "\n")), withoutToken(shown.text));
				assert.equal(shown.text.includes("/claim#…"), decision === "approve");
			});

		test("carries the brand of the tenant", async () => {
			const record = await submit(service);
			const body = { product_name: "Northwind Access", support_email: "help@northwind.example" };
			await service.call("PUT", "/api/v1/branding", { token: cast.admin, body });
			const { text } = await preview(record.id, { decision: "approve" });
			assert.match(text, /Northwind Access · help@northwind\.example/);
		});

		test("sends nothing, stores no link and is not audited", async () => {
			const record = await submit(service);
			await preview(record.id, { decision: "approve", review_note: NOTE });
			const [stored] = await rows<{ status: string; claim_digest: string | null; review_note: string }>(
				service,
				"SELECT status, claim_digest, review_note FROM access_requests WHERE id = $1",
				record.id,
			);
			assert.deepEqual({ ...stored }, { status: "pending", claim_digest: null, review_note: "" });
			assert.deepEqual(await auditOf(service, `access_request:${record.id}`), [
				"anonymous access_request.submitted",
			]);
		});
	});

	describe("400", () => {
		test("names the field", async () => {
			const { id } = await submit(service);
			for (const [body, field] of [
				[{}, "decision"],
				[{ decision: "withdraw" }, "decision"],
				[{ decision: "reject", review_note: "x".repeat(2_001) }, "review_note"],
				[{ decision: "reject", note: "x" }, "note"],
			] as const) {
				const { status, fields } = await problemOf(service, "POST", pathOf(id), body);
				assert.deepEqual([status, fields], [400, [field]], JSON.stringify(body));
			}
		});
	});

	describe("401", () => {
		test("needs a token", async () =>
			assertUnauthenticated(service, "POST", pathOf((await submit(service)).id)));
	});

	describe("403", () => {
		test("is for those who decide", async () => {
			const { auditor, plain } = cast;
			await assertForbidden(service, [auditor, plain], "POST", pathOf((await submit(service)).id), {
				decision: "approve",
			});
		});
	});

	describe("404", () => {
		test("answers absent, malformed and foreign ids alike", async () => {
			const path = pathOf((await submit(service)).id);
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: pathOf(ABSENT_ID) },
					{ token: cast.admin, path: pathOf("x") },
					{ token: cast.other.adminToken, path },
				],
				"POST",
				"access_request.not_found",
				{ decision: "approve" },
			);
		});
	});

	describe("409", () => {
		test("has no letter for a decided request", async () => {
			const { id } = await submit(service);
			await decide(service, id, "reject", { review_note: NOTE });
			const { status, code } = await problemOf(service, "POST", pathOf(id), { decision: "approve" });
			assert.deepEqual([status, code], [409, "access_request.already_decided"]);
		});
	});
});
