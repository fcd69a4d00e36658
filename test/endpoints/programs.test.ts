// Requests for programs, their review, and reviewed programs. test/openid/programs.test.ts has the flows.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { problemOf } from "../harness/access/applications.ts";
import { ISSUER, TestBrowser } from "../harness/openid/openid.ts";
import { addProgramRequest, PROGRAM_CALLBACK, publishPrograms } from "../harness/openid/programs.ts";
import { addPerson, type Person, signInToApplication } from "../harness/people/people.ts";
import { setup, testService } from "../harness/runs/fixture.ts";

const web = publishPrograms();
const service = testService({
	programDocuments: web.documents,
	env: { LATCHKEY_PUBLIC_URL: ISSUER },
});
let token: string;
let tenantId: string;
let ada: Person;
let count = 0;
setup(async () => {
	token = await service.adminToken();
	tenantId = (await service.asAdmin("GET", "/api/v1/users/me")).tenant_id;
	await service.asAdmin("PATCH", `/api/v1/tenants/${tenantId}`, { program_requests: true });
	ada = await addPerson(service, "ada");
});

const REASON = { reason: "To list my tasks." };
const NOTE = { review_note: "Nobody knows it." };
const NONE = { allowed_resources: [] };
const request = () => addProgramRequest(service, tenantId);
const decide = (id: string, action: "approve" | "reject", body: object) =>
	service.call("POST", `/api/v1/requests/${id}/${action}`, { token, body });
async function program(): Promise<string> {
	const { body } = await decide(await request(), "approve", NONE);
	return body.data.application_id ?? assert.fail("no application");
}
/** The page of a program that was not reviewed. @returns the id of its request */
async function open(): Promise<string> {
	const url = `https://agent-${++count}.example/client.json`;
	web.publish(url);
	const query = new URLSearchParams({ client_id: url, redirect_uri: PROGRAM_CALLBACK });
	const page = await new TestBrowser(service).go(`/oauth/authorize?${query}`);
	return new URL(page.headers.location ?? "").searchParams.get("request") ?? "";
}
const ask = (id: string, by: string, body: object = REASON) =>
	service.call("POST", `/api/v1/auth/programs/requests/${id}/ask`, { token: by, body });
const takeRequests = (isOn: boolean) =>
	service.asAdmin("PATCH", `/api/v1/tenants/${tenantId}`, { program_requests: isOn });

describe("GET /api/v1/auth/programs/requests/{asked_program_id}", () => {
	describe("200", () => {
		it("shows hosts, never a name without its host, before anything was read", async () => {
			const id = await open();
			const { body } = await service.call("GET", `/api/v1/auth/programs/requests/${id}`, {
				token: ada.token,
			});
			const { host, name, redirect_host, is_on_device, state } = body.data;
			assert.deepEqual(
				[host, name, redirect_host, is_on_device, state],
				[`agent-${count}.example`, null, "127.0.0.1", true, "unknown"],
			);
		});
	});
});

describe("POST /api/v1/auth/programs/requests/{asked_program_id}/ask", () => {
	describe("202", () => {
		it("is the response to every request of the same person, and stores one", async () => {
			const id = await open();
			assert.equal((await ask(id, ada.token)).status, 202);
			assert.equal((await ask(id, ada.token)).status, 202);
			const { body } = await service.call("GET", "/api/v1/requests", { token });
			assert.equal(body.data.filter(({ host }) => host === `agent-${count}.example`).length, 1);
		});
	});

	describe("403", () => {
		it("is returned if the tenant accepts no requests, and for the token of an application", async () => {
			const id = await open();
			await takeRequests(false);
			assert.equal((await ask(id, ada.token)).status, 403);
			await takeRequests(true);
			assert.equal((await ask(id, await signInToApplication(service, ada))).status, 403);
		});
	});

	describe("409", () => {
		it("is returned while 200 requests are pending", async () => {
			const eve = await addPerson(service, "eve");
			const id = await open();
			const added: string[] = [];
			const { body } = await service.call(
				"GET",
				"/api/v1/requests?kind=program&status=pending" as "/api/v1/requests",
				{ token },
			);
			for (let pending = body.total; pending < 200; pending++) added.push(await request());
			assert.equal((await ask(id, eve.token)).status, 409);
			for (const one of added) assert.equal((await decide(one, "reject", NOTE)).status, 200);
			assert.equal((await ask(id, eve.token)).status, 202);
		});
	});
});

describe("the list of requests for programs", () => {
	describe("200", () => {
		it("finds requests by a part of the URL and by status", async () => {
			const id = await request();
			const { client_id } = await service.asAdmin("GET", `/api/v1/requests/${id}`);
			const find = async (query: string) =>
				(
					await service.call("GET", `/api/v1/requests?kind=program&${query}` as "/api/v1/requests", {
						token,
					})
				).body.data;
			const q = encodeURIComponent(client_id.slice(8, 30).toUpperCase());
			assert.deepEqual(
				(await find(`q=${q}`)).map((one) => one.id),
				[id],
			);
			assert.deepEqual(await find(`q=${q}&status=approved`), []);
		});
	});
});

describe("a request for a program", () => {
	describe("200", () => {
		it("contains the document as it was read, with hosts", async () => {
			const { document, kind, is_change, host, differences } = await service.asAdmin(
				"GET",
				`/api/v1/requests/${await request()}`,
			);
			assert.deepEqual([kind, is_change, differences], ["program", false, []]);
			assert.match(host, /\.example$/);
			assert.deepEqual(document?.redirect_uris, [
				{ uri: PROGRAM_CALLBACK, host: "127.0.0.1", is_other_host: false, is_on_device: true },
			]);
			assert.equal(document?.published.client_name, "Example Agent");
		});
	});
});

describe("the approval of a program", () => {
	describe("200", () => {
		it("creates an application of kind program with a public OAuth client", async () => {
			const id = await program();
			const application = await service.asAdmin("GET", `/api/v1/applications/${id}`);
			assert.deepEqual([application.kind, application.access_policy], ["program", "open"]);
			const client = await service.asAdmin("GET", `/api/v1/applications/${id}/oauth-client`);
			assert.deepEqual([client.type, client.auth_method, client.first_party], ["native", "none", false]);
			assert.deepEqual(client.allowed_resources, []);
		});
	});

	describe("400", () => {
		it("names APIs that do not exist, and a time in the past; the request stays pending", async () => {
			const id = await request();
			for (const [body, field] of [
				[{ allowed_resources: ["https://unknown.example"] }, "allowed_resources.0"],
				[{ ...NONE, expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
			] as const) {
				const path = `/api/v1/requests/${id}/approve` as const;
				const { status, fields } = await problemOf(service, "POST", path, body);
				assert.deepEqual([status, fields], [400, [field]]);
			}
			assert.equal((await service.asAdmin("GET", `/api/v1/requests/${id}`)).status, "pending");
		});
	});

	describe("409", () => {
		it("is returned to all but one of concurrent decisions", async () => {
			const id = await request();
			const answers = await Promise.all([
				decide(id, "approve", NONE),
				decide(id, "reject", NOTE),
				decide(id, "approve", NONE),
			]);
			assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
		});
	});
});

describe("the rejection of a program", () => {
	describe("200", () => {
		it("stores the note and the reviewer, and creates nothing", async () => {
			const { status, review_note, reviewed_by_name, application_id } = (
				await decide(await request(), "reject", NOTE)
			).body.data;
			assert.deepEqual(
				[status, review_note, reviewed_by_name, application_id],
				["rejected", NOTE.review_note, "admin", null],
			);
		});
	});

	describe("409", () => {
		it("is returned for a decided request", async () => {
			const id = await request();
			await decide(id, "reject", NOTE);
			assert.equal((await decide(id, "reject", NOTE)).status, 409);
		});
	});
});

describe("GET /api/v1/programs", () => {
	describe("200", () => {
		it("lists programs by status", async () => {
			const id = await program();
			const find = async (status: string) =>
				(await service.call("GET", `/api/v1/programs?status=${status}` as "/api/v1/programs", { token })).body
					.data;
			assert.ok((await find("active")).some((one) => one.application_id === id));
			assert.ok(!(await find("suspended")).some((one) => one.application_id === id));
		});
	});
});

describe("GET /api/v1/programs/{application_id}", () => {
	describe("200", () => {
		it("contains the reviewed document", async () => {
			const id = await program();
			const { name, status, document, change_request_id } = await service.asAdmin(
				"GET",
				`/api/v1/programs/${id}`,
			);
			assert.deepEqual([name, status, change_request_id], ["Example Agent", "active", null]);
			assert.deepEqual(
				document.redirect_uris.map(({ uri }) => uri),
				[PROGRAM_CALLBACK],
			);
		});
	});
});

describe("PATCH /api/v1/programs/{application_id}", () => {
	const change = (id: string, body: object) =>
		service.call("PATCH", `/api/v1/programs/${id}`, { token, body });

	describe("200", () => {
		it("changes status, policy, and expiry, and writes one audit event", async () => {
			const id = await program();
			const expires_at = new Date(service.clock.now() + 86_400_000).toISOString();
			const { body } = await change(id, { status: "suspended", access_policy: "assigned", expires_at });
			const { status, access_policy, expires_at: expiresAt } = body.data;
			assert.deepEqual([status, access_policy, expiresAt], ["suspended", "assigned", expires_at]);
			await change(id, { status: "suspended" });
			const path = `/api/v1/audit-events?target=program:${id}` as "/api/v1/audit-events";
			const events = await service.call("GET", path, { token });
			assert.deepEqual(
				events.body.data.map(({ action }) => action),
				["program.suspended"],
			);
		});
	});

	describe("400", () => {
		it("names a bad status, an unknown API, and a time in the past", async () => {
			const id = await program();
			for (const body of [
				{ allowed_resources: ["https://unknown.example"] },
				{ expires_at: "2020-01-01T00:00:00Z" },
			])
				assert.equal((await change(id, body)).status, 400, JSON.stringify(body));
		});
	});
});

describe("DELETE /api/v1/programs/{application_id}", () => {
	describe("204", () => {
		it("removes the application", async () => {
			const id = await program();
			assert.equal((await service.call("DELETE", `/api/v1/programs/${id}`, { token })).status, 204);
			assert.equal((await service.call("GET", `/api/v1/applications/${id}`, { token })).status, 404);
		});
	});
});

describe("POST /api/v1/programs/{application_id}/read-again", () => {
	describe("202", () => {
		it("makes the document due", async () => {
			const id = await program();
			const response = await service.call("POST", `/api/v1/programs/${id}/read-again`, { token });
			assert.equal(response.status, 202);
			const { next_read_at } = await service.asAdmin("GET", `/api/v1/programs/${id}`);
			assert.ok(Date.parse(next_read_at) <= service.clock.now());
		});
	});
});
