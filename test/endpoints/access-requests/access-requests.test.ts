// Submitting, listing and reading access requests.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import {
	auditOf,
	decide,
	mailedLinks,
	mailedToken,
	QUEUE,
	REQUESTS,
	rows,
	submission,
	submit,
} from "../../harness/access/access-requests.ts";
import { LINKABLE, linksIn, seen } from "../../harness/mail/linkifier.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { atDepth } from "../../harness/runs/depth.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import type { CallOptions, CallResponse } from "../../harness/service/service.ts";
import type { BodyOf } from "../../harness/service/wire-body.ts";

const service = testService({ env: { LATCHKEY_PUBLIC_URL: "https://id.example.com" } });

describe("POST /api/v1/access-requests", () => {
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

	const post = (body: unknown, headers: CallOptions["headers"] = {}) =>
		service.call("POST", REQUESTS, { body, headers });

	/** The notice that the first admin received about an applicant. */
	const noticeAbout = async (email: string) => {
		for (let count = 1; ; ) {
			const mails = await service.mailsTo("admin@localhost", count);
			const notice = mails.find((mail) => mail.text?.includes(email));
			if (notice !== undefined || mails.length < count) return notice;
			count = mails.length + 1;
		}
	};

	describe("201", () => {
		it("turns no submitted text into a link in the mails, neither to the applicant nor to the reviewers", async () => {
			const typed = LINKABLE.filter((text) => !/\p{Cf}/u.test(text));
			const { email } = await submit(service, {
				applicant_name: "www.evil.example",
				company: typed.join(" ").slice(0, LIMITS.company),
				project_name: "Win at https://evil.example/x, evil\uff0eexample or you@evil.example",
				purpose: typed.join("\n"),
			});
			const [receipt] = await service.mailsTo(email);
			const notice = await noticeAbout(email);
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

		it("returns the pending record without an envelope", async () => {
			const body = submission();
			const response = await post(body);
			assert.equal(response.status, 201);
			const record = response.body;
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

		it("trims texts and lower-cases the email address", async () => {
			const record = await submit(service, {
				applicant_name: "  Ada\t",
				email: "  Mixed.Case+Tag@Partner.EXAMPLE \n",
				company: "   ",
			});
			assert.equal(record.applicant_name, "Ada");
			assert.equal(record.email, "mixed.case+tag@partner.example");
			assert.equal(record.company, "");
		});

		it("accepts an absent or empty company", async () => {
			assert.equal((await submit(service, { company: undefined })).company, "");
			assert.equal((await submit(service, { company: "" })).company, "");
		});

		it("accepts each text at its limit, counted in code points after trimming", async () => {
			const longest = Object.entries(LIMITS).map(([field, limit]) => [
				field,
				"😀".repeat(limit - 1).concat("a"),
			]);
			const fields = { ...Object.fromEntries(longest), email: LONGEST_EMAIL };
			const padded = Object.entries(fields).map(([field, value]) => [field, `  ${value} `]);
			const record = await submit(service, Object.fromEntries(padded));
			assert.deepEqual({ ...record, ...fields }, record);
		});

		it("ignores unknown and server-assigned fields", async () => {
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

		it("accepts Persian, Hebrew, Hindi, and combined emoji, and several lines of purpose", async () => {
			const body = {
				applicant_name: "دانا می\u200cخواهم",
				company: "\u05d3\u05d5\u05d3 \u0915\u094d\u200d\u0937",
				project_name: "Family \u{1f468}\u200d\u{1f469}\u200d\u{1f467} e\u0301te\u0301",
				purpose: "One\n\ttwo\n\n\u{1f469}\u{1f3fd}\u200d\u{1f4bb}",
			};
			const record = await submit(service, body);
			assert.deepEqual({ ...record, ...body }, record);
		});

		it("returns text with markup and special characters unchanged", async () => {
			const purpose = "'; DROP TABLE access_requests; -- <script>alert(1)</script>\n\u05d0 你好 \\ % _";
			assert.equal((await submit(service, { purpose })).purpose, purpose);
		});

		it("requires no token, and ignores an invalid one", async () => {
			assert.equal((await post(submission(), { authorization: "Bearer nonsense" })).status, 201);
		});

		it("mails the applicant a receipt whose link is built only from the public URL", async () => {
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

		it("mails the receipt in the language of the request", async () => {
			const record = await submit(service, {}, { "accept-language": "zh-CN,zh;q=0.9,en;q=0.8" });
			const [mail] = await service.mailsTo(record.email);
			assert.match(mail?.subject ?? "", /我们已收到您的接入申请/);
		});

		it("mails active reviewers and admins a notice", async () => {
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

		it("audits the submission, and stores only a digest of the withdrawal token", async () => {
			const record = await submit(service);
			const token = await mailedToken(service, record.email, "withdraw");
			assert.deepEqual(await auditOf(service, `access_request:${record.id}`), [
				"anonymous access_request.submitted",
			]);
			const [row] = await rows<Record<string, unknown>>(
				service,
				"SELECT * FROM requests WHERE id = $1",
				record.id,
			);
			assert.ok(!JSON.stringify(row).includes(token));
			assert.ok(!service.logs().includes(token));
		});

		it("accepts another request of an email address once the first is decided or withdrawn", async () => {
			const { id, email } = await submit(service);
			await decide(service, id, "reject");
			const second = await submit(service, { email });
			await decide(service, second.id, "approve");
			service.clock.advance(60_000);
			await submit(service, { email });
			const token = await mailedToken(service, email, "withdraw", 2);
			assert.equal((await service.call("POST", `${REQUESTS}/withdraw`, { body: { token } })).status, 204);
			await submit(service, { email });
		});

		it("accepts an email address whose request is pending in another tenant", async () => {
			const second = await addSecondTenant(service);
			const { email } = await submit(service);
			await submit(service, { email }, { "x-tenant-id": second.id });
			assert.equal((await post(submission({ email }), { "x-tenant-id": second.id })).status, 409);
		});
	});

	describe("400", () => {
		it("stores nothing of an invalid request", async () => {
			const count = () => rows<{ n: number }>(service, "SELECT count(*) AS n FROM requests");
			const earlier = await count();
			await post(submission({ purpose: "" }));
			assert.deepEqual(await count(), earlier);
		});
	});

	describe("409", () => {
		it("refuses an email address with a pending request, in any spelling", async () => {
			const { email } = await submit(service);
			for (const spelling of [email, ` ${email.toUpperCase()} `]) {
				const response = await post(submission({ email: spelling }));
				assert.equal(response.status, 409);
				assert.deepEqual(response.body, {
					error: "a pending access request already exists for this email address",
				});
			}
			assert.equal((await service.mailsTo(email)).length, 1);
		});

		it("accepts one of many concurrent submissions", async () => {
			const body = submission();
			const count = atDepth({ quick: 20, all: 100, long: 500 });
			const responses = await Promise.all(Array.from({ length: count }, () => post(body)));
			const statuses = responses.map(({ status }) => status).toSorted();
			assert.deepEqual(statuses, [201, ...Array(count - 1).fill(409)]);
			const email = String(body.email);
			assert.deepEqual(await rows(service, "SELECT count(*) AS n FROM requests WHERE email = $1", email), [
				{ n: 1 },
			]);
			assert.equal((await service.mailsTo(email)).length, 1);
		});
	});
});

describe("GET /api/v1/requests", () => {
	let submitted: BodyOf<"POST", typeof REQUESTS>[];
	/** Only its requests are listed. */
	const tenant = fixture(() => addSecondTenant(service));
	before(async () => {
		submitted = [];
		for (const [applicant_name, company, project_name] of [
			["Ada", "Engines Ltd", "Analytical"],
			["Grace", "Navy", "100% Compiler"],
			["Edsger", "", "Shortest_Path"],
			["Barbara", "MIT \\ Lab", "Analytics"],
			["王小明", "示例公司", "账单系统"],
		])
			submitted.push(await submitHere({ applicant_name, company, project_name }));
		const [ada, grace] = submitted;
		assert.ok(ada && grace);
		await decideHere(ada.id, "approve");
		await decideHere(grace.id, "reject");
	});

	const submitHere = (fields: Readonly<Record<string, unknown>>) =>
		submit(service, fields, { "x-tenant-id": tenant.id });
	const decideHere = async (id: string, verb: "approve" | "reject"): Promise<void> => {
		const options = { token: tenant.adminToken, body: verb === "reject" ? { review_note: "Not now." } : {} };
		assert.equal((await service.call("POST", `${QUEUE}/${id}/${verb}`, options)).status, 200);
	};
	const get = (query: "" | `?${string}`, as = tenant.adminToken) =>
		service.call("GET", `${QUEUE}${query}`, { token: as });
	const names = (response: CallResponse<BodyOf<"GET", typeof QUEUE>>): string[] =>
		response.body.data.map((request) => request.applicant_name);

	describe("200", () => {
		it("returns a page of the tenant's requests, newest first", async () => {
			const response = await get("");
			assert.equal(response.status, 200);
			const { data, ...counts } = response.body;
			assert.deepEqual(counts, { total: 5, page: 1, page_size: 20 });
			assert.deepEqual(names(response), ["王小明", "Barbara", "Edsger", "Grace", "Ada"]);
			assert.deepEqual(data[0], {
				...submitted[4],
				kind: "partner",
				test_calls_ok: 0,
				test_calls_refused: 0,
				mixed_scripts: [],
				api_client_id: null,
				reviewed_by_name: null,
				claimed_at: null,
			});
		});

		it("returns pages without overlap, and an empty page after the last", async () => {
			assert.deepEqual(names(await get("?page=1&page_size=2")), ["王小明", "Barbara"]);
			const last = await get("?page=3&page_size=2");
			assert.deepEqual(names(last), ["Ada"]);
			assert.equal(last.body.total, 5);
			const beyond = await get("?page=4&page_size=2");
			assert.deepEqual(beyond.body, { data: [], total: 5, page: 4, page_size: 2 });
			assert.equal((await get("?page_size=100")).body.page_size, 100);
		});

		it("filters by status, and counts the result", async () => {
			const approved = await get("?status=approved");
			assert.deepEqual(names(approved), ["Ada"]);
			assert.equal(approved.body.total, 1);
			assert.match(approved.body.data[0]?.api_client_id ?? "", /^[0-9a-f-]{36}$/);
			assert.deepEqual(names(await get("?status=rejected")), ["Grace"]);
			assert.deepEqual(names(await get("?status=pending")), ["王小明", "Barbara", "Edsger"]);
			assert.equal((await get("?status=withdrawn")).body.total, 0);
			assert.equal((await get("?status=")).body.total, 5);
		});

		it("searches literally and case-insensitively, within the tenant", async () => {
			const { email } = await submit(service);
			for (const [q, found] of [
				["ANALYTIC", ["Barbara", "Ada"]],
				["engines", ["Ada"]],
				["Énginès", ["Ada"]],
				["grace", ["Grace"]],
				["partner.example", ["王小明", "Barbara", "Edsger", "Grace", "Ada"]],
				["100%", ["Grace"]],
				["%", ["Grace"]],
				["_", ["Edsger"]],
				["\\", ["Barbara"]],
				["小明", ["王小明"]],
				["账单", ["王小明"]],
				["nobody", []],
				["'", []],
				[email, []],
			] as const)
				assert.deepEqual(names(await get(`?q=${encodeURIComponent(q)}`)), found, q);
		});

		it("sorts by age in both directions", async () => {
			const response = await get("?sort=oldest&status=pending&page_size=2");
			assert.deepEqual([names(response), response.body.total], [["Edsger", "Barbara"], 3]);
			assert.deepEqual(names(await get("?sort=newest&page_size=1")), ["王小明"]);
		});

		it("returns other requests of the same address or company with related_to", async () => {
			const first = await submitHere({ applicant_name: "Joan", company: "Bletchley Park" });
			await decideHere(first.id, "reject");
			await submitHere({ applicant_name: "Alan", company: "BLÉTCHLEY Park" });
			await submitHere({ applicant_name: "Elsewhere", company: "Bletchley Park Museum" });
			await submitHere({ applicant_name: "Again", email: first.email, company: "" });
			await submitHere({ applicant_name: "Alone", company: "" });
			await submit(service, { company: "Bletchley Park" });
			const related = async (id: string) => names(await get(`?related_to=${id}`));
			assert.deepEqual(await related(first.id), ["Again", "Alan"]);
			const [again] = (await get("?q=Again")).body.data;
			assert.deepEqual(await related(again?.id ?? ""), ["Joan"]);
			assert.equal((await get(`?related_to=${first.id}&status=pending`)).body.total, 2);
			assert.equal((await get(`?related_to=${first.id}`, await service.adminToken())).status, 400);
		});

		it("names the reviewer of a decided request", async () => {
			const [rejected] = (await get("?status=rejected&sort=oldest")).body.data;
			assert.deepEqual([rejected?.applicant_name, rejected?.reviewed_by_name], ["Grace", "admin"]);
			assert.equal((await get("?status=pending")).body.data[0]?.reviewed_by_name, null);
		});

		it("combines the filters status and q", async () => {
			assert.deepEqual(names(await get("?q=analytic&status=pending")), ["Barbara"]);
		});
	});
});

describe("GET /api/v1/requests/{id}", () => {
	const get = async (id: string) => service.callAsAdmin("GET", `${QUEUE}/${id}`);

	describe("200", () => {
		it("returns a pending request as it was submitted", async () => {
			const record = await submit(service);
			assert.deepEqual((await get(record.id)).body, {
				data: {
					...record,
					kind: "partner",
					test_calls_ok: 0,
					test_calls_refused: 0,
					mixed_scripts: [],
					api_client_id: null,
					reviewed_by_name: null,
					claimed_at: null,
					public_keys: [],
				},
			});
			assert.equal((await get(record.id.toUpperCase())).status, 200);
		});

		it("returns a decided request with reviewer, time and reason", async () => {
			const approved = await decide(service, (await submit(service)).id, "approve", { review_note: "Fine." });
			assert.deepEqual((await get(approved.id)).body.data, approved);
			const rejected = await decide(service, (await submit(service)).id, "reject");
			assert.deepEqual((await get(rejected.id)).body.data, rejected);
			assert.equal(rejected.api_client_id, null);
		});

		it("returns a withdrawn request without a reviewer", async () => {
			const { id, email } = await submit(service);
			await service.call("POST", `${REQUESTS}/withdraw`, {
				body: { token: await mailedToken(service, email, "withdraw") },
			});
			const { status, reviewed_by, reviewed_at } = (await get(id)).body.data;
			assert.deepEqual(
				{ status, reviewed_by, reviewed_at },
				{
					status: "withdrawn",
					reviewed_by: null,
					reviewed_at: null,
				},
			);
		});
	});
});
