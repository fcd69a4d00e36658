import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/kernel/clock.ts";
import { mailedLinks, rows } from "../../harness/access-requests.ts";
import { addPerson, auditOf } from "../../harness/people.ts";
import { forgot, reset } from "../../harness/recovery.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PUBLIC_URL = "https://id.example.com";

describe("POST /api/v1/auth/password/forgot", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService({ env: { LATCHKEY_PUBLIC_URL: PUBLIC_URL } });
	});
	after(() => service.stop());

	describe("202", () => {
		it("mails the owner a link made from the public URL alone, not from host headers", async () => {
			const person = await addPerson(service, "ada");
			const headers = {
				host: "evil.example",
				"x-forwarded-host": "evil.example",
				forwarded: "host=evil.example",
			};
			const answer = await forgot(service, ` ${person.email.toUpperCase()} `, headers);
			assert.equal(answer.status, 202);
			assert.equal(answer.body, undefined);
			const [link = ""] = await mailedLinks(service, person.email, "reset");
			assert.match(link, /^https:\/\/id\.example\.com\/reset#[A-Za-z0-9_-]{43}$/);
			const [mail] = await service.mailsTo(person.email);
			assert.equal(mail?.subject, "Set a new password");
			assert.doesNotMatch(JSON.stringify(mail), /evil\.example/);
			const [event] = (await auditOf(service, `user:${person.id}`)).slice(-1);
			assert.deepEqual([event?.actor, event?.action], ["anonymous", "user.password_reset_requested"]);
		});

		it("stores a digest of the token, never the token", async () => {
			const person = await addPerson(service, "digest");
			await forgot(service, person.email);
			const [link = ""] = await mailedLinks(service, person.email, "reset");
			const stored = await rows<{ digest: string }>(
				service,
				"SELECT digest FROM recovery_links WHERE user_id = $1",
				person.id,
			);
			assert.equal(stored.length, 1);
			assert.notEqual(stored[0]?.digest, link.split("#")[1]);
		});

		it("answers and writes the same for an unknown address, and sends no mail", async () => {
			const person = await addPerson(service, "known");
			const counts = async () => {
				const tables = ["recovery_links", "mail_outbox", "audit_events", "address_mails"];
				const found = await Promise.all(
					tables.map((table) => rows<{ total: number }>(service, `SELECT count(*) AS total FROM ${table}`)),
				);
				return found.map(([row]) => row?.total ?? 0);
			};
			const written = async (email: string) => {
				const before = await counts();
				const answer = await forgot(service, email);
				return { answer, rows: (await counts()).map((total, index) => total - (before[index] ?? 0)) };
			};
			const known = await written(person.email);
			const unknown = await written("nobody@people.example");
			assert.equal(unknown.answer.status, known.answer.status);
			assert.equal(unknown.answer.body, known.answer.body);
			assert.deepEqual(Object.keys(unknown.answer.headers).sort(), Object.keys(known.answer.headers).sort());
			assert.deepEqual(unknown.rows, known.rows);
			assert.deepEqual(known.rows, [1, 1, 1, 1]);
			await mailedLinks(service, person.email, "reset");
			assert.deepEqual(await service.mailsTo("nobody@people.example", 0), []);
		});

		it("sends no mail for a disabled account", async () => {
			const person = await addPerson(service, "disabled");
			const token = await service.adminToken();
			await service.call("PATCH", `/api/v1/users/${person.id}`, { token, body: { status: "disabled" } });
			assert.equal((await forgot(service, person.email)).status, 202);
			const later = await addPerson(service, "after-disabled");
			await forgot(service, later.email);
			await mailedLinks(service, later.email, "reset");
			assert.deepEqual(await service.mailsTo(person.email, 0), []);
		});

		it("sends one a minute and five an hour for an address, and never says that it did not", async () => {
			const person = await addPerson(service, "eager");
			const links = async (count: number) =>
				(await mailedLinks(service, person.email, "reset", count)).length;
			const answers = await Promise.all(Array.from({ length: 20 }, () => forgot(service, person.email)));
			assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
			assert.equal(await links(1), 1);
			for (let sent = 2; sent <= 5; sent++) {
				service.clock.advance(MINUTE_MS);
				await forgot(service, person.email);
				assert.equal(await links(sent), sent);
			}
			service.clock.advance(MINUTE_MS);
			assert.equal((await forgot(service, person.email)).status, 202);
			// The last link stays valid: too many requests do not lock the owner out.
			const last = (await mailedLinks(service, person.email, "reset", 5)).at(-1)?.split("#")[1];
			assert.equal((await reset(service, last, "a password set at last")).status, 204);
			service.clock.advance(HOUR_MS);
			await forgot(service, person.email);
			assert.equal(await links(6), 6);
		});

		it("uses the tenant of the request", async () => {
			const person = await addPerson(service, "here-only");
			const other = await addSecondTenant(service);
			assert.equal((await forgot(service, person.email, { "x-tenant-id": other.id })).status, 202);
			const links = "SELECT digest FROM recovery_links WHERE email = $1 AND user_id IS NOT NULL";
			assert.deepEqual(await rows(service, links, person.email), []);
		});

		it("writes in the requested language", async () => {
			const person = await addPerson(service, "chinese");
			await forgot(service, person.email, { "accept-language": "zh-CN" });
			const [mail] = await service.mailsTo(person.email);
			assert.equal(mail?.subject, "设置新密码");
		});
	});

	describe("400", () => {
		for (const email of [undefined, "", "a", "a@b@c.example", 7, ["a@b.example"]]) {
			it(`refuses ${JSON.stringify(email)} as an address`, async () => {
				const answer = await forgot(service, email);
				assert.equal(answer.status, 400);
				assert.match(answer.body.error, /^email /);
			});
		}
	});

	describe("404", () => {
		it("refuses a tenant that does not exist", async () => {
			const headers = { "x-tenant-id": "01a1fbb8-cd8c-7000-a430-a692e481d229" };
			assert.equal((await forgot(service, "lost@people.example", headers)).status, 404);
		});
	});
});
