import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { submit } from "../../harness/access-requests.ts";
import {
	ABSENT_ID,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { type MailServer, startMailServer } from "../../harness/mail-server.ts";
import { MAILS, mailIn } from "../../harness/mails.ts";
import { auditOf } from "../../harness/people.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("POST /api/v1/mails/{id}/resend", () => {
	let service: TestService;
	let server: MailServer;
	let cast: Cast;
	/** Recipients that the mail server refuses, with the code. */
	const refused = new Map<string, number>();
	before(async () => {
		server = await startMailServer({ refusalOf: (address) => refused.get(address) });
		service = await startTestService({ env: { LATCHKEY_SMTP_URL: server.url } });
		cast = await addCast(service);
	});
	after(async () => {
		await service.stop();
		await server.close();
	});

	const pathOf = ({ id }: { id: string }) => `${MAILS}/${id}/resend` as const;
	const resend = (mail: { id: string }) => service.call("POST", pathOf(mail), { token: cast.admin });
	const addFailed = async (email: string) => {
		refused.set(email, 550);
		await submit(service, { email });
		const mail = await mailIn(service, "failed", email);
		refused.delete(email);
		return mail;
	};

	describe("202", () => {
		it("sends a failed mail as it was written, and audits it", async () => {
			const failed = await addFailed("once.full@partner.example");
			const answer = await resend(failed);
			assert.deepEqual([answer.status, answer.body], [202, undefined]);
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

		it("tries a mail now that waits for its next attempt", async () => {
			const email = "busy@partner.example";
			refused.set(email, 451);
			await submit(service, { email });
			const waiting = await mailIn(service, "waiting", email, ({ last_error }) => last_error !== "");
			refused.delete(email);
			assert.equal((await resend(waiting)).status, 202);
			assert.equal((await mailIn(service, "sent", email)).attempts, 2);
		});

		it("begins the schedule of a failed mail again", async () => {
			const failed = await addFailed("long.away@partner.example");
			const db = await service.openDatabase();
			await db.queries.run("UPDATE mail_outbox SET attempts = 20 WHERE id = $1", failed.id);
			await db.close();
			refused.set(failed.to, 451);
			assert.equal((await resend(failed)).status, 202);
			const waiting = await mailIn(service, "waiting", failed.to, ({ last_error }) =>
				last_error.includes("451"),
			);
			assert.equal(waiting.attempts, 21);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", pathOf({ id: ABSENT_ID })));
	});

	describe("403", () => {
		it("is for admins only", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "POST", pathOf({ id: ABSENT_ID }));
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", async () => {
			const failed = await addFailed("walled@partner.example");
			await assertNotFound(
				service,
				[
					{ token: cast.admin, path: pathOf({ id: ABSENT_ID }) },
					{ token: cast.admin, path: pathOf({ id: "x" }) },
					{ token: cast.other.adminToken, path: pathOf(failed) },
				],
				"POST",
				"mail.not_found",
			);
		});
	});

	describe("409", () => {
		it("does not send a mail twice", async () => {
			await submit(service, { email: "has.it@partner.example" });
			const sent = await mailIn(service, "sent", "has.it@partner.example");
			const { status, code } = await problemOf(service, "POST", pathOf(sent));
			assert.deepEqual([status, code], [409, "mail.already_sent"]);
		});

		it("does not send an expired code", async () => {
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
