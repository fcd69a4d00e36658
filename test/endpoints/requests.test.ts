// The queue of reviewers: requests of every kind in one list, decided by one mechanism.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { auditOf, decide, QUEUE, submit, submitApproved } from "../harness/access/access-requests.ts";
import { ABSENT_ID, problemOf } from "../harness/access/applications.ts";
import { addProgramRequest } from "../harness/openid/programs.ts";
import { addPerson } from "../harness/people/people.ts";
import { setup, testService } from "../harness/runs/fixture.ts";
import { openBeside } from "../harness/service/beside-service.ts";

const service = testService();
let token: string;
let tenantId: string;
setup(async () => {
	token = await service.adminToken();
	tenantId = (await service.asAdmin("GET", "/api/v1/users/me")).tenant_id;
});

const addProgram = (name?: string) => addProgramRequest(service, tenantId, name);
const list = async (query: string) => {
	const response = await service.call("GET", `${QUEUE}?${query}`, { token });
	assert.equal(response.status, 200, JSON.stringify(response.body));
	return response.body;
};
const idsOf = async (query: string) => (await list(`page_size=100&${query}`)).data.map(({ id }) => id);

/** A person who asked for the program. @returns the email address */
async function addAsker(requestId: string, username: string, locale = "en"): Promise<string> {
	const { id: userId, token: own } = await addPerson(service, username);
	await service.call("PATCH", "/api/v1/users/me", { token: own, body: { locale } });
	const { email } = await service.asAdmin("GET", `/api/v1/users/${userId}`);
	await using beside = await openBeside(service);
	const createdAtMs = service.clock.now();
	await beside.db.transaction(({ programRequests }) =>
		programRequests.join({ requestId, tenantId, userId, reason: "To list my tasks.", createdAtMs }),
	);
	return email;
}

describe("the queue of every kind of request", () => {
	describe("200", () => {
		it("has the requests of every kind, and filters by kind and status", async () => {
			const { id: partner } = await submit(service);
			const program = await addProgram();
			assert.deepEqual((await idsOf("sort=newest")).slice(0, 2), [program, partner]);
			assert.ok(!(await idsOf("kind=program")).includes(partner));
			assert.ok(!(await idsOf("kind=partner&status=pending")).includes(program));
			const all = await list("status=pending");
			const [partners, programs] = [
				await list("kind=partner&status=pending"),
				await list("kind=program&status=pending"),
			];
			assert.equal(all.total, partners.total + programs.total);
			const { pending_requests } = await service.asAdmin("GET", "/api/v1/overview");
			assert.equal(pending_requests, all.total);
		});

		it("searches every kind", async () => {
			const program = await addProgram();
			const { host } = await service.asAdmin("GET", `${QUEUE}/${program}`);
			const { id: partner } = await submit(service, { purpose: "None.", company: `For ${host}` });
			assert.deepEqual((await idsOf(`q=${host.toUpperCase()}`)).sort(), [program, partner].sort());
			assert.deepEqual(await idsOf(`q=${host}&kind=program`), [program]);
		});

		it("marks the names of every kind that mix scripts in one word, in lists and in detail", async () => {
			const { id: partner } = await submit(service, {
				applicant_name: "\u042f\u043d\u0434\u0435\u043a\u0441 API",
				company: "\u0420\u0430ypal",
				project_name: "G\u03bfogle",
			});
			const program = await addProgram("\u0410cme Agent");
			const plain = [(await submit(service)).id, await addProgram()];
			const listed = new Map((await list("page_size=100")).data.map((row) => [row.id, row.mixed_scripts]));
			for (const [id, fields] of [
				[partner, ["company", "project_name"]],
				[program, ["name"]],
				...plain.map((other) => [other, []] as const),
			] as const) {
				assert.deepEqual(listed.get(id), fields);
				assert.deepEqual((await service.asAdmin("GET", `${QUEUE}/${id}`)).mixed_scripts, fields);
			}
		});

		it("finds other requests for the same program", async () => {
			const program = await addProgram();
			await decide(service, program, "reject");
			const { client_id } = await service.asAdmin("GET", `${QUEUE}/${program}`);
			const again = await addProgramRequest(service, tenantId, "Example Agent", client_id);
			assert.deepEqual(await idsOf(`related_to=${again}`), [program]);
		});

		it("exports the fields of every kind", async () => {
			const { email } = await submit(service);
			const { host } = await service.asAdmin("GET", `${QUEUE}/${await addProgram()}`);
			const headers = { authorization: `Bearer ${token}` };
			const text = await (await fetch(`${service.httpUrl}${QUEUE}?format=csv`, { headers })).text();
			const [names = ""] = text.split("\r\n");
			for (const name of ["id", "kind", "status", "email", "client_id", "host"])
				assert.ok(
					names.split(",").some((column) => column.replace("\ufeff", "") === name),
					name,
				);
			assert.ok(text.includes(email) && text.includes(host));
		});
	});

	describe("400", () => {
		it("names a related request that does not exist", async () => {
			const { status, fields } = await problemOf(service, "GET", `${QUEUE}?related_to=${ABSENT_ID}`);
			assert.deepEqual([status, fields], [400, ["related_to"]]);
		});
	});
});

describe("the fields of an approval", () => {
	describe("400", () => {
		it("names a field of another kind, and the request stays pending", async () => {
			const { id: partner } = await submit(service);
			const program = await addProgram();
			for (const [id, field, value] of [
				[partner, "allowed_resources", []],
				[partner, "access_policy", "open"],
				[partner, "document_digest", "x".repeat(43)],
				[program, "scopes", ["users:read"]],
				[program, "ip_allowlist", []],
				[program, "app_id", program],
				[program, "roles", []],
			] as const) {
				const body = { ...(id === program && { allowed_resources: [] }), [field]: value };
				const { status, fields } = await problemOf(service, "POST", `${QUEUE}/${id}/approve`, body);
				assert.deepEqual([status, fields], [400, [field]], field);
				assert.equal((await service.asAdmin("GET", `${QUEUE}/${id}`)).status, "pending");
			}
		});

		it("requires allowed_resources for a program", async () => {
			const path = `${QUEUE}/${await addProgram()}/approve` as const;
			const { status, fields } = await problemOf(service, "POST", path, {});
			assert.deepEqual([status, fields], [400, ["allowed_resources"]]);
		});
	});

	describe("404", () => {
		it("has no address of a single kind", async () => {
			const { id } = await submit(service);
			for (const path of [`access-requests/${id}`, `program-requests/${id}`, "program-requests"])
				assert.equal((await service.call("GET", `/api/v1/${path}`, { token })).status, 404, path);
		});
	});
});

describe("the decision mail of a program", () => {
	describe("200", () => {
		it("shows the mail of the first person who asked for a program, and how many receive one", async () => {
			const id = await addProgram();
			const first = await addAsker(id, "asker-first", "zh-CN");
			const second = await addAsker(id, "asker-second");
			const body = { decision: "reject", review_note: "Unknown to us." };
			const shown = await service.asAdmin("POST", `${QUEUE}/${id}/decision-mail`, body);
			assert.deepEqual([shown.to_address, shown.locale, shown.recipients], [first, "zh-CN", 2]);
			await decide(service, id, "reject", { review_note: "Unknown to us." });
			const [sent] = await service.mailsTo(first, 1);
			assert.equal(sent?.subject, shown.subject);
			assert.equal((sent?.text ?? "").replaceAll("\r\n", "\n").trim(), shown.text.trim());
			assert.equal((await service.mailsTo(second, 1)).length, 1);
		});
	});

	describe("409", () => {
		it("is returned if no one is mailed", async () => {
			const path = `${QUEUE}/${await addProgram()}/decision-mail` as const;
			const { status, code } = await problemOf(service, "POST", path, { decision: "approve" });
			assert.deepEqual([status, code], [409, "request.no_recipient"]);
		});
	});
});

describe("an approval of a program that is mailed again", () => {
	describe("202", () => {
		it("mails the approval of a program again, and is audited", async () => {
			const id = await addProgram();
			const email = await addAsker(id, "asker-again");
			await decide(service, id, "approve", { allowed_resources: [] });
			assert.equal((await service.call("POST", `${QUEUE}/${id}/resend`, { token })).status, 202);
			const [once, again] = await service.mailsTo(email, 2);
			assert.equal(again?.text, once?.text);
			const audited = await auditOf(service, `program_request:${id}`);
			assert.match(audited.at(-1) ?? "", /^user:\S+ program\.approval_resent$/);
		});
	});

	describe("409", () => {
		it("is returned for what is not approved, and if no one is mailed", async () => {
			const resent = async (id: string) => (await problemOf(service, "POST", `${QUEUE}/${id}/resend`)).code;
			const pending = await addProgram();
			assert.equal(await resent(pending), "request.not_approved");
			await decide(service, pending, "approve", { allowed_resources: [] });
			assert.equal(await resent(pending), "request.no_recipient");
			assert.notEqual((await submitApproved(service)).api_client_id, null);
		});
	});
});
