import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/server";
import { addPerson, type Person, signInToApplication, takePasswordAway } from "../../harness/people.ts";
import { addPersonWithPasskey, MY_PASSKEYS } from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

describe("POST /api/v1/users/me/mfa/passkeys", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const start = (person: Person, body: unknown) =>
		service.call("POST", MY_PASSKEYS, { token: person.token, body });
	const optionsOf = ({ body }: Awaited<ReturnType<typeof start>>) =>
		body.data.options as Record<string, unknown> & PublicKeyCredentialCreationOptionsJSON;

	describe("201", () => {
		it("answers the options for the browser", async () => {
			const ada = await addPerson(service, "ada", { display_name: "Ada L." });
			const answer = await start(ada, { password: ada.password });
			assert.equal(answer.status, 201);
			assert.equal(answer.headers["cache-control"], "no-store");
			const { expires_in } = answer.body.data;
			const options = optionsOf(answer);
			assert.equal(expires_in, 300);
			assert.match(options.challenge, /^[A-Za-z0-9_-]{43}$/);
			assert.deepEqual(options.rp, { name: "localhost", id: "localhost" });
			assert.deepEqual([options.user.name, options.user.displayName], ["ada", "Ada L."]);
			assert.equal(options.attestation, "none");
			assert.deepEqual(
				options.pubKeyCredParams.map(({ alg }) => alg),
				[-8, -7, -257],
			);
			const again = optionsOf(await start(ada, { password: ada.password }));
			assert.equal(again.user.id, options.user.id);
			assert.notEqual(again.challenge, options.challenge);
			assert.ok(!Buffer.from(options.user.id, "base64url").toString().includes(ada.id));
		});

		it("accepts a recent sign-in without a password, and excludes enrolled passkeys", async () => {
			const bea = await addPersonWithPasskey(service, "bea");
			await takePasswordAway(service, bea.id);
			const options = optionsOf(await start(bea, {}));
			assert.deepEqual(
				options.excludeCredentials?.map(({ id }) => id),
				[bea.authenticator.credentialId],
			);
		});
	});

	describe("400", () => {
		it("refuses a wrong password, and none from an account that has one, however fresh the sign-in", async () => {
			const cal = await addPerson(service, "cal");
			assert.equal((await start(cal, { password: "wrong wrong" })).status, 400);
			assert.equal((await start(cal, {})).status, 400);
			assert.equal((await start(cal, { password: cal.password })).status, 201);
		});

		it("refuses an account without a password five minutes after sign-in", async () => {
			const eva = await addPerson(service, "eva");
			await takePasswordAway(service, eva.id);
			service.clock.advance(5 * 60_000 + 1_000);
			assert.equal((await start(eva, {})).status, 400);
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			assert.equal((await service.call("POST", MY_PASSKEYS, { body: {} })).status, 401);
		});
	});

	describe("403", () => {
		it("refuses an application's token without the password", async () => {
			const dan = await addPerson(service, "dan");
			const held = { ...dan, token: await signInToApplication(service, dan) };
			assert.equal((await start(held, {})).status, 403);
			assert.equal((await start(held, { password: dan.password })).status, 201);
		});
	});
});
