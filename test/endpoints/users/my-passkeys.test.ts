import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/server";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { Authenticator, type Forgery } from "../../harness/people/authenticator.ts";
import { addPerson, auditOf, type Person, removePassword } from "../../harness/people/people.ts";
import {
	addPersonWithPasskey,
	addPersonWithTotp,
	enrollPasskey,
	MY_PASSKEYS,
	PASSKEY_SIGN_IN,
	type PersonWithPasskey,
	passkeyOptions,
	requireMfa,
} from "../../harness/people/second-factors.ts";
import { addProvider } from "../../harness/providers/identity-providers.ts";
import { atDepth } from "../../harness/runs/depth.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

/** As a browser that creates a passkey without a question. */
const ABSENT: Forgery = { userPresent: false, userVerified: false };
const CONFIRM = `${MY_PASSKEYS}/confirm`;

// The clock is stopped: the five minutes after a sign-in end only when a test advances it.
const service = testService(() => ({ atMs: Date.now() }));
/** Reached by an IP address, for which browsers have no passkeys. */
const atAddress = testService({ env: { LATCHKEY_PUBLIC_URL: "https://192.0.2.7" } });

describe("GET /api/v1/users/me/mfa/passkeys", () => {
	describe("200", () => {
		it("returns the caller's passkeys in pages, newest first, without keys", async () => {
			const ada = await addPersonWithPasskey(service, "ada");
			await addPersonWithPasskey(service, "bea");
			service.clock.advance(1_000);
			const second = await enrollPasskey(service, ada);
			const { body } = await service.call("GET", `${MY_PASSKEYS}?page_size=1`, { token: ada.token });
			assert.deepEqual([body.total, body.page, body.page_size], [2, 1, 1]);
			assert.deepEqual(Object.keys(body.data[0] ?? {}), [
				"id",
				"name",
				"synced",
				"automatic",
				"transports",
				"aaguid",
				"created_at",
				"last_used_at",
			]);
			assert.equal(body.data[0]?.id, second.passkeyId);
		});

		it("returns an empty page for a user without passkeys", async () => {
			const cal = await addPerson(service, "cal");
			const { body } = await service.call("GET", MY_PASSKEYS, { token: cal.token });
			assert.deepEqual(body, { data: [], total: 0, page: 1, page_size: 20 });
		});
	});
});

describe("POST /api/v1/users/me/mfa/passkeys", () => {
	const start = (person: Person, body: unknown) =>
		service.call("POST", MY_PASSKEYS, { token: person.token, body });
	const optionsOf = ({ body }: Awaited<ReturnType<typeof start>>) =>
		body.data.options as Record<string, unknown> & PublicKeyCredentialCreationOptionsJSON;

	describe("409", () => {
		it("offers no passkeys at an IP address", async () => {
			const { password, token } = await addPerson(atAddress, "abe");
			const headers = { accept: "application/problem+json" };
			const { status, body } = await atAddress.call("POST", MY_PASSKEYS, {
				token,
				body: { password },
				headers,
			});
			assert.deepEqual([status, body.code], [409, "passkey.unavailable"]);
		});
	});

	describe("201", () => {
		it("returns the options for the browser", async () => {
			const abe = await addPerson(service, "abe", { display_name: "Abe L." });
			const answer = await start(abe, { password: abe.password });
			assert.equal(answer.status, 201);
			assert.equal(answer.headers["cache-control"], "no-store");
			const { expires_in } = answer.body.data;
			const options = optionsOf(answer);
			assert.equal(expires_in, 300);
			assert.match(options.challenge, /^[A-Za-z0-9_-]{43}$/);
			assert.deepEqual(options.rp, { name: "localhost", id: "localhost" });
			assert.deepEqual([options.user.name, options.user.displayName], ["abe", "Abe L."]);
			assert.equal(options.attestation, "none");
			assert.deepEqual(
				options.pubKeyCredParams.map(({ alg }) => alg),
				[-8, -7, -257],
			);
			const again = optionsOf(await start(abe, { password: abe.password }));
			assert.equal(again.user.id, options.user.id);
			assert.notEqual(again.challenge, options.challenge);
			assert.ok(!Buffer.from(options.user.id, "base64url").toString().includes(abe.id));
		});

		it("accepts a recent sign-in without a password, and excludes enrolled passkeys", async () => {
			const ann = await addPersonWithPasskey(service, "ann");
			await removePassword(service, ann.id);
			const options = optionsOf(await start(ann, {}));
			assert.deepEqual(
				options.excludeCredentials?.map(({ id }) => id),
				[ann.authenticator.credentialId],
			);
		});
	});
});

describe("POST /api/v1/users/me/mfa/passkeys/confirm", () => {
	const start = async ({ token, password }: Person): Promise<Record<string, unknown>> =>
		(await service.call("POST", MY_PASSKEYS, { token, body: { password } })).body.data.options;
	const startAutomatic = async ({ token, password }: Person): Promise<Record<string, unknown>> =>
		(await service.call("POST", MY_PASSKEYS, { token, body: { password, automatic: true } })).body.data
			.options;
	const confirm = (person: Person, body: unknown, headers: Record<string, string> = {}) =>
		service.call("POST", CONFIRM, { token: person.token, body, headers });

	describe("201", () => {
		it("adds the passkey, returns recovery codes with the first factor, and notifies the owner", async () => {
			const art = await addPerson(service, "art");
			const credential = new Authenticator().create(await start(art));
			const mine = await service.call("GET", "/api/v1/users/me/mfa", { token: art.token });
			assert.equal(mine.body.data.passkey_account, null, "the browser would remove what it has created");
			const answer = await confirm(art, { name: " Laptop ", credential });
			assert.equal(answer.status, 201, JSON.stringify(answer.body));
			assert.equal(answer.headers["cache-control"], "no-store");
			const { passkey, recovery_codes } = answer.body.data;
			const { id, created_at, ...rest } = passkey;
			assert.match(id, /^[0-9a-f-]{36}$/);
			assert.equal(typeof created_at, "string");
			assert.deepEqual(rest, {
				name: "Laptop",
				synced: true,
				automatic: false,
				transports: ["internal", "hybrid"],
				aaguid: "00000000-0000-0000-0000-000000000000",
				last_used_at: null,
			});
			assert.equal(recovery_codes?.length, 10);
			const [mail] = await service.mailsTo(art.email);
			assert.equal(mail?.subject, "A passkey was added");
			assert.match(mail?.text ?? "", /Laptop/);
			const me = await service.call("GET", "/api/v1/users/me", { token: art.token });
			assert.equal(me.body.data.mfa_enabled, true);
			const event = (await auditOf(service, `user:${art.id}`)).at(-1);
			assert.deepEqual([event?.action, event?.details.name], ["user.second_factor_added", "Laptop"]);
		});

		it("needs no user presence, signs in alone, and leaves the password sufficient", async () => {
			const amy = await addPerson(service, "amy");
			const authenticator = new Authenticator();
			const options = await startAutomatic(amy);
			assert.equal((options.authenticatorSelection as Record<string, unknown>).residentKey, "required");
			const credential = authenticator.create(options, ABSENT);
			const { status, body } = await confirm(amy, { name: "Own", credential });
			assert.equal(status, 201, JSON.stringify(body));
			assert.deepEqual([body.data.passkey.automatic, body.data.recovery_codes], [true, undefined]);
			const { username, password } = amy;
			const login = await service.call("POST", "/api/v1/auth/login", { body: { username, password } });
			assert.equal(typeof login.body.data.access_token, "string");
			const assertion = authenticator.get(await passkeyOptions(service));
			const alone = await service.call("POST", PASSKEY_SIGN_IN, { body: { assertion } });
			assert.equal(alone.status, 200);
			const absent = authenticator.get(await passkeyOptions(service), ABSENT);
			const refused = await service.call("POST", PASSKEY_SIGN_IN, { body: { assertion: absent } });
			assert.equal(refused.status, 401);
			const chosen = await enrollPasskey(service, amy);
			assert.equal(chosen.recoveryCodes.length, 10);
		});

		it("keeps the recovery codes of an earlier factor", async () => {
			const ash = await addPersonWithTotp(service, "ash");
			const both = await enrollPasskey(service, ash);
			assert.deepEqual(both.recoveryCodes, []);
			const mine = await service.call("GET", "/api/v1/users/me/mfa", { token: ash.token });
			const { passkey_account, ...factors } = mine.body.data;
			assert.deepEqual(
				[passkey_account?.rp_id, passkey_account?.credential_ids],
				["localhost", [both.authenticator.credentialId]],
			);
			assert.deepEqual(factors, {
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
		it("admits an absent user by the stored options only, once, and for their user", async () => {
			const [ida, eve] = [await addPerson(service, "ida"), await addPerson(service, "eve")];
			const refused = async (person: Person, options: Record<string, unknown>, more = {}) => {
				const credential = new Authenticator().create(options, ABSENT);
				const body = { name: "Key", credential, ...more };
				assert.equal((await confirm(person, body)).status, 400);
			};
			await refused(ida, await start(ida));
			await refused(ida, await start(ida), { automatic: true });
			const options = await startAutomatic(ida);
			await refused(eve, options);
			const credential = new Authenticator().create(options, ABSENT);
			assert.equal((await confirm(ida, { name: "Key", credential })).status, 201);
			await refused(ida, options);
			await refused(eve, await passkeyOptions(service).then((other) => ({ ...options, ...other })));
			const late = await startAutomatic(eve);
			service.clock.advance(5 * MINUTE_MS);
			await refused(eve, late);
		});

		const forged: readonly [string, Forgery][] = [
			["another origin", { origin: "https://evil.example" }],
			["another party", { rpId: "evil.example" }],
			["another challenge", { challenge: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }],
			["an assertion", { type: "webauthn.get" }],
			["no user present", { userPresent: false }],
		];
		for (const [what, forgery] of forged)
			it(`rejects ${what}`, async () => {
				const cal = await addPerson(service, `cal-${what.replaceAll(" ", "-")}`);
				const credential = new Authenticator().create(await start(cal), forgery);
				const answer = await confirm(
					cal,
					{ name: "Key", credential },
					{ accept: "application/problem+json" },
				);
				assert.deepEqual([answer.status, answer.body.code], [400, "passkey.refused"]);
			});

		it("rejects a challenge that is used, expired, of another user, or for a sign-in", async () => {
			const asa = await addPerson(service, "asa");
			const ava = await addPerson(service, "ava");
			const options = await start(asa);
			const refused = async (person: Person, issued: Record<string, unknown>): Promise<void> => {
				const sent = { ...options, challenge: issued.challenge };
				const credential = new Authenticator().create(sent);
				assert.equal((await confirm(person, { name: "Key", credential })).status, 400);
			};
			await refused(ava, options);
			assert.equal(
				(await confirm(asa, { name: "Key", credential: new Authenticator().create(options) })).status,
				201,
			);
			await refused(asa, options);
			await refused(asa, await passkeyOptions(service));
			const late = await start(asa);
			service.clock.advance(5 * MINUTE_MS);
			await refused(asa, late);
		});

		it("rejects a missing or malformed credential, and a name outside its limits", async () => {
			const fay = await addPerson(service, "fay");
			for (const body of [
				{ name: "Key", credential: {} },
				{ name: "Key", credential: { id: "x", response: { clientDataJSON: 1 } } },
			])
				assert.equal((await confirm(fay, body)).status, 400, JSON.stringify(body));
		});
	});

	describe("401", () => {
		it("adds nothing for a session that ended during verification", async () => {
			for (let round = 0; round < atDepth({ quick: 1, all: 10, long: 50 }); round++) {
				const person = await addPerson(service, `ended-${round}`);
				const credential = new Authenticator().create(await start(person));
				await Promise.all([
					confirm(person, { name: "Late", credential }),
					service.callAsAdmin("POST", `/api/v1/users/${person.id}/sessions/revoke`, { body: {} }),
				]);
				const actions = (await auditOf(service, `user:${person.id}`)).map(({ action }) => action);
				const added = actions.indexOf("user.second_factor_added");
				assert.ok(added < actions.indexOf("user.sessions_revoked"), actions.join());
			}
		});
	});

	describe("409", () => {
		it("creates an automatic passkey only for a user without one, and never again after its removal", async () => {
			const kim = await addPerson(service, "kim");
			const [first, second] = [await startAutomatic(kim), await startAutomatic(kim)];
			const add = (options: Record<string, unknown>) =>
				confirm(kim, { name: "Own", credential: new Authenticator().create(options, ABSENT) });
			const added = await add(first);
			assert.equal(added.status, 201);
			const startAgain = () => {
				const body = { password: kim.password, automatic: true };
				return service.call("POST", MY_PASSKEYS, { token: kim.token, body });
			};
			assert.deepEqual([(await add(second)).status, (await startAgain()).status], [409, 409]);
			const path = `${MY_PASSKEYS}/${added.body.data.passkey.id}`;
			const body = { password: kim.password };
			assert.equal((await service.call("DELETE", path, { token: kim.token, body })).status, 204);
			assert.equal((await startAgain()).status, 409);
			await enrollPasskey(service, kim);
		});

		it("adds a passkey once, and at most twenty", async () => {
			const gus = await addPerson(service, "gus");
			const authenticator = new Authenticator();
			await enrollPasskey(service, gus, authenticator);
			const again = authenticator.create(await start(gus));
			const taken = await confirm(gus, { name: "Again", credential: again });
			assert.equal(taken.status, 409);
			for (let count = 1; count < 20; count++) await enrollPasskey(service, gus);
			const credential = new Authenticator().create(await start(gus));
			const full = await confirm(gus, { name: "Full", credential }, { accept: "application/problem+json" });
			assert.deepEqual([full.status, full.body.code], [409, "passkey.too_many"]);
		});
	});
});

describe("PATCH /api/v1/users/me/mfa/passkeys/{id}", () => {
	const axl = fixture(() => addPersonWithPasskey(service, "axl"));

	const rename = (id: string, body: unknown, token = axl.token) =>
		service.call("PATCH", `${MY_PASSKEYS}/${id}`, { token, body });

	describe("200", () => {
		it("renames the passkey", async () => {
			const { status, body } = await rename(axl.passkeyId, { name: " Phone " });
			assert.deepEqual([status, body.data.name, body.data.id], [200, "Phone", axl.passkeyId]);
		});
	});

	describe("404", () => {
		it("rejects the passkey of another user", async () => {
			const ben = await addPersonWithPasskey(service, "ben");
			assert.equal((await rename(ben.passkeyId, { name: "Mine" })).status, 404);
		});
	});
});

describe("DELETE /api/v1/users/me/mfa/passkeys/{id}", () => {
	const remove = (person: PersonWithPasskey, body: unknown, id = person.passkeyId) =>
		service.call("DELETE", `${MY_PASSKEYS}/${id}`, { token: person.token, body });

	describe("204", () => {
		it("removes the passkey, and with the last factor the recovery codes, and notifies the owner", async () => {
			const bev = await addPersonWithPasskey(service, "bev");
			const second = await enrollPasskey(service, bev);
			assert.equal((await remove(bev, { password: bev.password })).status, 204);
			const between = await service.call("GET", "/api/v1/users/me/mfa", { token: bev.token });
			assert.deepEqual([between.body.data.passkeys, between.body.data.recovery_codes_left], [1, 10]);
			assert.equal((await remove(second, { password: bev.password })).status, 204);
			const after = await service.call("GET", "/api/v1/users/me/mfa", { token: bev.token });
			assert.deepEqual([after.body.data.mfa_enabled, after.body.data.recovery_codes_left], [false, 0]);
			assert.match(await service.tokenOf("bev", bev.password), /^ey/);
			const subjects = (await service.mailsTo(bev.email, 4)).map(({ subject }) => subject);
			assert.equal(subjects.filter((subject) => subject === "A passkey was removed").length, 2);
		});
	});

	describe("404", () => {
		it("rejects the passkey of another user", async () => {
			const bud = await addPersonWithPasskey(service, "bud");
			const cam = await addPersonWithPasskey(service, "cam");
			assert.equal((await remove(bud, { password: bud.password }, cam.passkeyId)).status, 404);
		});
	});

	describe("409", () => {
		it("keeps the last sign-in method", async () => {
			const cid = await addPersonWithPasskey(service, "cid");
			await removePassword(service, cid.id);
			const answer = await remove(cid, {});
			assert.deepEqual([answer.status, /last way to sign in/.test(answer.body.error)], [409, true]);
			const { provider } = await addProvider(service);
			await service.asAdmin("POST", `/api/v1/users/${cid.id}/third-party-accounts`, {
				provider,
				provider_user_id: "cid",
			});
			assert.equal((await remove(cid, {})).status, 204);
		});

		it("keeps the last factor if the tenant requires one, even with two concurrent removals", async () => {
			const cat = await addPersonWithPasskey(service, "cat");
			const second = await enrollPasskey(service, cat);
			const admin = await service.adminToken();
			await requireMfa(service, true, admin);
			const responses = await Promise.all(
				[cat, second].map((one) => remove(one, { password: cat.password })),
			);
			assert.deepEqual(responses.map(({ status }) => status).sort(), [204, 409]);
			await requireMfa(service, false, admin);
		});
	});
});
