import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
	addPerson,
	auditOf,
	isAlive,
	lockPassword,
	type Person,
	signInAgain,
} from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import type { CallResponse } from "../../harness/service/service.ts";

const PATH = "/api/v1/users/me/password";
const NEW = "a new password, quite unlike";

// The clock is stopped: waits after wrong passwords end only when a test advances it.
const service = testService(() => ({ atMs: Date.now() }));

describe("PUT /api/v1/users/me/password", () => {
	const change = (
		person: Person,
		body: unknown,
		headers: Record<string, string> = {},
	): Promise<CallResponse> => service.call("PUT", PATH, { token: person.token, body, headers });
	const signInStatus = async (person: Person, password: string): Promise<number> => {
		const body = { username: person.username, password };
		return (await service.call("POST", "/api/v1/auth/login", { body })).status;
	};

	describe("200", () => {
		it("changes the password, keeps this session, ends the others and notifies the owner", async () => {
			const ada = await addPerson(service, "ada");
			const others = [await signInAgain(service, ada), await signInAgain(service, ada)];
			const response = await change(
				ada,
				{ current_password: ada.password, new_password: NEW },
				{ "accept-language": "zh-CN" },
			);
			assert.equal(response.status, 200);
			assert.deepEqual(response.body, { data: { sessions_revoked: 2 } });
			assert.equal(await isAlive(service, ada.token), true);
			for (const token of others) assert.equal(await isAlive(service, token), false);
			assert.equal(await signInStatus(ada, ada.password), 401);
			assert.equal(await signInStatus(ada, NEW), 200);
			const [mail] = await service.mailsTo(ada.email);
			assert.equal(mail?.subject, "您的密码已修改");
			const events = await auditOf(service, `user:${ada.id}`);
			const changed = events.find(({ action }) => action === "user.password_changed");
			assert.deepEqual(changed, {
				actor: `user:${ada.id}`,
				action: "user.password_changed",
				target: `user:${ada.id}`,
				details: { sessions_revoked: 2 },
			});
		});

		it("accepts the same password however its accents are composed", async () => {
			const password = "crème brûlée for all";
			const remy = await addPerson(service, "remy");
			const body = { password: password.normalize("NFC") };
			await service.asAdmin("PATCH", `/api/v1/users/${remy.id}`, body);
			const signedIn = { ...remy, password: password.normalize("NFD") };
			const person = { ...signedIn, token: await signInAgain(service, signedIn) };
			const same = { current_password: password.normalize("NFC"), new_password: password.normalize("NFD") };
			assert.equal((await change(person, same)).status, 400);
			assert.equal(
				(await change(person, { current_password: signedIn.password, new_password: NEW })).status,
				200,
			);
		});

		it("accepts a password of exactly 8 characters and of exactly 72 bytes", async () => {
			const tim = await addPerson(service, "tim");
			const short = "ößü-漢字-z";
			assert.equal([...short].length, 8);
			const long = `${"éàüöñçå".repeat(5)}42`;
			assert.equal(Buffer.byteLength(long), 72);
			assert.equal((await change(tim, { current_password: tim.password, new_password: short })).status, 200);
			assert.equal((await change(tim, { current_password: short, new_password: long })).status, 200);
			assert.equal(await signInStatus(tim, long), 200);
		});

		it("accepts one of several concurrent changes", async () => {
			const sam = await addPerson(service, "sam");
			const responses = await Promise.all(
				[1, 2, 3].map((n) => change(sam, { current_password: sam.password, new_password: `${NEW} ${n}` })),
			);
			const statuses = responses.map(({ status }) => status);
			assert.deepEqual(statuses.toSorted(), [200, 400, 400]);
			assert.equal(await signInStatus(sam, `${NEW} ${statuses.indexOf(200) + 1}`), 200);
		});
	});

	describe("400", () => {
		const bob = fixture(() => addPerson(service, "bobby-tables"));
		const codeOf = async (body: unknown) => {
			const { status, body: problem } = await change(bob, body, { accept: "application/problem+json" });
			assert.equal(status, 400);
			return { code: problem.code, fields: problem.errors.map(({ field }: { field: string }) => field) };
		};

		it("rejects a wrong current password, and audits it", async () => {
			assert.deepEqual(await codeOf({ current_password: "wrong wrong", new_password: NEW }), {
				code: "password.wrong",
				fields: ["current_password"],
			});
			const events = await auditOf(service, `user:${bob.id}`);
			assert.equal(events.at(-1)?.action, "user.password_change_refused");
			assert.equal(await signInStatus(bob, bob.password), 200);
		});

		it("rejects a current password that is right only up to byte 72", async () => {
			const current = "x".repeat(71);
			await service.addUser({ username: "lea", email: "lea@people.example", password: `${current}y` });
			const token = await service.tokenOf("lea", `${current}y`);
			const body = { current_password: `${current}yz`, new_password: NEW };
			const response = await service.call("PUT", PATH, { token, body });
			assert.equal(response.status, 400);
		});

		it("rejects even the correct password of a locked account", async () => {
			const zoe = await addPerson(service, "zoe");
			await lockPassword(service, zoe);
			const body = { current_password: zoe.password, new_password: NEW };
			assert.equal((await change(zoe, body)).status, 400);
			assert.equal(await signInStatus(zoe, zoe.password), 401);
		});

		it("rejects the current password as the new one", async () => {
			const same = { current_password: bob.password, new_password: bob.password };
			assert.deepEqual(await codeOf(same), { code: "request.invalid", fields: ["new_password"] });
		});

		const refused: readonly [string, string, string][] = [
			["7 characters", "ößü-漢字-", "password.too_short"],
			["73 bytes", "x".repeat(73), "password.too_long"],
			["a common password", "Password123", "password.too_common"],
			["the username", "Bobby-Tables", "password.same_as_name"],
			["the e-mail", "bobby-tables@people.example", "password.same_as_name"],
			["a NUL character", "abcdefgh\0ijk", "request.invalid"],
		];
		for (const [name, password, code] of refused) {
			it(`rejects ${name}`, async () => {
				const body = { current_password: bob.password, new_password: password };
				assert.deepEqual(await codeOf(body), { code, fields: ["new_password"] });
			});
		}

		it("names the limit of a password that is too long", async () => {
			const body = { current_password: bob.password, new_password: "x".repeat(73) };
			const response = await change(bob, body);
			assert.match(response.body.error, /^new_password must be at most 72 bytes/);
		});
	});

	describe("429", () => {
		it("counts attempts before verification: verifies five of thirty concurrent ones", async () => {
			const mia = await addPerson(service, "mia");
			const guesses = Array.from({ length: 30 }, (_, n) =>
				change(mia, { current_password: `guess number ${n}`, new_password: NEW }),
			);
			const responses = await Promise.all(guesses);
			assert.equal(responses.filter(({ status }) => status === 400).length, 5);
			const refused = responses.filter(({ status }) => status === 429);
			assert.equal(refused.length, 25);
			for (const { headers } of refused) assert.ok(Number(headers["retry-after"]) > 0);
			const right = { current_password: mia.password, new_password: NEW };
			assert.equal((await change(mia, right)).status, 429);
			service.clock.advance(30_000);
			assert.equal((await change(mia, right)).status, 200);
		});

		it("delays neither other users nor the sign-in of this user", async () => {
			const max = await addPerson(service, "max");
			const ivy = await addPerson(service, "ivy");
			for (let n = 0; n < 6; n++) await change(max, { current_password: `guess ${n}`, new_password: NEW });
			assert.equal((await change(max, { current_password: max.password, new_password: NEW })).status, 429);
			assert.equal(await signInStatus(max, max.password), 200);
			assert.equal((await change(ivy, { current_password: ivy.password, new_password: NEW })).status, 200);
		});
	});
});
