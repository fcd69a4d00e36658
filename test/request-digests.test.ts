// Mails about new requests: at once, or as one digest of what waits, sent once by many nodes.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sendRequestDigests } from "../src/jobs/send-request-digests.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../src/kernel/clock.ts";
import { decide, submit } from "./harness/access/access-requests.ts";
import { addGroup } from "./harness/access/groups.ts";
import { addRequestable, requestRoles } from "./harness/access/person-requests.ts";
import { type MailServer, startMailServer } from "./harness/mail/mail-server.ts";
import { listMails } from "./harness/mail/mails.ts";
import { TestBrowser } from "./harness/openid/openid.ts";
import { PROGRAM_CALLBACK, publishPrograms } from "./harness/openid/programs.ts";
import { addPerson, auditOf, type Person } from "./harness/people/people.ts";
import { testService } from "./harness/runs/fixture.ts";
import { openBeside } from "./harness/service/beside-service.ts";

const CHOICE = "/api/v1/users/me/request-mails";
/** The job beside the service lists its mails by their kind. */
const DIGEST = "request_digest";

describe("mails about new requests", () => {
	const web = publishPrograms();
	let server: MailServer;
	before(async () => {
		server = await startMailServer();
	});
	after(() => server.close());
	const service = testService(() => ({
		env: { LATCHKEY_SMTP_URL: server.url },
		atMs: Date.now(),
		programDocuments: web.documents,
	}));

	const choose = async (person: Pick<Person, "token">, frequency: string) => {
		const response = await service.call("PUT", CHOICE, { token: person.token, body: { frequency } });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		return response.body.data;
	};
	const addReviewer = async (
		name: string,
		frequency: string,
		fields: Readonly<Record<string, unknown>> = {},
	) => {
		const reviewer = await addPerson(service, name, { roles: ["reviewer"], ...fields });
		await choose(reviewer, frequency);
		return reviewer;
	};
	/** Runs the job on that many nodes at once. @returns the digests that they sent */
	const runJobs = async (nodes = 3): Promise<number> => {
		const run = async () => {
			const { db, clock, close } = await openBeside(service);
			try {
				const publicUrl = "https://id.example";
				return await sendRequestDigests({ db, clock, publicUrl, wakeMail: () => undefined });
			} finally {
				await close();
			}
		};
		const sent = await Promise.all(Array.from({ length: nodes }, run));
		return sent.reduce((sum, one) => sum + one, 0);
	};
	const subjectsTo = async ({ email }: Pick<Person, "email">) =>
		(await listMails(service, `to=${encodeURIComponent(email)}`)).map(({ subject }) => subject);
	const digestsTo = async (person: Pick<Person, "email">) =>
		(await subjectsTo(person)).filter((subject) => subject === DIGEST).length;

	it("are sent at once unless the reviewer chose a digest", async () => {
		const eager = await addPerson(service, "eager", { roles: ["reviewer"] });
		const { body } = await service.call("GET", CHOICE, { token: eager.token });
		assert.deepEqual(body.data, { frequency: "at_once", is_reviewer: true });
		const hourly = await addReviewer("hourly", "hourly");
		await submit(service);
		assert.equal((await subjectsTo(eager)).length, 1);
		assert.deepEqual(await subjectsTo(hourly), []);
		await runJobs();
		assert.deepEqual(await subjectsTo(hourly), [], "nothing before the hour");
	});

	it("list what waits by kind, with links that lead to each request, and nothing that a person typed as a link", async () => {
		const reviewer = await addReviewer("grouped", "hourly");
		const partner = await submit(service, {
			applicant_name: "Eve http://evil.example/x",
			project_name: "<b>Engine</b>",
		});
		const appId = await addRequestable(service, {}, { name: "Books" });
		const asker = await addPerson(service, "asker");
		const role = await requestRoles(service, asker, appId);
		const url = "https://agent.example/client.json";
		web.publish(url);
		const { tenant_id } = await service.asAdmin("GET", "/api/v1/users/me");
		await service.asAdmin("PATCH", `/api/v1/tenants/${tenant_id}`, { program_requests: true });
		const query = new URLSearchParams({ client_id: url, redirect_uri: PROGRAM_CALLBACK });
		const page = await new TestBrowser(service).go(`/oauth/authorize?${query}`);
		const program = new URL(page.headers.location ?? "").searchParams.get("request");
		const asked = { token: asker.token, body: { reason: "To list my tasks." } };
		assert.equal(
			(await service.call("POST", `/api/v1/auth/programs/requests/${program}/ask`, asked)).status,
			202,
		);
		assert.deepEqual(await subjectsTo(reviewer), []);
		service.clock.advance(HOUR_MS + MINUTE_MS);
		await runJobs();
		const [mail] = await server.mailsTo(reviewer.email);
		const text = mail?.text ?? "";
		assert.match(text, /^Partners:[\s\S]*^Programs:[\s\S]*^People:[\s\S]*asker, Books, closer/mu);
		for (const id of [partner.id, role.id])
			assert.ok(text.includes(`\n  https://id.example/console/requests/${id}`), text);
		assert.ok(!text.includes("http://evil.example"), text);
		assert.equal(await digestsTo(reviewer), 1);
	});

	it("are sent once by many nodes, and again only after a new request", async () => {
		const reviewer = await addReviewer("once", "hourly");
		await Promise.all([submit(service), submit(service), submit(service)]);
		service.clock.advance(HOUR_MS + MINUTE_MS);
		await runJobs(5);
		await runJobs();
		assert.equal(await digestsTo(reviewer), 1);
		service.clock.advance(DAY_MS);
		await runJobs();
		assert.equal(await digestsTo(reviewer), 1, "the same requests still wait");
		await submit(service);
		service.clock.advance(HOUR_MS + MINUTE_MS);
		await runJobs();
		assert.equal(await digestsTo(reviewer), 2);
	});

	it("lose no request that is submitted while a digest is sent", async () => {
		const reviewer = await addReviewer("racing", "hourly");
		let last = "";
		for (let round = 0; round < 5; round++) {
			await submit(service);
			service.clock.advance(HOUR_MS + MINUTE_MS);
			const name = `Race ${round}`;
			await Promise.all([runJobs(2), submit(service, { project_name: name })]);
			last = name;
		}
		service.clock.advance(HOUR_MS + MINUTE_MS);
		await runJobs();
		const mails = await server.mailsTo(reviewer.email, await digestsTo(reviewer));
		assert.ok(mails.length >= 5 && mails.some(({ text }) => text.includes(last)), String(mails.length));
	});

	it("are not sent if nothing waits any more", async () => {
		const { data } = (
			await service.call("GET", "/api/v1/requests?status=pending&page_size=100", {
				token: await service.adminToken(),
			})
		).body;
		for (const { id } of data) await decide(service, id, "reject");
		const reviewer = await addReviewer("idle", "daily");
		const { id } = await submit(service);
		service.clock.advance(DAY_MS - MINUTE_MS);
		await runJobs();
		assert.equal(await digestsTo(reviewer), 0, "not before a day");
		await decide(service, id, "reject");
		service.clock.advance(2 * MINUTE_MS);
		await runJobs();
		assert.deepEqual(await subjectsTo(reviewer), []);
	});

	it("go to no one who lost the role or the account, and not about one's own request", async () => {
		const former = await addReviewer("former", "hourly");
		const disabled = await addReviewer("disabled", "hourly");
		await submit(service);
		await service.asAdmin("PATCH", `/api/v1/users/${former.id}`, { roles: [] });
		await service.asAdmin("PATCH", `/api/v1/users/${disabled.id}`, { status: "disabled" });
		service.clock.advance(HOUR_MS + MINUTE_MS);
		await runJobs();
		assert.deepEqual([await digestsTo(former), await digestsTo(disabled)], [0, 0]);
	});

	it("list to members of an application's reviewers only requests for it", async () => {
		const member = await addPerson(service, "member");
		const other = await addPerson(service, "stranger");
		const { id: groupId } = await addGroup(service, [member.id]);
		assert.equal((await choose(member, "hourly")).is_reviewer, false);
		const appId = await addRequestable(service, { reviewers: groupId }, { name: "Ledger" });
		assert.equal((await choose(member, "hourly")).is_reviewer, true);
		await submit(service);
		await requestRoles(service, other, appId);
		assert.deepEqual(await subjectsTo(member), []);
		service.clock.advance(HOUR_MS + MINUTE_MS);
		await runJobs();
		const [mail] = await server.mailsTo(member.email);
		assert.match(mail?.text ?? "", /^Requests that wait for you: 1\n/u);
		assert.match(mail?.text ?? "", /stranger, Ledger/);
		assert.doesNotMatch(mail?.text ?? "", /Partners/);
	});

	it("come soon after the reviewer returns to single mails, in the reviewer's language", async () => {
		const reviewer = await addReviewer("back", "daily", { locale: "zh-CN" });
		await submit(service);
		await choose(reviewer, "at_once");
		await runJobs();
		const [mail] = await server.mailsTo(reviewer.email);
		assert.match(mail?.text ?? "", /^待您处理的申请：\d+ 项[\s\S]*^合作方:/mu);
		await submit(service);
		assert.equal((await subjectsTo(reviewer)).length, 2);
	});

	it("are audited as a change of the user, once, and part of the user's export", async () => {
		const reviewer = await addReviewer("audited", "hourly");
		await choose(reviewer, "hourly");
		const events = (await auditOf(service, `user:${reviewer.id}`)).filter(
			({ action }) => action === "user.updated",
		);
		assert.deepEqual(
			events.map(({ details }) => details.fields),
			[["request_mails"]],
		);
		const token = await service.adminToken();
		const exported = await service.call("GET", `/api/v1/users/${reviewer.id}/export`, { token });
		assert.equal(
			(exported.body as unknown as { data: { request_mails: string } }).data.request_mails,
			"hourly",
		);
		const refused = await service.call("PUT", CHOICE, {
			token: reviewer.token,
			body: { frequency: "weekly" },
		});
		assert.equal(refused.status, 400);
	});
});
