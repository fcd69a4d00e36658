// Approving and rejecting access requests, and the preview of the mail that a decision sends.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
	auditOf,
	decide,
	mailedLinks,
	mailedToken,
	QUEUE,
	REQUESTS,
	rows,
	submit,
	submitApproved,
} from "../../harness/access/access-requests.ts";
import { ABSENT_ID, addApplication, addRole, problemOf } from "../../harness/access/applications.ts";
import { addPerson } from "../../harness/people/people.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { atDepth } from "../../harness/runs/depth.ts";
import { setup, testService } from "../../harness/runs/fixture.ts";
import type { CallResponse } from "../../harness/service/service.ts";

let token: string;
const service = testService({ env: { LATCHKEY_PUBLIC_URL: "https://id.example.com" } });
setup(async () => {
	token = await service.adminToken();
});

const approve = (id: string, body: unknown = {}, as = token) =>
	service.call("POST", `${QUEUE}/${id}/approve`, { token: as, body });
const NOTE = { review_note: "Too little detail." };
const reject = (id: string, body: unknown = NOTE, as = token) =>
	service.call("POST", `${QUEUE}/${id}/reject`, { token: as, body });
const dataOf = <Data>({ status, body }: CallResponse<{ readonly data: Data }>): Data => {
	assert.equal(status, 200, JSON.stringify(body));
	return body.data;
};
const readRequest = async (id: string) => dataOf(await service.call("GET", `${QUEUE}/${id}`, { token }));

/** Requests that are approved, rejected and withdrawn. */
async function submitDecided() {
	const [approved, rejected, withdrawn] = [
		await submitApproved(service),
		await submit(service),
		await submit(service),
	];
	await decide(service, rejected.id, "reject");
	const body = { token: await mailedToken(service, withdrawn.email, "withdraw") };
	await service.call("POST", `${REQUESTS}/withdraw`, { body });
	return { approved, rejected, withdrawn };
}

describe("POST /api/v1/requests/{id}/approve", () => {
	const me = async () => dataOf(await service.call("GET", "/api/v1/users/me", { token }));
	const readClient = async (id: string | null) => {
		assert.ok(id);
		return dataOf(await service.call("GET", `/api/v1/api-clients/${id}`, { token }));
	};
	const readApplication = async (id: string) =>
		dataOf(await service.call("GET", `/api/v1/applications/${id}`, { token }));

	describe("200", () => {
		it("returns the approved request with the id of its client", async () => {
			const record = await submit(service);
			const response = await approve(record.id, { review_note: "  Welcome.  " });
			assert.equal(response.status, 200);
			const { data } = response.body;
			assert.deepEqual(data, {
				...record,
				kind: "partner",
				public_keys: [],
				status: "approved",
				review_note: "Welcome.",
				reviewed_by: (await me()).id,
				reviewed_at: data.reviewed_at,
				updated_at: data.reviewed_at,
				mixed_scripts: [],
				test_calls_ok: 0,
				test_calls_refused: 0,
				api_client_id: data.api_client_id,
				reviewed_by_name: "admin",
				claimed_at: null,
			});
			assert.ok(data.reviewed_at && data.reviewed_at >= record.created_at);
		});

		it("creates an application with the name of the project when the body is absent", async () => {
			const record = await submit(service, { project_name: "Über-Billing  2.0" });
			const response = await service.call("POST", `${QUEUE}/${record.id}/approve`, { token });
			assert.equal(response.status, 200);
			assert.equal(response.body.data.review_note, "");
			const client = await readClient(response.body.data.api_client_id);
			const application = await readApplication(client.app_id);
			assert.equal(application.name, "Über-Billing  2.0");
			assert.equal(application.slug, "uber-billing-2-0");
			assert.equal(application.access_policy, "assigned");
			assert.equal(application.status, "active");
		});

		it("creates an unclaimed client without a Secret", async () => {
			const record = await submitApproved(service);
			const client = await readClient(record.api_client_id);
			assert.equal(client.status, "unclaimed");
			assert.equal(client.name, record.project_name);
			assert.match(client.api_key, /^ak_[A-Za-z0-9_-]{16,64}$/);
			assert.equal(client.secret_hint, "");
			assert.equal(client.secret_created_at, null);
			assert.equal("secret" in client, false);
			assert.equal(client.access_request_id, record.id);
			assert.equal(client.created_by, (await me()).id);
			assert.deepEqual(client.scopes, ["users:read", "access:check", "third-party:read"]);
			assert.deepEqual(client.ip_allowlist, []);
			assert.equal(client.expires_at, null);
			assert.deepEqual(
				await rows(service, "SELECT secret_sealed FROM api_clients WHERE id = $1", record.api_client_id),
				[{ secret_sealed: null }],
			);
		});

		it("applies app_id, scopes, ip_allowlist and expires_at to the client", async () => {
			const { id: app_id } = await addApplication(service);
			const record = await submitApproved(service, {
				app_id: app_id.toUpperCase(),
				scopes: ["access:check:tenant", "users:read"],
				ip_allowlist: ["10.0.0.0/8", "::ffff:192.0.2.1", " 2001:DB8::1 "],
				expires_at: "2099-01-01T01:00:00+01:00",
			});
			const client = await readClient(record.api_client_id);
			assert.equal(client.app_id, app_id);
			assert.deepEqual([...client.scopes].sort(), ["access:check:tenant", "users:read"]);
			assert.deepEqual(client.ip_allowlist, ["10.0.0.0/8", "192.0.2.1", "2001:db8::1"]);
			assert.equal(client.expires_at, "2099-01-01T00:00:00.000Z");
		});

		it("grants roles of the application to the client, or nothing at all", async () => {
			const { id: app_id } = await addApplication(service);
			await addRole(service, app_id, "reader", ["orders:read"]);
			const record = await submitApproved(service, { app_id, roles: ["reader"] });
			const grants = await service.call("GET", `/api/v1/applications/${app_id}/grants`, { token });
			assert.deepEqual(
				grants.body.data.map(({ api_client_id, roles }) => [api_client_id, roles]),
				[[record.api_client_id, ["reader"]]],
			);
			const pending = await submit(service);
			const refused = await approve(pending.id, { app_id, roles: ["reader", "none"] });
			assert.deepEqual(
				[refused.status, refused.body],
				[400, { error: "roles.1 is not a role of this application" }],
			);
			assert.equal((await approve(pending.id, { app_id })).status, 200);
		});

		it("accepts null for no expiry, and a review_note of 2000 characters", async () => {
			const review_note = "😀".repeat(2000);
			const record = await submitApproved(service, { expires_at: null, review_note });
			assert.equal(record.review_note, review_note);
			assert.equal((await readClient(record.api_client_id)).expires_at, null);
		});

		it("generates different slugs for projects of one name and for names without ASCII", async () => {
			const slugs: string[] = [];
			for (const project_name of ["Twin", "Twin", "Twin", "账单系统", "订单系统", "①②③"]) {
				const { id } = await submit(service, { project_name });
				const { api_client_id } = await decide(service, id, "approve");
				const { app_id } = await readClient(api_client_id);
				const { slug, name } = await readApplication(app_id);
				assert.equal(name, project_name);
				assert.match(slug, /^[a-z0-9]+(?:-[a-z0-9]+)*$/);
				assert.ok(slug.length <= 64);
				slugs.push(slug);
			}
			assert.equal(slugs[0], "twin");
			assert.equal(new Set(slugs).size, slugs.length);
		});

		it("accepts a project name of 200 characters", async () => {
			const { id } = await submit(service, { project_name: "Wide ".repeat(40).trimEnd().padEnd(200, "x") });
			assert.equal((await approve(id)).status, 200);
		});

		it("mails the applicant a claim link in the language of the submission, without credentials", async () => {
			const record = await submit(service, { project_name: "Fall" }, { "accept-language": "zh-CN" });
			const { api_client_id } = await decide(service, record.id, "approve", { review_note: "Note <b>" });
			const [, mail] = await service.mailsTo(record.email, 2);
			assert.match(mail?.subject ?? "", /您的接入申请已通过/);
			assert.match(mail?.text ?? "", /Note <b>/);
			const [link] = await mailedLinks(service, record.email, "claim");
			assert.match(link ?? "", /^https:\/\/id\.example\.com\/claim#[A-Za-z0-9_-]{43}$/);
			for (const part of [mail?.text, mail?.html])
				assert.match(
					part ?? "",
					/https:\/\/id\.example\.com[\s<][\s\S]*https:\/\/id\.example\.com\/docs\/zh-cn\/signing/,
				);
			const { api_key } = await readClient(api_client_id);
			assert.doesNotMatch(`${mail?.text}${mail?.html}`, /sk_|ak_/);
			assert.ok(!mail?.text?.includes(api_key));
		});

		it("audits request, application and client, and stores only a digest of the claim token", async () => {
			const record = await submitApproved(service);
			const actor = `user:${(await me()).id}`;
			const claim = await mailedToken(service, record.email, "claim");
			const client = await readClient(record.api_client_id);
			assert.deepEqual(await auditOf(service, `access_request:${record.id}`), [
				"anonymous access_request.submitted",
				`${actor} access_request.approved`,
			]);
			assert.deepEqual(await auditOf(service, `application:${client.app_id}`), [
				`${actor} application.created`,
			]);
			assert.deepEqual(await auditOf(service, `api_client:${client.id}`), [`${actor} api_client.created`]);
			const stored = [
				...(await rows(service, "SELECT * FROM requests WHERE id = $1", record.id)),
				...(await rows(service, "SELECT * FROM audit_events")),
				...(await rows(service, "SELECT * FROM mail_outbox")),
			];
			assert.ok(!JSON.stringify(stored).includes(claim));
			assert.ok(!service.logs().includes(claim));
		});

		it("records the reviewer who decided", async () => {
			const reviewer = await addPerson(service, "approve-decides", { roles: ["reviewer"] });
			const { id } = await submit(service);
			const response = await approve(id, {}, reviewer.token);
			assert.equal(response.status, 200);
			assert.equal(response.body.data.reviewed_by, reviewer.id);
		});

		it("ignores server-assigned fields", async () => {
			const { id } = await submit(service);
			const { data } = (
				await approve(id, { status: "rejected", reviewed_by: ABSENT_ID, api_client_id: ABSENT_ID })
			).body;
			assert.equal(data.status, "approved");
			assert.equal(data.reviewed_by, (await me()).id);
			assert.notEqual(data.api_client_id, ABSENT_ID);
		});
	});

	describe("400", () => {
		const bad: readonly [Record<string, unknown>, RegExp][] = [
			[{ app_id: ABSENT_ID }, /^app_id /],
			[{ ip_allowlist: ["10.0.0.1", "localhost"] }, /^ip_allowlist\.1 /],
			[{ ip_allowlist: ["10.0.0.1/8"] }, /^ip_allowlist\.0 /],
			[{ ip_allowlist: ["10.0.0.0/33"] }, /^ip_allowlist\.0 /],
			[{ ip_allowlist: ["010.0.0.1"] }, /^ip_allowlist\.0 /],
			[{ ip_allowlist: ["::ffff:10.0.0.0/8"] }, /^ip_allowlist\.0 /],
			[{ expires_at: "2020-01-01T00:00:00Z" }, /^expires_at /],
		];
		it("rejects invalid fields, and the request stays pending", async () => {
			const { id } = await submit(service);
			for (const [body, message] of bad) {
				const response = await approve(id, body);
				assert.equal(response.status, 400, JSON.stringify(body));
				assert.match(response.body.error, message);
			}
			assert.equal((await readRequest(id)).status, "pending");
		});

		it("treats another tenant's application like an unknown one", async () => {
			const second = await addSecondTenant(service);
			const { id } = await submit(service, {}, { "x-tenant-id": second.id });
			const foreign = await approve(id, { app_id: (await addApplication(service)).id }, second.adminToken);
			const unknown = await approve(id, { app_id: ABSENT_ID }, second.adminToken);
			assert.equal(foreign.status, 400);
			assert.deepEqual(foreign.body, unknown.body);
		});

		it("stores nothing for a refused approval", async () => {
			const count = () =>
				rows(
					service,
					`SELECT (SELECT count(*) FROM applications) AS applications, (SELECT count(*) FROM api_clients) AS clients,
					 (SELECT count(*) FROM audit_events) AS events, (SELECT count(*) FROM mail_outbox) AS mails`,
				);
			const { id } = await submit(service);
			const earlier = await count();
			assert.equal((await approve(id, { app_id: ABSENT_ID })).status, 400);
			assert.deepEqual(await count(), earlier);
		});
	});

	describe("409", () => {
		it("refuses an approved, rejected or withdrawn request", async () => {
			const { approved, rejected, withdrawn } = await submitDecided();
			for (const { id } of [approved, rejected, withdrawn]) {
				const earlier = await readRequest(id);
				assert.equal((await approve(id, { review_note: "again" })).status, 409);
				assert.deepEqual(await readRequest(id), earlier);
			}
			assert.equal((await mailedLinks(service, approved.email, "claim")).length, 1);
		});

		it("accepts one of concurrent approvals, rejections and withdrawals", async () => {
			for (let round = 0; round < atDepth({ quick: 1, all: 5, long: 100 }); round++) {
				const { id, email } = await submit(service);
				const withdrawToken = await mailedToken(service, email, "withdraw");
				const attempts = Array.from({ length: 30 }, (_, n) => {
					if ((n + round) % 3 === 0) return approve(id);
					if ((n + round) % 3 === 1) return reject(id);
					return service.call("POST", `${REQUESTS}/withdraw`, { body: { token: withdrawToken } });
				});
				const statuses = (await Promise.all(attempts)).map(({ status }) => status);
				assert.equal(statuses.filter((status) => status < 300).length, 1, `${statuses}`);
				assert.ok(statuses.every((status) => [200, 204, 404, 409].includes(status)));
				const decided = await readRequest(id);
				const clients = await rows(service, "SELECT id FROM api_clients WHERE access_request_id = $1", id);
				assert.equal(clients.length, decided.status === "approved" ? 1 : 0);
				assert.equal((await auditOf(service, `access_request:${id}`)).length, 2);
			}
		});
	});
});

describe("POST /api/v1/requests/{id}/reject", () => {
	describe("200", () => {
		it("returns the rejected request, and creates no client and no application", async () => {
			const record = await submit(service);
			const reviewer = await addPerson(service, "reject-reviewer", { roles: ["reviewer"] });
			const response = await reject(record.id, { review_note: " Too little detail. " }, reviewer.token);
			assert.equal(response.status, 200);
			const { data } = response.body;
			assert.deepEqual(data, {
				...record,
				kind: "partner",
				public_keys: [],
				status: "rejected",
				review_note: "Too little detail.",
				reviewed_by: reviewer.id,
				reviewed_at: data.reviewed_at,
				updated_at: data.reviewed_at,
				mixed_scripts: [],
				test_calls_ok: 0,
				test_calls_refused: 0,
				api_client_id: null,
				reviewed_by_name: "reject-reviewer",
				claimed_at: null,
			});
			assert.ok(data.reviewed_at && data.reviewed_at >= record.created_at);
			const clients = "SELECT id FROM api_clients WHERE access_request_id = $1";
			assert.deepEqual(await rows(service, clients, record.id), []);
			const applications = "SELECT id FROM applications WHERE name = $1";
			assert.deepEqual(await rows(service, applications, record.project_name), []);
			assert.deepEqual(await auditOf(service, `access_request:${record.id}`), [
				"anonymous access_request.submitted",
				`user:${reviewer.id} access_request.rejected`,
			]);
		});

		it("mails the applicant the note in the language of the submission", async () => {
			const record = await submit(service, {}, { "accept-language": "zh-CN" });
			await reject(record.id, { review_note: "请补充用途 <script>" });
			const [, mail] = await service.mailsTo(record.email, 2);
			assert.match(mail?.subject ?? "", /您的接入申请未通过/);
			assert.match(mail?.text ?? "", /请补充用途 <script>/);
			assert.doesNotMatch(mail?.html ?? "", /<script/);
		});

		it("accepts a review_note of 2000 characters", async () => {
			const review_note = "😀".repeat(2000);
			const response = await reject((await submit(service)).id, { review_note });
			assert.equal(response.body.data.review_note, review_note);
		});
	});

	describe("409", () => {
		it("refuses a decided or withdrawn request", async () => {
			const { approved, rejected, withdrawn } = await submitDecided();
			for (const { id } of [approved, rejected, withdrawn]) {
				const earlier = await readRequest(id);
				const response = await reject(id);
				assert.equal(response.status, 409);
				assert.match(response.body.error, new RegExp(earlier.status));
				assert.deepEqual(await readRequest(id), earlier);
			}
		});
	});
});

describe("POST /api/v1/requests/{id}/decision-mail", () => {
	const TEXT = "Welcome. <b>Read</b> https://docs.example/start first.";
	const pathOf = (id: string) => `${QUEUE}/${id}/decision-mail` as const;
	const preview = async (id: string, body: unknown) => {
		const response = await service.call("POST", pathOf(id), { token, body });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		return response.body.data;
	};

	describe("200", () => {
		for (const [decision, language] of [
			["approve", "en"],
			["reject", "zh-CN"],
		] as const)
			it(`returns the mail that the decision "${decision}" sends in ${language}, without the token`, async () => {
				const record = await submit(service, { project_name: "Engine 3" }, { "accept-language": language });
				const shown = await preview(record.id, { decision, review_note: TEXT });
				assert.deepEqual(
					[shown.to_address, shown.to_name, shown.locale],
					[record.email, record.applicant_name, language],
				);
				assert.deepEqual(await service.mailsTo(record.email, 1).then((mails) => mails.length), 1);
				await decide(service, record.id, decision, { review_note: TEXT });
				const [, sent] = await service.mailsTo(record.email, 2);
				assert.ok(sent);
				// The link expires seven days after the decision, which may be a minute after the preview.
				const withoutToken = (text: string) =>
					text
						.replace(/\/claim#[\w-]{43}/, "/claim#…")
						.replaceAll(/\d\d:\d\d/g, "hh:mm")
						.trim();
				assert.equal(sent.subject, shown.subject);
				assert.equal(withoutToken((sent.text ?? "").replaceAll("\r\n", "\n")), withoutToken(shown.text));
				assert.equal(shown.text.includes("/claim#…"), decision === "approve");
			});

		it("includes the brand of the tenant", async () => {
			const record = await submit(service);
			const body = { product_name: "Northwind Access", support_email: "help@northwind.example" };
			await service.call("PUT", "/api/v1/branding", { token: token, body });
			const { text } = await preview(record.id, { decision: "approve" });
			assert.match(text, /Northwind Access · help@northwind\.example/);
		});

		it("sends nothing, stores no link and is not audited", async () => {
			const record = await submit(service);
			await preview(record.id, { decision: "approve", review_note: TEXT });
			const [stored] = await rows<{ status: string; claim_digest: string | null; review_note: string }>(
				service,
				"SELECT status, claim_digest, review_note FROM requests WHERE id = $1",
				record.id,
			);
			assert.deepEqual({ ...stored }, { status: "pending", claim_digest: null, review_note: "" });
			assert.deepEqual(await auditOf(service, `access_request:${record.id}`), [
				"anonymous access_request.submitted",
			]);
		});
	});

	describe("409", () => {
		it("refuses a decided request", async () => {
			const { id } = await submit(service);
			await decide(service, id, "reject", { review_note: TEXT });
			const { status, code } = await problemOf(service, "POST", pathOf(id), { decision: "approve" });
			assert.deepEqual([status, code], [409, "request.already_decided"]);
		});
	});
});
