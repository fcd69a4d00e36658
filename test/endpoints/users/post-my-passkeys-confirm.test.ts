import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Answered, Authenticator } from "../../harness/authenticator.ts";
import { addPerson, auditOf, type Person } from "../../harness/people.ts";
import {
	addPersonWithTotp,
	enrolPasskey,
	MY_PASSKEYS,
	passkeyOptions,
} from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = `${MY_PASSKEYS}/confirm`;

describe("POST /api/v1/users/me/mfa/passkeys/confirm", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const start = async ({ token, password }: Person): Promise<Record<string, unknown>> =>
		(await service.call("POST", MY_PASSKEYS, { token, body: { password } })).body.data.options;
	const confirm = (person: Person, body: unknown, headers: Record<string, string> = {}) =>
		service.call("POST", PATH, { token: person.token, body, headers });

	describe("201", () => {
		it("adds the passkey, shows recovery codes with the first factor, and notifies the owner", async () => {
			const ada = await addPerson(service, "ada");
			const credential = new Authenticator().create(await start(ada));
			const answer = await confirm(ada, { name: " Laptop ", credential });
			assert.equal(answer.status, 201, JSON.stringify(answer.body));
			assert.equal(answer.headers["cache-control"], "no-store");
			const { passkey, recovery_codes } = answer.body.data;
			const { id, created_at, ...rest } = passkey;
			assert.match(id, /^[0-9a-f-]{36}$/);
			assert.equal(typeof created_at, "string");
			assert.deepEqual(rest, {
				name: "Laptop",
				synced: true,
				transports: ["internal", "hybrid"],
				aaguid: "00000000-0000-0000-0000-000000000000",
				last_used_at: null,
			});
			assert.equal(recovery_codes?.length, 10);
			const [mail] = await service.mailsTo(ada.email);
			assert.equal(mail?.subject, "A passkey was added");
			assert.match(mail?.text ?? "", /Laptop/);
			const me = await service.call("GET", "/api/v1/users/me", { token: ada.token });
			assert.equal(me.body.data.mfa_enabled, true);
			const event = (await auditOf(service, `user:${ada.id}`)).at(-1);
			assert.deepEqual([event?.action, event?.details.name], ["user.second_factor_added", "Laptop"]);
		});

		it("keeps the recovery codes of an earlier factor", async () => {
			const bea = await addPersonWithTotp(service, "bea");
			const both = await enrolPasskey(service, bea);
			assert.deepEqual(both.recoveryCodes, []);
			const mine = await service.call("GET", "/api/v1/users/me/mfa", { token: bea.token });
			assert.deepEqual(mine.body.data, {
				mfa_enabled: true,
				has_password: true,
				totp: true,
				passkeys: 1,
				recovery_codes_left: 10,
				required: false,
			});
		});
	});

	describe("400", () => {
		const forged: readonly [string, Answered][] = [
			["another origin", { origin: "https://evil.example" }],
			["another party", { rpId: "evil.example" }],
			["another challenge", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
			["an assertion", { type: "webauthn.get" }],
			["no user present", { userPresent: false }],
		];
		for (const [what, forgery] of forged)
			it(`refuses ${what}`, async () => {
				const cal = await addPerson(service, `cal-${what.replaceAll(" ", "-")}`);
				const credential = new Authenticator().create(await start(cal), forgery);
				const answer = await confirm(
					cal,
					{ name: "Key", credential },
					{ accept: "application/problem+json" },
				);
				assert.deepEqual([answer.status, answer.body.code], [400, "passkey.refused"]);
			});

		it("refuses a challenge that was used, expired, another user's, or for a sign-in", async () => {
			const dan = await addPerson(service, "dan");
			const eva = await addPerson(service, "eva");
			const options = await start(dan);
			const refused = async (person: Person, issued: Record<string, unknown>): Promise<void> => {
				const sent = { ...options, challenge: issued.challenge };
				const credential = new Authenticator().create(sent);
				assert.equal((await confirm(person, { name: "Key", credential })).status, 400);
			};
			await refused(eva, options);
			assert.equal(
				(await confirm(dan, { name: "Key", credential: new Authenticator().create(options) })).status,
				201,
			);
			await refused(dan, options);
			await refused(dan, await passkeyOptions(service));
			const late = await start(dan);
			service.clock.advance(5 * 60_000);
			await refused(dan, late);
		});

		it("refuses a missing, oversized or malformed credential", async () => {
			const fay = await addPerson(service, "fay");
			for (const body of [
				{},
				{ name: "Key" },
				{ name: "", credential: {} },
				{ name: "x".repeat(101), credential: {} },
				{ name: "Key", credential: "x" },
				{ name: "Key", credential: {} },
				{ name: "Key", credential: { id: "x", response: { clientDataJSON: 1 } } },
			])
				assert.equal((await confirm(fay, body)).status, 400, JSON.stringify(body));
		});
	});

	describe("401", () => {
		it("adds nothing for a session that ended during verification", async () => {
			const admin = await service.adminToken();
			for (let round = 0; round < 10; round++) {
				const person = await addPerson(service, `ended-${round}`);
				const credential = new Authenticator().create(await start(person));
				await Promise.all([
					confirm(person, { name: "Late", credential }),
					service.call("POST", `/api/v1/users/${person.id}/sessions/revoke`, { token: admin, body: {} }),
				]);
				const actions = (await auditOf(service, `user:${person.id}`)).map(({ action }) => action);
				const added = actions.indexOf("user.second_factor_added");
				assert.ok(added < actions.indexOf("user.sessions_revoked"), actions.join());
			}
		});

		it("needs a token", async () => {
			assert.equal((await service.call("POST", PATH, { body: { name: "x", credential: {} } })).status, 401);
		});
	});

	describe("409", () => {
		it("takes a passkey once, and twenty at most", async () => {
			const gus = await addPerson(service, "gus");
			const authenticator = new Authenticator();
			await enrolPasskey(service, gus, authenticator);
			const again = authenticator.create(await start(gus));
			const taken = await confirm(gus, { name: "Again", credential: again });
			assert.equal(taken.status, 409);
			for (let count = 1; count < 20; count++) await enrolPasskey(service, gus);
			const credential = new Authenticator().create(await start(gus));
			const full = await confirm(gus, { name: "Full", credential }, { accept: "application/problem+json" });
			assert.deepEqual([full.status, full.body.code], [409, "passkey.too_many"]);
		});
	});
});
