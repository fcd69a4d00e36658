// Mails: their state, and retries.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { MAILS_KEPT_MS } from "../../src/domain/mail.ts";
import { DAY_MS, MINUTE_MS } from "../../src/kernel/clock.ts";
import { submit } from "../harness/access/access-requests.ts";
import { addCast, problemOf } from "../harness/access/applications.ts";
import { startMailServer } from "../harness/mail/mail-server.ts";
import { listMails, MAILS, mailIn } from "../harness/mail/mails.ts";
import { auditOf } from "../harness/people/people.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { openBeside } from "../harness/service/beside-service.ts";
import { startTestService } from "../harness/service/service.ts";

/** Recipients that the mail server refuses, with the code. */
const refused = new Map<string, number>();

const server = fixture(() => startMailServer({ refusalOf: (address) => refused.get(address) }));
const service = fixture(() => startTestService({ env: { LATCHKEY_SMTP_URL: server.url } }));
const cast = fixture(() => addCast(service));
after(async () => {
	await service?.stop();
	await server?.close();
});

describe("GET /api/v1/mails", () => {
	const addWaiting = async (email: string) => {
		refused.set(email, 451);
		await submit(service, { email });
		return mailIn(service, "waiting", email, ({ last_error }) => last_error !== "");
	};

	describe("200", () => {
		it("returns the state of each mail, newest first, without its content", async () => {
			await submit(service, { email: "Taken@Listed.Example", project_name: "Looms" });
			const sent = await mailIn(service, "sent", "taken@listed.example");
			assert.match(sent.id, /^[0-9a-f-]{36}$/);
			assert.deepEqual(
				{ ...sent, id: "", at: "" },
				{
					id: "",
					at: "",
					to: "taken@listed.example",
					subject: "We received your access request: Looms",
					state: "sent",
					attempts: 1,
					next_at: null,
					last_error: "",
				},
			);
			refused.set("refused@listed.example", 550);
			await submit(service, { email: "refused@listed.example" });
			const failed = await mailIn(service, "failed", "refused@listed.example");
			assert.match(failed.last_error, /550 not today/);
			assert.equal(failed.next_at, null);
			const waiting = await addWaiting("later@listed.example");
			assert.match(waiting.last_error, /451 not today/);
			assert.ok(Date.parse(waiting.next_at ?? "") > Date.parse(waiting.at) + 30_000);
			const all = (await listMails(service)).filter(({ to }) => to.endsWith("@listed.example"));
			assert.deepEqual(
				all.map(({ id }) => id),
				[waiting.id, failed.id, sent.id],
			);
			const withState = (await listMails(service, "state=failed")).filter(({ to }) =>
				to.endsWith("@listed.example"),
			);
			assert.deepEqual(withState, [failed]);
		});

		it("filters by creation: created_after is inclusive, created_before exclusive", async () => {
			const [first, second] = ["earlier@timed.example", "later@timed.example"] as const;
			await submit(service, { email: first });
			service.clock.advance(MINUTE_MS);
			await submit(service, { email: second });
			const { at } = await mailIn(service, "sent", second);
			const recipients = async (query: string) =>
				(await listMails(service, query)).map(({ to }) => to).filter((to) => to.endsWith("@timed.example"));
			const time = encodeURIComponent(at);
			assert.deepEqual(await recipients(`created_after=${time}`), [second]);
			assert.deepEqual(await recipients(`created_before=${time}`), [first]);
			assert.deepEqual(await recipients(`created_before=${time}&state=sent&to=${second}`), []);
			assert.deepEqual(await recipients(`created_after=${time}&state=sent&to=${second}`), [second]);
		});

		it("returns no code, no link and no mail to an unknown address", async () => {
			const body = { email: "coded@partner.example" };
			await service.call("POST", "/api/v1/auth/register/send-code", { body });
			await mailIn(service, "sent", body.email);
			const [mail] = await server.mailsTo(body.email);
			const code = /\b[0-9]{6}\b/.exec(mail?.text ?? "")?.[0] ?? "";
			assert.notEqual(code, "");
			const forgotten = { email: "unknown@partner.example" };
			await service.call("POST", "/api/v1/auth/password/forgot", { body: forgotten });
			const response = await service.callAsAdmin("GET", `${MAILS}?page_size=100`);
			const text = JSON.stringify(response.body);
			for (const secret of [code, "#", forgotten.email]) assert.ok(!text.includes(secret), secret);
		});

		it("returns no mail of another tenant", async () => {
			const response = await service.call("GET", MAILS, { token: cast.other.adminToken });
			assert.deepEqual([response.status, response.body.total], [200, 0]);
		});

		it("contains finished mails for 30 days, and waiting mails longer", async () => {
			await submit(service, { email: "old@partner.example" });
			const old = await mailIn(service, "sent", "old@partner.example");
			const waiting = await addWaiting("old.later@partner.example");
			await using beside = await openBeside(service);
			const now = service.clock.now();
			const finish = "UPDATE mail_outbox SET finished_at = $1 WHERE id = $2";
			await beside.engine.queries.run(finish, now - 31 * DAY_MS, old.id);
			assert.equal(await beside.db.transaction(({ mail }) => mail.purge(now - MAILS_KEPT_MS, 100)), 1);
			assert.deepEqual(await listMails(service, "to=old@partner.example"), []);
			assert.equal((await listMails(service, `to=${waiting.to}`)).length, 1);
		});
	});
});

describe("POST /api/v1/mails/{id}/resend", () => {
	const pathOf = ({ id }: { id: string }) => `${MAILS}/${id}/resend` as const;
	const resend = (mail: { id: string }) => service.callAsAdmin("POST", pathOf(mail));
	const addFailed = async (email: string) => {
		refused.set(email, 550);
		await submit(service, { email });
		const mail = await mailIn(service, "failed", email);
		refused.delete(email);
		return mail;
	};

	describe("202", () => {
		it("sends a failed mail with its original content, and audits it", async () => {
			const failed = await addFailed("once.full@partner.example");
			const response = await resend(failed);
			assert.deepEqual([response.status, response.body], [202, undefined]);
			const [mail] = await server.mailsTo(failed.to);
			assert.match(mail?.messageId ?? "", new RegExp(`^<${failed.id}@`));
			assert.match(mail?.text ?? "", /\/withdraw#/);
			const sent = await mailIn(service, "sent", failed.to);
			assert.deepEqual([sent.id, sent.attempts, sent.last_error], [failed.id, 2, ""]);
			const [event] = await auditOf(service, `mail:${failed.id}`);
			assert.deepEqual(
				[event?.action, event?.details],
				["mail.resent", { state: "failed", attempts: 1, kind: "access_request_receipt" }],
			);
		});

		it("attempts a waiting mail immediately", async () => {
			const email = "busy@partner.example";
			refused.set(email, 451);
			await submit(service, { email });
			const waiting = await mailIn(service, "waiting", email, ({ last_error }) => last_error !== "");
			refused.delete(email);
			assert.equal((await resend(waiting)).status, 202);
			assert.equal((await mailIn(service, "sent", email)).attempts, 2);
		});

		it("restarts the schedule of a failed mail", async () => {
			const failed = await addFailed("long.away@partner.example");
			await using db = await service.openDatabase();
			await db.queries.run("UPDATE mail_outbox SET attempts = 20 WHERE id = $1", failed.id);
			refused.set(failed.to, 451);
			assert.equal((await resend(failed)).status, 202);
			const waiting = await mailIn(service, "waiting", failed.to, ({ last_error }) =>
				last_error.includes("451"),
			);
			assert.equal(waiting.attempts, 21);
		});
	});

	describe("409", () => {
		it("returns 409 for a mail that was sent", async () => {
			await submit(service, { email: "has.it@partner.example" });
			const sent = await mailIn(service, "sent", "has.it@partner.example");
			const { status, code } = await problemOf(service, "POST", pathOf(sent));
			assert.deepEqual([status, code], [409, "mail.already_sent"]);
		});

		it("returns 409 for a mail with an expired code", async () => {
			const email = "too.late@partner.example";
			refused.set(email, 550);
			await service.call("POST", "/api/v1/auth/register/send-code", { body: { email } });
			const failed = await mailIn(service, "failed", email);
			refused.delete(email);
			service.clock.advance(10 * MINUTE_MS);
			const { status, code } = await problemOf(service, "POST", pathOf(failed));
			assert.deepEqual([status, code], [409, "mail.expired"]);
		});
	});
});
