// A sign-in without any second factor at hand notifies the administrators.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { DAY_MS, MINUTE_MS } from "../../../src/kernel/clock.ts";
import { addPerson, auditOf } from "../../harness/people/people.ts";
import {
	addPersonWithTotp,
	completeMfa,
	enrollTotp,
	MFA,
	nextCode,
	type PersonWithTotp,
	passwordStep,
} from "../../harness/people/second-factors.ts";
import { addTenant, tenantAdminToken } from "../../harness/people/tenants.ts";
import { atDepth } from "../../harness/runs/depth.ts";
import { testService } from "../../harness/runs/fixture.ts";

const HELP = `${MFA}/help`;
const PROBLEM = { accept: "application/problem+json" };
const RACERS = atDepth({ quick: 12, all: 20, long: 50 });

const service = testService(() => ({ atMs: Date.now() }));

const me = async () => await service.asAdmin("GET", "/api/v1/users/me");
const allow = async (fields: Readonly<Record<string, boolean>>) =>
	service.asAdmin("PATCH", `/api/v1/tenants/${(await me()).tenant_id}`, fields);
const ask = (mfa_token: unknown) => service.call("POST", HELP, { body: { mfa_token }, headers: PROBLEM });

/** Subjects of all mails to the administrator that name the user. */
async function mailsAbout(username: string): Promise<string[]> {
	const { email } = await me();
	const { body } = await service.callAsAdmin("GET", `/api/v1/mails?to=${encodeURIComponent(email)}`);
	return body.data
		.map(({ subject }: { subject: string }) => subject)
		.filter((subject: string) => subject.startsWith(`${username} `));
}

async function attemptsOf({ id }: Pick<PersonWithTotp, "id">): Promise<unknown[]> {
	const events = await auditOf(service, `user:${id}`);
	return events
		.filter(({ action }) => action === "user.second_factor_help_asked")
		.map(({ details }) => details.mailed);
}

describe("POST /api/v1/auth/mfa/help", () => {
	before(() => allow({ second_factor_help: true }));

	describe("202", () => {
		it("mails the administrators who asks, where to reset the factors, and to verify the person first", async () => {
			const ada = await addPersonWithTotp(service, "ada-help");
			const token = await passwordStep(service, ada);
			const { status, body, headers } = await ask(token);
			assert.deepEqual([status, body], [202, undefined]);
			assert.equal(headers["cache-control"], "no-store");
			const mail = (await service.mailsTo((await me()).email)).find(({ subject }) =>
				subject?.startsWith("ada-help "),
			);
			assert.match(mail?.text ?? "", new RegExp(`/console/people/${ada.id}`));
			assert.match(mail?.text ?? "", /ada-help@/);
			assert.match(mail?.text ?? "", /127\.0\.0\.1/);
			assert.match(mail?.text ?? "", /speak to the person/);
			const [notice] = (await service.mailsTo(ada.email)).slice(-1);
			assert.equal(notice?.subject, "Someone asked to reset your second factors");
			assert.match(notice?.text ?? "", /127\.0\.0\.1/);
			assert.deepEqual(await attemptsOf(ada), [true]);
		});

		it("leaves the sign-in as it was", async () => {
			const bob = await addPersonWithTotp(service, "bob-help");
			const token = await passwordStep(service, bob);
			for (let n = 0; n < 8; n++) assert.equal((await ask(token)).status, 202);
			assert.equal((await completeMfa(service, token, "totp", nextCode(service, bob.secret))).status, 200);
		});

		it("sends one of many concurrent mails about a user, with the same response, and another after a day", async () => {
			const cy = await addPersonWithTotp(service, "cy-help");
			const tokens = await Promise.all(Array.from({ length: RACERS }, () => passwordStep(service, cy)));
			const responses = await Promise.all(tokens.map(ask));
			assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([202]));
			assert.equal(new Set(responses.map(({ headers }) => Object.keys(headers).sort().join())).size, 1);
			assert.equal((await mailsAbout("cy-help")).length, 1);
			assert.deepEqual((await attemptsOf(cy)).toSorted(), [
				...Array.from({ length: RACERS - 1 }, () => false),
				true,
			]);
			service.clock.advance(DAY_MS - MINUTE_MS);
			await ask(await passwordStep(service, cy));
			assert.equal((await mailsAbout("cy-help")).length, 1);
			service.clock.advance(2 * MINUTE_MS);
			await ask(await passwordStep(service, cy));
			assert.equal((await mailsAbout("cy-help")).length, 2);
		});

		it("mails the administrators of the user's tenant only", async () => {
			const other = await addTenant(service, { slug: "help-other" });
			const token = await tenantAdminToken(service, other.id);
			const before = await service.call("GET", "/api/v1/mails", { token });
			const dee = await addPersonWithTotp(service, "dee-help");
			assert.equal((await ask(await passwordStep(service, dee))).status, 202);
			assert.equal((await service.call("GET", "/api/v1/mails", { token })).body.total, before.body.total);
		});
	});

	describe("401", () => {
		const refused = async (token: unknown) => {
			const { status, body } = await ask(token);
			assert.deepEqual([status, body.code], [401, "mfa.invalid"]);
		};

		it("without a sign-in whose password was correct, with the same response for everyone", async () => {
			const eve = await addPersonWithTotp(service, "eve-help");
			const login = await service.call("POST", "/api/v1/auth/login", {
				body: { username: eve.username, password: "not-the-password" },
			});
			assert.equal(login.status, 401);
			await refused("x".repeat(43));
			await refused(eve.username);
			assert.deepEqual([await mailsAbout("eve-help"), await attemptsOf(eve)], [[], []]);
		});

		it("for an expired and for a used token, and after the account was disabled", async () => {
			const fay = await addPersonWithTotp(service, "fay-help");
			const used = await passwordStep(service, fay);
			assert.equal((await completeMfa(service, used, "totp", nextCode(service, fay.secret))).status, 200);
			await refused(used);
			const disabled = await passwordStep(service, fay);
			await service.asAdmin("PATCH", `/api/v1/users/${fay.id}`, { status: "disabled" });
			await refused(disabled);
			await service.asAdmin("PATCH", `/api/v1/users/${fay.id}`, { status: "active" });
			const expired = await passwordStep(service, fay);
			service.clock.advance(11 * MINUTE_MS);
			await refused(expired);
			assert.deepEqual([await mailsAbout("fay-help"), await attemptsOf(fay)], [[], []]);
		});

		it("for a token that enrolls a factor", async () => {
			const gil = await addPerson(service, "gil-help");
			await allow({ require_mfa: true });
			try {
				const { username, password } = gil;
				const login = await service.call("POST", "/api/v1/auth/login", { body: { username, password } });
				assert.deepEqual([login.body.data.enrolment_required, login.body.data.help_offered], [true, false]);
				await refused(login.body.data.mfa_token);
			} finally {
				await allow({ require_mfa: false });
			}
		});
	});

	describe("403", () => {
		const due = async ({ username, password }: Pick<PersonWithTotp, "username" | "password">) =>
			(await service.call("POST", "/api/v1/auth/login", { body: { username, password } })).body.data;

		it("unless the tenant allows it, also when it was turned off during the sign-in", async () => {
			const hal = await addPersonWithTotp(service, "hal-help");
			const during = await due(hal);
			assert.equal(during.help_offered, true);
			await allow({ second_factor_help: false });
			try {
				const { mfa_token, help_offered } = await due(hal);
				assert.equal(help_offered, false);
				for (const token of [mfa_token, during.mfa_token]) {
					const { status, body } = await ask(token);
					assert.deepEqual([status, body.code], [403, "mfa.help_off"]);
				}
			} finally {
				await allow({ second_factor_help: true });
			}
			assert.deepEqual([await mailsAbout("hal-help"), await attemptsOf(hal)], [[], []]);
		});

		it("for a sign-in that began with a mailed code instead of the password", async () => {
			const ida = await enrollTotp(service, await addPerson(service, "ida-help"));
			await allow({ mailed_code: true });
			const sent = await service.call("POST", "/api/v1/auth/login/send-code", { body: { email: ida.email } });
			const mail = (await service.mailsTo(ida.email, 2)).findLast(({ subject = "" }) =>
				/sign-in code/.test(subject),
			);
			const body = { attempt: sent.body.data.attempt, code: /\b[0-9]{6}\b/.exec(mail?.text ?? "")?.[0] };
			const { mfa_token, help_offered } = (await service.call("POST", "/api/v1/auth/login/code", { body }))
				.body.data;
			assert.equal(help_offered, false);
			assert.equal((await ask(mfa_token)).body.code, "mfa.help_off");
			assert.deepEqual(await mailsAbout("ida-help"), []);
		});
	});
});
