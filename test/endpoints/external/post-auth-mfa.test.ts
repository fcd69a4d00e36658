import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isAlive } from "../../harness/people.ts";
import { addRelay, RELAY, relay, relayedLogin } from "../../harness/relay.ts";
import {
	addPersonWithTotp,
	nextCode,
	type PersonWithTotp,
	passwordStep,
	wrongTotp,
} from "../../harness/second-factors.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import {
	assertAllowlisted,
	assertHttpsOnly,
	assertScoped,
	assertUnsigned,
	type Client,
} from "../../harness/signed-endpoint.ts";

const PATH = `${RELAY}/mfa`;
const IP = "203.0.113.7";
const ANSWER = { mfa_token: "none", method: "totp", code: "000000", ip: IP };
const CALL = { method: "POST", path: PATH, body: ANSWER } as const;

let service: TestService;
let client: Client;
let ada: PersonWithTotp;
before(async () => {
	service = await startTestService();
	client = await addRelay(service);
	ada = await addPersonWithTotp(service, "ada");
});
after(() => service.stop());

const waiting = async (): Promise<string> => (await relayedLogin(service, client, ada)).mfa_token;
const answer = (fields: Readonly<Record<string, unknown>>, by = client) =>
	relay(service, by, "mfa", { ...ANSWER, ...fields });

describe("POST /api/v1/external/auth/mfa", () => {
	describe("200", () => {
		test("finishes the sign-in with a code, in a session of the application at the given address", async () => {
			const mfa_token = await waiting();
			const { status, body } = await answer({ mfa_token, code: nextCode(service, ada.secret) });
			assert.equal(status, 200, JSON.stringify(body));
			const token = body.data.access_token;
			assert.equal(await isAlive(service, token), true);
			const { data } = (await service.call("GET", "/api/v1/users/me/sessions", { token })).body;
			const own = data.find((session) => session.current);
			assert.deepEqual([own?.ip, own?.app_id], [IP, client.app_id]);
		});

		test("takes a recovery code", async () => {
			const fields = { mfa_token: await waiting(), method: "recovery_code", code: ada.recoveryCodes[0] };
			assert.equal((await answer(fields)).status, 200);
		});
	});

	describe("400", () => {
		test("names the missing or malformed field", async () => {
			const mfa_token = await waiting();
			for (const [fields, field] of [
				[{ ip: "localhost" }, "ip"],
				[{ code: undefined }, "code"],
				[{ method: "passkey" }, "assertion"],
			] as const) {
				const { status, body } = await answer({ mfa_token, ...fields });
				assert.deepEqual([status, body.errors[0]?.field], [400, field]);
			}
		});
	});

	describe("401", () => {
		test("not signed, wrongly signed, replayed", () => assertUnsigned(service, client, CALL));

		test("a wrong code, and an unknown token", async () => {
			const mfa_token = await waiting();
			assert.equal((await answer({ mfa_token, code: wrongTotp(service, ada.secret) })).status, 401);
			assert.equal((await answer({})).body.code, "mfa.invalid");
		});

		test("a sign-in that is not to the client's application, without using up an attempt", async () => {
			const code = nextCode(service, ada.secret);
			const mine = await passwordStep(service, ada);
			assert.equal((await answer({ mfa_token: mine, code })).status, 401);
			const mfa_token = await waiting();
			const other = await addRelay(service);
			for (let count = 0; count < 6; count++)
				assert.equal((await answer({ mfa_token, code }, other)).body.code, "mfa.invalid");
			assert.equal((await answer({ mfa_token, code })).status, 200);
		});
	});

	describe("403", () => {
		test("an address that is not on the allowlist", () => assertAllowlisted(service, CALL));
		test("without the scope", () => assertScoped(service, "sign-in:relay", CALL));
	});

	describe("426", () => {
		test("plain HTTP", () => assertHttpsOnly(service, CALL));
	});
});
