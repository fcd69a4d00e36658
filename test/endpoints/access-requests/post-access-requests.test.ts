import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
	auditOf,
	decide,
	mailedLinks,
	mailedToken,
	REQUESTS,
	rows,
	submission,
	submit,
} from "../../harness/access-requests.ts";
import { LINKABLE, linksIn, seen } from "../../harness/linkifier.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { type CallOptions, startTestService, type TestService } from "../../harness/service.ts";

const FIELDS = [
	"id",
	"applicant_name",
	"email",
	"company",
	"project_name",
	"purpose",
	"status",
	"review_note",
	"reviewed_by",
	"reviewed_at",
	"created_at",
	"updated_at",
];
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const LIMITS = { applicant_name: 100, company: 200, project_name: 200, purpose: 2000 } as const;

/** 64 + 1 + 189 characters. */
const LONGEST_EMAIL = `${"a".repeat(64)}@${`${"b".repeat(62)}.`.repeat(2)}${"c".repeat(63)}`;

/** Each part within its own limit, 255 characters in all. */
const TOO_LONG_EMAIL = `${"a".repeat(64)}@${`${"b".repeat(62)}.`.repeat(2)}${"c".repeat(61)}.dd`;

let service: TestService;
before(async () => {
	service = await startTestService({ env: { LATCHKEY_PUBLIC_URL: "https://id.example.com" } });
});
after(() => service.stop());

const post = (body: unknown, headers: CallOptions["headers"] = {}) =>
	service.call("POST", REQUESTS, { body, headers });

describe("POST /api/v1/access-requests", () => {
	describe("201", () => {
		test("mails no submitted text as a link, neither to the applicant nor to the reviewers", async () => {
			const typed = LINKABLE.join(" ").slice(0, LIMITS.company);
			const { email } = await submit(service, {
				applicant_name: "www.evil.example",
				company: typed,
				project_name: "Win at https://evil.example/x, evil\uff0eexample or you@evil.example",
				purpose: LINKABLE.join("\n"),
			});
			const [receipt] = await service.mailsTo(email);
			const notices = await service.mailsTo("admin@localhost");
			const notice = notices.find((mail) => mail.text?.includes(email));
			assert.ok(receipt && notice);
			for (const mail of [receipt, notice])
				for (const part of [mail.subject, mail.text, mail.html?.replace(/<[^>]*>/g, "\n")])
					assert.deepEqual(
						linksIn((part ?? "").replaceAll(email, "")).filter((link) =>
							/evil|203\.|中|fiq|javascript/iu.test(link),
						),
						[],
					);
			assert.match(seen(receipt.text ?? ""), /Win at https:\/\/evil\.example\/x/);
		});

		test("answers the pending record without an envelope", async () => {
			const body = submission();
			const answer = await post(body);
			assert.equal(answer.status, 201);
			const record = answer.body;
			assert.deepEqual(Object.keys(record).sort(), [...FIELDS].sort());
			assert.deepEqual({ ...record, ...body }, record);
			assert.match(record.id, UUID_V7);
			assert.equal(record.status, "pending");
			assert.equal(record.review_note, "");
			assert.equal(record.reviewed_by, null);
			assert.equal(record.reviewed_at, null);
			assert.match(record.created_at, ISO_TIME);
			assert.equal(record.updated_at, record.created_at);
		});

		test("trims texts and lower-cases the e-mail", async () => {
			const record = await submit(service, {
				applicant_name: "  Ada\t",
				email: "  Mixed.Case+Tag@Partner.EXAMPLE \n",
				company: "   ",
			});
			assert.equal(record.applicant_name, "Ada");
			assert.equal(record.email, "mixed.case+tag@partner.example");
			assert.equal(record.company, "");
		});

		test("company may be left out or empty", async () => {
			assert.equal((await submit(service, { company: undefined })).company, "");
			assert.equal((await submit(service, { company: "" })).company, "");
		});

		for (const [field, limit] of Object.entries(LIMITS)) {
			test(`${field} may have ${limit} characters, counted as code points after trimming`, async () => {
				const value = "😀".repeat(limit);
				const record = await submit(service, { [field]: `  ${value} ` });
				assert.deepEqual({ ...record, [field]: value }, record);
			});
		}

		test("email may have 254 characters", async () => {
			assert.equal(TOO_LONG_EMAIL.length, 255);
			assert.equal(LONGEST_EMAIL.length, 254);
			assert.equal((await submit(service, { email: LONGEST_EMAIL })).email, LONGEST_EMAIL);
		});

		test("ignores unknown and server-assigned fields", async () => {
			const reviewer = "01980000-0000-7000-8000-000000000000";
			const record = await submit(service, {
				id: reviewer,
				tenant_id: reviewer,
				status: "approved",
				review_note: "fine",
				reviewed_by: reviewer,
				reviewed_at: "2026-01-01T00:00:00Z",
				created_at: "2020-01-01T00:00:00Z",
				updated_at: 17,
				api_client_id: reviewer,
				unknown: { deep: true },
			});
			assert.deepEqual(Object.keys(record).sort(), [...FIELDS].sort());
			assert.notEqual(record.id, reviewer);
			assert.equal(record.status, "pending");
			assert.equal(record.review_note, "");
			assert.equal(record.reviewed_by, null);
			assert.ok(record.created_at > "2021");
		});

		test("returns text with markup and special characters unchanged", async () => {
			const purpose = "'; DROP TABLE access_requests; -- <script>alert(1)</script>\n\u202e 你好 \\ % _";
			assert.equal((await submit(service, { purpose })).purpose, purpose);
		});

		test("needs no token, and ignores an invalid one", async () => {
			assert.equal((await post(submission(), { authorization: "Bearer nonsense" })).status, 201);
		});

		test("mails the applicant a receipt whose link is built from the public URL alone", async () => {
			const record = await submit(
				service,
				{},
				{ host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "http" },
			);
			const [mail] = await service.mailsTo(record.email);
			assert.match(mail?.subject ?? "", /We received your access request/);
			const [link] = await mailedLinks(service, record.email, "withdraw");
			assert.match(link ?? "", /^https:\/\/id\.example\.com\/withdraw#[A-Za-z0-9_-]{43}$/);
			assert.doesNotMatch(`${mail?.text}${mail?.html}`, /evil\.example/);
		});

		test("mails the receipt in the language of the request", async () => {
			const record = await submit(service, {}, { "accept-language": "zh-CN,zh;q=0.9,en;q=0.8" });
			const [mail] = await service.mailsTo(record.email);
			assert.match(mail?.subject ?? "", /我们已收到您的接入申请/);
		});

		test("mails active reviewers and admins a notice", async () => {
			const person = (username: string, roles: string[], more = {}) =>
				service.addUser({
					username,
					email: `${username}@house.example`,
					password: "a good long password",
					roles,
					...more,
				});
			await person("rita", ["reviewer"]);
			await person("adam", ["admin"]);
			await person("audrey", ["auditor"]);
			await person("dora", ["reviewer"], { status: "disabled" });
			await person("paul", []);
			const record = await submit(service, { project_name: "Noticed" });
			for (const name of ["rita", "adam"]) {
				const [mail] = await service.mailsTo(`${name}@house.example`);
				assert.match(mail?.subject ?? "", /Access request to review: Noticed/);
				assert.match(
					mail?.text ?? "",
					new RegExp(`^https://id.example.com/console/requests/${record.id}$`, "m"),
				);
				assert.doesNotMatch(mail?.text ?? "", /withdraw#|claim#/);
			}
			await service.mailsTo(record.email);
			assert.ok((await service.mailsTo("admin@localhost")).length > 0);
			for (const address of ["audrey@house.example", "dora@house.example"]) {
				assert.deepEqual(await service.mailsTo(address, 0), []);
			}
		});

		test("audits the submission, and stores only a digest of the withdrawal token", async () => {
			const record = await submit(service);
			const token = await mailedToken(service, record.email, "withdraw");
			assert.deepEqual(await auditOf(service, `access_request:${record.id}`), [
				"anonymous access_request.submitted",
			]);
			const [row] = await rows<Record<string, unknown>>(
				service,
				"SELECT * FROM access_requests WHERE id = $1",
				record.id,
			);
			assert.ok(!JSON.stringify(row).includes(token));
			assert.ok(!service.logs().includes(token));
		});

		test("accepts another request of an e-mail once the first is decided or withdrawn", async () => {
			const { id, email } = await submit(service);
			await decide(service, id, "reject");
			const second = await submit(service, { email });
			await decide(service, second.id, "approve");
			await submit(service, { email });
			const token = await mailedToken(service, email, "withdraw", 3);
			assert.equal((await service.call("POST", `${REQUESTS}/withdraw`, { body: { token } })).status, 204);
			await submit(service, { email });
		});

		test("accepts an e-mail whose request is pending in another tenant", async () => {
			const second = await addSecondTenant(service);
			const { email } = await submit(service);
			await submit(service, { email }, { "x-tenant-id": second.id });
			assert.equal((await post(submission({ email }), { "x-tenant-id": second.id })).status, 409);
		});
	});

	describe("400", () => {
		for (const field of ["applicant_name", "email", "project_name", "purpose"]) {
			test(`${field} is required`, async () => {
				const answer = await post(submission({ [field]: undefined }));
				assert.equal(answer.status, 400);
				assert.deepEqual(Object.keys(answer.body), ["error"]);
				assert.match(answer.body.error, new RegExp(`^${field} is required$`));
			});
			for (const blank of ["", " \t\n ", "\u00a0\u3000"]) {
				test(`${field} must not be blank: ${JSON.stringify(blank)}`, async () => {
					assert.equal((await post(submission({ [field]: blank }))).status, 400);
				});
			}
		}

		for (const field of ["applicant_name", "email", "company", "project_name", "purpose"]) {
			for (const value of [17, true, null, ["text"], { text: "text" }]) {
				test(`${field} must be a string, not ${JSON.stringify(value)}`, async () => {
					const answer = await post(submission({ [field]: value }));
					assert.equal(answer.status, 400);
					assert.match(answer.body.error, new RegExp(field));
				});
			}
		}

		for (const [field, limit] of Object.entries(LIMITS)) {
			test(`${field} must not have ${limit + 1} characters`, async () => {
				const answer = await post(submission({ [field]: "x".repeat(limit + 1) }));
				assert.equal(answer.status, 400);
				assert.equal(answer.body.error, `${field} must be at most ${limit} characters`);
			});
			test(`${field} must not contain NUL or a lone surrogate`, async () => {
				assert.equal((await post(submission({ [field]: "a\0b" }))).status, 400);
				assert.equal((await post(submission({ [field]: "a\ud800b" }))).status, 400);
			});
		}

		for (const address of [
			TOO_LONG_EMAIL,
			`a${LONGEST_EMAIL}`,
			`${LONGEST_EMAIL}c`,
			"nobody",
			"@partner.example",
			"a@",
			"a@b@c.example",
			"a b@c.example",
			"a@b.example,c@d.example",
			"a@b.example;c@d.example",
			"Ada <ada@b.example>",
			"ada@b.example\nBcc: x@y.example",
			"ünïcode@b.example",
			"a@bücher.example",
			".a@b.example",
			"a..b@c.example",
			"a@-b.example",
			"a@b..example",
			"a@b.example\0",
		]) {
			test(`email must not be ${JSON.stringify(address)}`, async () => {
				const answer = await post(submission({ email: address }));
				assert.equal(answer.status, 400);
				assert.match(answer.body.error, /^email /);
			});
		}

		for (const body of ["[]", '"text"', "17", "null", "{", "", "{}"]) {
			test(`the body must not be ${JSON.stringify(body)}`, async () => {
				assert.equal((await post(body)).status, 400);
			});
		}

		test("the content type must be JSON", async () => {
			const answer = await post(JSON.stringify(submission()), { "content-type": "text/plain" });
			assert.equal(answer.status, 400);
		});

		test("names every invalid field in problem+json", async () => {
			const answer = await post(
				{ email: "nobody", company: 1, purpose: "x" },
				{ accept: "application/problem+json" },
			);
			assert.equal(answer.status, 400);
			assert.equal(answer.body.code, "request.invalid");
			assert.deepEqual(answer.body.errors.map((error) => error.field).sort(), [
				"applicant_name",
				"company",
				"email",
				"project_name",
			]);
		});

		test("stores nothing", async () => {
			const count = () => rows<{ n: number }>(service, "SELECT count(*) AS n FROM access_requests");
			const earlier = await count();
			await post(submission({ purpose: "" }));
			assert.deepEqual(await count(), earlier);
		});
	});

	describe("404", () => {
		for (const id of ["01980000-0000-7000-8000-000000000000", "nonsense", ""]) {
			test(`X-Tenant-ID must name a tenant: ${JSON.stringify(id)}`, async () => {
				assert.equal((await post(submission(), { "x-tenant-id": id })).status, 404);
			});
		}
	});

	describe("409", () => {
		test("refuses an e-mail with a pending request, in any spelling", async () => {
			const { email } = await submit(service);
			for (const spelling of [email, ` ${email.toUpperCase()} `]) {
				const answer = await post(submission({ email: spelling }));
				assert.equal(answer.status, 409);
				assert.deepEqual(answer.body, {
					error: "a pending access request already exists for this e-mail",
				});
			}
			assert.equal((await service.mailsTo(email)).length, 1);
		});

		test("accepts one of two hundred simultaneous submissions", async () => {
			const body = submission();
			const answers = await Promise.all(Array.from({ length: 200 }, () => post(body)));
			const statuses = answers.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 201).length, 1);
			assert.equal(statuses.filter((status) => status === 409).length, 199);
			const email = String(body.email);
			assert.deepEqual(
				await rows(service, "SELECT count(*) AS n FROM access_requests WHERE email = $1", email),
				[{ n: 1 }],
			);
			assert.equal((await service.mailsTo(email)).length, 1);
		});
	});
});
