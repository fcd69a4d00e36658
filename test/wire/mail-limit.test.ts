// The limit of mails per IP address, across all routes that send mail without a sign-in.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { HOUR_MS, MINUTE_MS } from "../../src/kernel/clock.ts";
import { rows } from "../harness/access/access-requests.ts";
import { addPerson, auditOf } from "../harness/people/people.ts";
import { addPersonWithTotp, MFA, passwordStep } from "../harness/people/second-factors.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { testService } from "../harness/runs/fixture.ts";
import type { CallResponse } from "../harness/service/service.ts";

const LIMIT = 6;

describe("requests for mail", () => {
	const service = testService(() => ({
		env: {
			LATCHKEY_TRUSTED_PROXIES: "127.0.0.1",
			LATCHKEY_RATE_LIMIT_PER_MINUTE: "1000",
			LATCHKEY_MAILS_PER_HOUR: String(LIMIT),
		},
	}));

	let asked = 0;
	const newAddress = (): string => `reader-${++asked}@people.example`;
	const headers = (from: string) => ({
		"x-forwarded-for": from,
		"x-forwarded-proto": "https",
		accept: "application/problem+json",
	});
	const sendCode = (from: string, email = newAddress()): Promise<CallResponse> =>
		service.call("POST", "/api/v1/auth/register/send-code", { body: { email }, headers: headers(from) });
	const forgot = (from: string, email = newAddress()): Promise<CallResponse> =>
		service.call("POST", "/api/v1/auth/password/forgot", { body: { email }, headers: headers(from) });
	const submit = (from: string, email = newAddress()): Promise<CallResponse> => {
		const body = { applicant_name: "Ada", email, project_name: "Engine", purpose: "To compute." };
		return service.call("POST", "/api/v1/access-requests", { body, headers: headers(from) });
	};

	it("are counted together, and refused beyond the limit until it refills", async () => {
		const from = "198.51.100.1";
		const person = await addPerson(service, "mover");
		const move = (): Promise<CallResponse> =>
			service.call("POST", "/api/v1/users/me/email", {
				token: person.token,
				body: { email: newAddress(), current_password: person.password },
				headers: headers(from),
			});
		for (const ask of [sendCode, forgot, submit, move, sendCode, forgot])
			assert.ok((await ask(from)).status < 300);
		for (const ask of [sendCode, forgot, submit, move]) {
			const refused = await ask(from);
			assert.equal(refused.status, 429);
			assert.equal(refused.body.code, "mail.too_many");
			assert.equal(refused.headers["ratelimit-limit"], String(LIMIT));
			const wait = Number(refused.headers["retry-after"]);
			assert.ok(wait > 0 && wait <= 600, String(wait));
		}
		assert.ok((await sendCode("198.51.100.2")).status < 300, "other addresses have their own limit");
		service.clock.advance(HOUR_MS / LIMIT);
		assert.equal((await forgot(from)).status, 202);
		assert.equal((await forgot(from)).status, 429);
		service.clock.advance(HOUR_MS);
		for (let count = 0; count < LIMIT; count++) assert.equal((await forgot(from)).status, 202);
		assert.equal((await forgot(from)).status, 429);
	});

	it("for help with second factors count, and a refused one leaves the mail of the day", async () => {
		const from = "198.51.100.6";
		const helped = await addPersonWithTotp(service, "helped");
		const { tenant_id } = (await service.call("GET", "/api/v1/users/me", { token: helped.token })).body.data;
		await service.asAdmin("PATCH", `/api/v1/tenants/${tenant_id}`, { second_factor_help: true });
		const mfa_token = await passwordStep(service, helped);
		const ask = () => service.call("POST", `${MFA}/help`, { body: { mfa_token }, headers: headers(from) });
		for (let count = 0; count < LIMIT; count++) await sendCode(from);
		assert.equal((await ask()).body.code, "mail.too_many");
		assert.equal((await auditOf(service, `user:${helped.id}`)).at(-1)?.action, "user.second_factor_asked");
		service.clock.advance(HOUR_MS / LIMIT);
		const again = await passwordStep(service, helped);
		const asked = await service.call("POST", `${MFA}/help`, {
			body: { mfa_token: again },
			headers: headers(from),
		});
		assert.equal(asked.status, 202);
		assert.deepEqual((await auditOf(service, `user:${helped.id}`)).at(-1)?.details, { mailed: true });
	});

	it("are refused alike for addresses with and without an account", async () => {
		const from = "198.51.100.3";
		const known = await addPerson(service, "known");
		for (let count = 0; count < LIMIT; count++) await sendCode(from);
		const responses = await Promise.all([forgot(from, known.email), forgot(from)]);
		assert.deepEqual(responses[0]?.status, 429);
		assert.equal(responses[0]?.status, responses[1]?.status);
		assert.equal(responses[0]?.body.detail, responses[1]?.body.detail);
	});

	it("are limited under concurrency, and counted by /64 in IPv6", async () => {
		const responses = await Promise.all(
			Array.from({ length: 40 }, (_, index) => forgot(`2001:db8::${index.toString(16)}`)),
		);
		assert.equal(responses.filter(({ status }) => status === 202).length, LIMIT);
		assert.equal(responses.filter(({ status }) => status === 429).length, 40 - LIMIT);
	});

	it("write nothing if they are refused", async () => {
		const from = "198.51.100.4";
		for (let count = 0; count < LIMIT; count++) await sendCode(from);
		const address = newAddress();
		assert.equal((await sendCode(from, address)).status, 429);
		assert.equal((await submit(from, address)).status, 429);
		for (const table of ["email_codes", "address_mails"]) {
			const sql = `SELECT address FROM ${table} WHERE address = $1`;
			assert.deepEqual(await rows(service, sql, address), [], table);
		}
		assert.deepEqual(await rows(service, "SELECT id FROM requests WHERE email = $1", address), []);
	});

	it("do not count if no mail is sent: a duplicate of a pending request", async () => {
		const from = "198.51.100.5";
		const address = newAddress();
		assert.equal((await submit(from, address)).status, 201);
		for (let count = 0; count < LIMIT * 2; count++) assert.equal((await submit(from, address)).status, 409);
		for (let count = 1; count < LIMIT; count++) assert.equal((await submit(from)).status, 201);
	});

	describe("across five tenants", () => {
		const tenants: string[] = [];
		before(async () => {
			for (let number = 0; number < 5; number++) tenants.push((await addSecondTenant(service)).id);
		});
		let callers = 0;
		/** Sends each request from a new IP address unless `from` is set. */
		const ask = (
			path: string,
			tenant: string,
			body: object,
			from = `203.0.113.${++callers}`,
		): Promise<CallResponse> =>
			service.call("POST", `/api/v1${path}`, { body, headers: { ...headers(from), "x-tenant-id": tenant } });
		const statuses = async (responses: Promise<CallResponse>[]) =>
			(await Promise.all(responses)).map(({ status }) => status).sort();

		it("send one mail per email address and purpose, over all tenants", async () => {
			const email = newAddress();
			const codes = tenants.map((tenant) => ask("/auth/register/send-code", tenant, { email }));
			assert.deepEqual(await statuses(codes), [200, 429, 429, 429, 429]);
			const links = tenants.map((tenant) => ask("/auth/password/forgot", tenant, { email }));
			assert.deepEqual(await statuses(links), [202, 202, 202, 202, 202]);
			const written = await rows(service, "SELECT digest FROM recovery_links WHERE email = $1", email);
			assert.equal(written.length, 1);
			assert.equal((await service.mailsTo(email, 1)).length, 1);
		});

		it("send one receipt a minute and five an hour to one email address, and keep every request", async () => {
			const email = newAddress();
			const submit = (tenant: string) =>
				ask("/access-requests", tenant, {
					applicant_name: "Ada",
					email,
					project_name: "Engine",
					purpose: "To compute.",
				});
			const receipts = async () =>
				(
					await rows(
						service,
						"SELECT id FROM mail_outbox WHERE recipient = $1 AND status <> 'dropped'",
						email,
					)
				).length;
			assert.deepEqual(await statuses(tenants.map(submit)), [201, 201, 201, 201, 201]);
			assert.equal(await receipts(), 1);
			for (let sent = 2; sent <= 7; sent++) {
				service.clock.advance(MINUTE_MS);
				assert.equal((await submit((await addSecondTenant(service)).id)).status, 201);
				assert.equal(await receipts(), Math.min(sent, 5));
			}
			const stored = await rows(service, "SELECT status FROM requests WHERE email = $1", email);
			assert.deepEqual(stored, Array(11).fill({ status: "pending" }));
			service.clock.advance(HOUR_MS);
			assert.equal((await submit((await addSecondTenant(service)).id)).status, 201);
			assert.equal(await receipts(), 6);
		});

		it("count per IP address across all tenants", async () => {
			const from = "198.51.100.6";
			const asked = tenants.flatMap((tenant) => [0, 1].map(() => ({ tenant, email: newAddress() })));
			const responses = asked.map(({ tenant, email }) =>
				ask("/auth/register/send-code", tenant, { email }, from),
			);
			assert.equal((await statuses(responses)).filter((status) => status === 200).length, LIMIT);
		});
	});
});
