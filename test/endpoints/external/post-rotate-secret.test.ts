import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mailedToken, REQUESTS, submitApproved } from "../../harness/access-requests.ts";
import { API_CLIENTS, addApiClient } from "../../harness/applications.ts";
import { auditOf } from "../../harness/people.ts";
import { type Credentials, startTestService, type TestService } from "../../harness/service.ts";
import {
	assertAllowlisted,
	assertHttpsOnly,
	assertUnsigned,
	type Client,
	problem,
} from "../../harness/signed-endpoint.ts";

const ROTATE = "/api/v1/external/secret/rotate";
const CALL = { method: "POST", path: ROTATE, body: {} } as const;
const WHOAMI = "/api/v1/external/whoami";
const DAY_SECONDS = 86_400;

let service: TestService;
let client: Client;
before(async () => {
	service = await startTestService();
	client = await addApiClient(service);
});
after(() => service.stop());

const rotate = (signer: Credentials, body?: object) => service.signed(signer, "POST", ROTATE, { body });
/** Which of the Secrets the service takes now. */
const accepted = (signer: Credentials, secrets: readonly string[]): Promise<boolean[]> =>
	Promise.all(
		secrets.map(
			async (secret) => (await service.signed({ ...signer, secret }, "GET", WHOAMI)).status === 200,
		),
	);

describe("POST /api/v1/external/secret/rotate", () => {
	describe("200", () => {
		test("shows the new Secret once without any scope; the old one stays valid for a day", async () => {
			const fresh = await addApiClient(service, { scopes: [] });
			const { status, headers, body } = await rotate(fresh);
			assert.deepEqual([status, headers["cache-control"]], [200, "no-store"]);
			const { secret, secret_hint, secret_created_at, previous_secret_expires_at } = body.data;
			assert.match(secret, /^sk_[A-Za-z0-9_-]{43}$/);
			assert.notEqual(secret, fresh.secret);
			assert.equal(secret_hint, secret.slice(-4));
			const overlapMs =
				Date.parse(String(previous_secret_expires_at)) - Date.parse(String(secret_created_at));
			assert.equal(overlapMs, DAY_SECONDS * 1_000);
			assert.deepEqual(await accepted(fresh, [fresh.secret, secret]), [true, true]);
			const audit = (await auditOf(service, `api_client:${fresh.id}`)).at(-1);
			assert.deepEqual(
				[audit?.actor, audit?.action, audit?.details],
				[`api_client:${fresh.id}`, "api_client.secret_rotated", { previous_secret_expires_at }],
			);
			assert.ok(!service.logs().includes(secret));
			const token = await service.adminToken();
			const shown = await service.call("GET", `${API_CLIENTS}/${fresh.id}`, { token });
			assert.equal(JSON.stringify(shown.body).includes(secret), false);
			assert.equal(shown.body.data.secret_hint, secret_hint);
		});

		test("keeps at most two Secrets valid, and ends the old one after the overlap or immediately", async () => {
			const first = await addApiClient(service);
			const second = (await rotate(first, { overlap_seconds: 600 })).body.data;
			const third = (await rotate(second, { overlap_seconds: 60 })).body.data;
			const secrets = [first.secret, second.secret, third.secret];
			assert.deepEqual(await accepted(first, secrets), [false, true, true]);
			service.clock.advance(61_000);
			assert.deepEqual(await accepted(first, secrets), [false, false, true]);
			const fourth = (await rotate(third, { overlap_seconds: 0 })).body.data;
			assert.equal(fourth.previous_secret_expires_at, null);
			assert.deepEqual(await accepted(first, [...secrets, fourth.secret]), [false, false, false, true]);
		});

		test("mails the owner of a requested client, in the language of the request", async () => {
			const request = await submitApproved(service);
			const token = await mailedToken(service, request.email, "claim");
			const claimed = await service.call("POST", `${REQUESTS}/claim`, { body: { token } });
			assert.equal(claimed.status, 201);
			const { body } = await rotate(claimed.body.data);
			const mails = await service.mailsTo(request.email, 3);
			const mail = mails.find(({ subject }) => subject?.includes("was rotated"));
			assert.match(mail?.text ?? "", /from the address 127\.0\.0\.1/);
			assert.ok(mails.every(({ text, html }) => !`${text}${html}`.includes(body.data.secret)));
		});
	});

	describe("400", () => {
		test("names the limit of the overlap", async () => {
			for (const overlap_seconds of [-1, 30 * DAY_SECONDS + 1, 1.5, "60", null]) {
				const answer = await rotate(client, { overlap_seconds });
				assert.equal(answer.status, 400);
				assert.match(answer.body.error, /^overlap_seconds /);
			}
			assert.equal(await problem(service, client, { ...CALL, body: "[" } as never), "400 request.malformed");
			assert.deepEqual(await accepted(client, [client.secret]), [true]);
		});
	});

	describe("401", () => {
		test("not signed, wrongly signed, replayed", async () => {
			const signer = await addApiClient(service);
			await assertUnsigned(service, signer, { ...CALL, body: { overlap_seconds: 600 } });
		});
	});

	describe("403", () => {
		test("an address that is not on the allowlist", () => assertAllowlisted(service, CALL));
	});

	describe("409", () => {
		test("refuses the previous Secret, which stays valid for other calls", async () => {
			const signer = await addApiClient(service);
			const next = (await rotate(signer)).body.data;
			assert.equal(await problem(service, signer, CALL), "409 secret.superseded");
			assert.deepEqual(await accepted(signer, [signer.secret, next.secret]), [true, true]);
			assert.equal((await rotate(next)).status, 200);
		});

		test("accepts one of many simultaneous rotations", async () => {
			const signer = await addApiClient(service);
			const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(signer)));
			const statuses = answers.map(({ status }) => status).toSorted();
			assert.deepEqual(statuses, [200, ...Array.from({ length: 19 }, () => 409)]);
			const won = answers.find(({ status }) => status === 200)?.body.data;
			assert.ok(won);
			assert.deepEqual(await accepted(signer, [signer.secret, won.secret]), [true, true]);
		});
	});

	describe("426", () => {
		test("plain HTTP", () => assertHttpsOnly(service, CALL));
	});
});
