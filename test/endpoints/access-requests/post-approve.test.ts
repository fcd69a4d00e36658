import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
	auditOf,
	decide,
	mailedLinks,
	mailedToken,
	REQUESTS,
	rows,
	submit,
	submitApproved,
} from "../../harness/access-requests.ts";
import { addPerson } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { type Answer, startTestService, type TestService } from "../../harness/service.ts";

const UNKNOWN = "01980000-0000-7000-8000-000000000000";

let service: TestService;
let token: string;
before(async () => {
	service = await startTestService({ env: { LATCHKEY_PUBLIC_URL: "https://id.example.com" } });
	token = await service.adminToken();
});
after(() => service.stop());

const approve = (id: string, body: unknown = {}, as = token) =>
	service.call("POST", `${REQUESTS}/${id}/approve`, { token: as, body });
const dataOf = <Data>({ status, body }: Answer<{ readonly data: Data }>): Data => {
	assert.equal(status, 200, JSON.stringify(body));
	return body.data;
};
const me = async () => dataOf(await service.call("GET", "/api/v1/users/me", { token }));
const readRequest = async (id: string) => dataOf(await service.call("GET", `${REQUESTS}/${id}`, { token }));
const readClient = async (id: string | null) => {
	assert.ok(id);
	return dataOf(await service.call("GET", `/api/v1/api-clients/${id}`, { token }));
};
const readApplication = async (id: string) =>
	dataOf(await service.call("GET", `/api/v1/applications/${id}`, { token }));
const addApplication = async (): Promise<string> => {
	const body = { name: "Orders" };
	return (await service.call("POST", "/api/v1/applications", { token, body })).body.data.id;
};

describe("POST /api/v1/access-requests/{id}/approve", () => {
	describe("200", () => {
		test("answers the approved request with the id of its client", async () => {
			const record = await submit(service);
			const answer = await approve(record.id, { review_note: "  Welcome.  " });
			assert.equal(answer.status, 200);
			const { data } = answer.body;
			assert.deepEqual(data, {
				...record,
				status: "approved",
				review_note: "Welcome.",
				reviewed_by: (await me()).id,
				reviewed_at: data.reviewed_at,
				updated_at: data.reviewed_at,
				api_client_id: data.api_client_id,
				reviewed_by_name: "admin",
				claimed_at: null,
			});
			assert.ok(data.reviewed_at && data.reviewed_at >= record.created_at);
		});

		test("creates an application with the name of the project when the body is absent", async () => {
			const record = await submit(service, { project_name: "Über-Billing  2.0" });
			const answer = await service.call("POST", `${REQUESTS}/${record.id}/approve`, { token });
			assert.equal(answer.status, 200);
			assert.equal(answer.body.data.review_note, "");
			const client = await readClient(answer.body.data.api_client_id);
			const application = await readApplication(client.app_id);
			assert.equal(application.name, "Über-Billing  2.0");
			assert.equal(application.slug, "uber-billing-2-0");
			assert.equal(application.access_policy, "assigned");
			assert.equal(application.status, "active");
		});

		test("creates an unclaimed client without a Secret", async () => {
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

		test("applies app_id, scopes, ip_allowlist and expires_at to the client", async () => {
			const app_id = await addApplication();
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

		test("accepts null for no expiry, and a review_note of 2000 characters", async () => {
			const review_note = "😀".repeat(2000);
			const record = await submitApproved(service, { expires_at: null, review_note });
			assert.equal(record.review_note, review_note);
			assert.equal((await readClient(record.api_client_id)).expires_at, null);
		});

		test("generates different slugs for projects of one name and for names without ASCII", async () => {
			const slugs: string[] = [];
			for (const project_name of ["Twin", "Twin", "Twin", "账单系统", "订单系统", "!!!"]) {
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

		test("accepts a project name of 200 characters", async () => {
			const { id } = await submit(service, { project_name: "Wide ".repeat(40).trimEnd().padEnd(200, "x") });
			assert.equal((await approve(id)).status, 200);
		});

		test("mails the applicant a claim link in the language of the submission, without credentials", async () => {
			const record = await submit(service, { project_name: "Fall" }, { "accept-language": "zh-CN" });
			const { api_client_id } = await decide(service, record.id, "approve", { review_note: "Note <b>" });
			const [, mail] = await service.mailsTo(record.email, 2);
			assert.match(mail?.subject ?? "", /您的接入申请已通过/);
			assert.match(mail?.text ?? "", /Note <b>/);
			const [link] = await mailedLinks(service, record.email, "claim");
			assert.match(link ?? "", /^https:\/\/id\.example\.com\/claim#[A-Za-z0-9_-]{43}$/);
			const { api_key } = await readClient(api_client_id);
			assert.doesNotMatch(`${mail?.text}${mail?.html}`, /sk_|ak_/);
			assert.ok(!mail?.text?.includes(api_key));
		});

		test("audits request, application and client, and stores only a digest of the claim token", async () => {
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
				...(await rows(service, "SELECT * FROM access_requests WHERE id = $1", record.id)),
				...(await rows(service, "SELECT * FROM audit_events")),
				...(await rows(service, "SELECT * FROM mail_outbox")),
			];
			assert.ok(!JSON.stringify(stored).includes(claim));
			assert.ok(!service.logs().includes(claim));
		});

		test("accepts a reviewer", async () => {
			const reviewer = await addPerson(service, "approve-relay", { roles: ["reviewer"] });
			const { id } = await submit(service);
			const answer = await approve(id, {}, reviewer.token);
			assert.equal(answer.status, 200);
			assert.equal(answer.body.data.reviewed_by, reviewer.id);
		});

		test("ignores server-assigned fields", async () => {
			const { id } = await submit(service);
			const { data } = (
				await approve(id, { status: "rejected", reviewed_by: UNKNOWN, api_client_id: UNKNOWN })
			).body;
			assert.equal(data.status, "approved");
			assert.equal(data.reviewed_by, (await me()).id);
			assert.notEqual(data.api_client_id, UNKNOWN);
		});
	});

	describe("400", () => {
		const bad: [string, Record<string, unknown>, RegExp][] = [
			["review_note too long", { review_note: "x".repeat(2001) }, /^review_note /],
			["review_note no string", { review_note: 1 }, /^review_note /],
			["app_id malformed", { app_id: "orders" }, /^app_id /],
			["app_id unknown", { app_id: UNKNOWN }, /^app_id /],
			["scopes no list", { scopes: "users:read" }, /^scopes /],
			["a scope unknown", { scopes: ["users:read", "users:write"] }, /^scopes\.1 /],
			["a scope twice", { scopes: ["users:read", "users:read"] }, /^scopes /],
			["ip_allowlist no list", { ip_allowlist: "10.0.0.1" }, /^ip_allowlist /],
			["an address that is none", { ip_allowlist: ["10.0.0.1", "localhost"] }, /^ip_allowlist\.1 /],
			["a blank address", { ip_allowlist: [""] }, /^ip_allowlist\.0 /],
			["host bits set", { ip_allowlist: ["10.0.0.1/8"] }, /^ip_allowlist\.0 /],
			["a bad prefix", { ip_allowlist: ["10.0.0.0/33"] }, /^ip_allowlist\.0 /],
			["a leading zero", { ip_allowlist: ["010.0.0.1"] }, /^ip_allowlist\.0 /],
			["a mapped range beyond IPv4", { ip_allowlist: ["::ffff:10.0.0.0/8"] }, /^ip_allowlist\.0 /],
			[
				"101 addresses",
				{ ip_allowlist: Array.from({ length: 101 }, (_, n) => `10.0.0.${n}`) },
				/^ip_allowlist /,
			],
			["expires_at past", { expires_at: "2020-01-01T00:00:00Z" }, /^expires_at /],
			["expires_at without zone", { expires_at: "2099-01-01T00:00:00" }, /^expires_at /],
			["expires_at on no day", { expires_at: "2099-02-30T00:00:00Z" }, /^expires_at /],
			["expires_at a number", { expires_at: 4_070_908_800 }, /^expires_at /],
		];
		for (const [what, body, message] of bad) {
			test(`refuses ${what}, and the request stays pending`, async () => {
				const { id } = await submit(service);
				const answer = await approve(id, body);
				assert.equal(answer.status, 400, JSON.stringify(answer.body));
				assert.match(answer.body.error, message);
				assert.equal((await readRequest(id)).status, "pending");
			});
		}

		test("answers another tenant's application like an unknown one", async () => {
			const second = await addSecondTenant(service);
			const { id } = await submit(service, {}, { "x-tenant-id": second.id });
			const foreign = await approve(id, { app_id: await addApplication() }, second.adminToken);
			const unknown = await approve(id, { app_id: UNKNOWN }, second.adminToken);
			assert.equal(foreign.status, 400);
			assert.deepEqual(foreign.body, unknown.body);
		});

		test("stores nothing for a refused approval", async () => {
			const count = () =>
				rows(
					service,
					`SELECT (SELECT count(*) FROM applications) AS applications, (SELECT count(*) FROM api_clients) AS clients,
					 (SELECT count(*) FROM audit_events) AS events, (SELECT count(*) FROM mail_outbox) AS mails`,
				);
			const { id } = await submit(service);
			const earlier = await count();
			assert.equal((await approve(id, { app_id: UNKNOWN })).status, 400);
			assert.deepEqual(await count(), earlier);
		});
	});

	describe("401", () => {
		test("needs a token", async () => {
			const { id } = await submit(service);
			const answer = await service.call("POST", `${REQUESTS}/${id}/approve`, { body: {} });
			assert.equal(answer.status, 401);
			assert.equal(answer.headers["www-authenticate"], "Bearer");
		});
	});

	describe("403", () => {
		test("refuses the scope sign-in:relay from a reviewer, and accepts it from an admin", async () => {
			const { id } = await submit(service);
			const person = await addPerson(service, "approve-reviewer", { roles: ["reviewer"] });
			assert.equal((await approve(id, { scopes: ["sign-in:relay"] }, person.token)).status, 403);
			assert.equal((await readRequest(id)).status, "pending");
			assert.equal((await approve(id, { scopes: ["sign-in:relay"] })).status, 200);
		});

		for (const roles of [["auditor"], []]) {
			test(`refuses the roles [${roles}]`, async () => {
				const { id } = await submit(service);
				const person = await addPerson(service, `approve-${roles[0] ?? "nobody"}`, { roles });
				assert.equal((await approve(id, {}, person.token)).status, 403);
				assert.equal((await readRequest(id)).status, "pending");
			});
		}
	});

	describe("404", () => {
		test("answers absent, malformed and foreign ids alike", async () => {
			const second = await addSecondTenant(service);
			const { id } = await submit(service);
			const unknown = await approve(UNKNOWN);
			const foreign = await approve(id, {}, second.adminToken);
			assert.equal(unknown.status, 404);
			assert.equal(foreign.status, 404);
			assert.deepEqual(foreign.body, unknown.body);
			assert.equal((await approve("17")).status, 404);
			assert.equal((await readRequest(id)).status, "pending");
		});
	});

	describe("409", () => {
		test("refuses an approved, rejected or withdrawn request", async () => {
			const approved = await submitApproved(service);
			const rejected = await submit(service);
			await decide(service, rejected.id, "reject");
			const withdrawn = await submit(service);
			await service.call("POST", `${REQUESTS}/withdraw`, {
				body: { token: await mailedToken(service, withdrawn.email, "withdraw") },
			});
			for (const { id } of [approved, rejected, withdrawn]) {
				const earlier = await readRequest(id);
				assert.equal((await approve(id, { review_note: "again" })).status, 409);
				assert.deepEqual(await readRequest(id), earlier);
			}
			assert.equal((await mailedLinks(service, approved.email, "claim")).length, 1);
		});

		test("accepts one of simultaneous approvals, rejections and withdrawals", async () => {
			for (let round = 0; round < 5; round++) {
				const { id, email } = await submit(service);
				const withdrawToken = await mailedToken(service, email, "withdraw");
				const attempts = Array.from({ length: 30 }, (_, n) => {
					if ((n + round) % 3 === 0) return approve(id);
					if ((n + round) % 3 === 1) {
						const body = { review_note: "No." };
						return service.call("POST", `${REQUESTS}/${id}/reject`, { token, body });
					}
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
