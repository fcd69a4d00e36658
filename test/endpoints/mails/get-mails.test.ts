import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { MAILS_KEPT_MS } from "../../../src/domain/mail.ts";
import { DAY_MS } from "../../../src/kernel/clock.ts";
import { submit } from "../../harness/access-requests.ts";
import {
	addCast,
	assertForbidden,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { openBeside } from "../../harness/beside-service.ts";
import { type MailServer, startMailServer } from "../../harness/mail-server.ts";
import { listMails, MAILS, mailIn } from "../../harness/mails.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const REFUSALS = new Map([
	["refused@partner.example", 550],
	["later@partner.example", 451],
]);

describe("GET /api/v1/mails", () => {
	let service: TestService;
	let server: MailServer;
	let cast: Cast;
	before(async () => {
		server = await startMailServer({ refusalOf: (address) => REFUSALS.get(address) });
		service = await startTestService({ env: { LATCHKEY_SMTP_URL: server.url } });
		cast = await addCast(service);
	});
	after(async () => {
		await service.stop();
		await server.close();
	});

	describe("200", () => {
		it("shows what became of each mail, newest first, without its content", async () => {
			await submit(service, { email: "Taken@Partner.Example", project_name: "Looms" });
			const sent = await mailIn(service, "sent", "taken@partner.example");
			assert.match(sent.id, /^[0-9a-f-]{36}$/);
			assert.deepEqual(
				{ ...sent, id: "", at: "" },
				{
					id: "",
					at: "",
					to: "taken@partner.example",
					subject: "We received your access request: Looms",
					state: "sent",
					attempts: 1,
					next_at: null,
					last_error: "",
				},
			);
			await submit(service, { email: "refused@partner.example" });
			const failed = await mailIn(service, "failed", "refused@partner.example");
			assert.match(failed.last_error, /550 not today/);
			assert.equal(failed.next_at, null);
			await submit(service, { email: "later@partner.example" });
			const waiting = await mailIn(
				service,
				"waiting",
				"later@partner.example",
				(mail) => mail.last_error !== "",
			);
			assert.match(waiting.last_error, /451 not today/);
			assert.ok(
				Date.parse(waiting.next_at ?? "") > service.clock.now() + 30_000,
				"waits for its next attempt",
			);
			const all = (await listMails(service)).filter(({ to }) => to.endsWith("@partner.example"));
			assert.deepEqual(
				all.map(({ id }) => id),
				[waiting.id, failed.id, sent.id],
			);
			assert.deepEqual(await listMails(service, "state=failed"), [failed]);
		});

		it("shows no code, no link and no mail to an unknown address", async () => {
			const body = { email: "coded@partner.example" };
			await service.call("POST", "/api/v1/auth/register/send-code", { body });
			await mailIn(service, "sent", body.email);
			const [mail] = await server.mailsTo(body.email);
			const code = /\b[0-9]{6}\b/.exec(mail?.text ?? "")?.[0] ?? "";
			assert.notEqual(code, "");
			const forgotten = { email: "nobody@partner.example" };
			await service.call("POST", "/api/v1/auth/password/forgot", { body: forgotten });
			const answer = await service.call("GET", `${MAILS}?page_size=100`, { token: cast.admin });
			const text = JSON.stringify(answer.body);
			for (const secret of [code, "#", forgotten.email]) assert.ok(!text.includes(secret), secret);
		});

		it("shows another tenant its own mails only", async () => {
			const answer = await service.call("GET", MAILS, { token: cast.other.adminToken });
			assert.deepEqual([answer.status, answer.body.total], [200, 0]);
		});

		it("deletes finished mails after 30 days, and keeps those that wait", async () => {
			await submit(service, { email: "old@partner.example" });
			const old = await mailIn(service, "sent", "old@partner.example");
			const { engine, db, close } = await openBeside(service);
			try {
				const now = service.clock.now();
				await engine.queries.run(
					"UPDATE mail_outbox SET finished_at = $1 WHERE id = $2",
					now - 31 * DAY_MS,
					old.id,
				);
				assert.equal(await db.transaction(({ mail }) => mail.purge(now - MAILS_KEPT_MS, 100)), 1);
			} finally {
				await close();
			}
			assert.deepEqual(await listMails(service, "to=old@partner.example"), []);
			assert.equal((await listMails(service, "to=later@partner.example")).length, 1);
		});
	});

	describe("400", () => {
		it("names the parameter", async () => {
			for (const [query, field] of [
				["state=due", "state"],
				["to=partner", "to"],
				["page=0", "page"],
			] as const) {
				const { status, fields } = await problemOf(service, "GET", `${MAILS}?${query}`);
				assert.deepEqual([status, fields], [400, [field]], query);
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", MAILS));
	});

	describe("403", () => {
		it("is for admins only", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "GET", MAILS);
		});
	});
});
