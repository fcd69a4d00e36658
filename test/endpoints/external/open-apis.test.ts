// Open APIs about the calling client and about users.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { DAY_MS } from "../../../src/kernel/clock.ts";
import { mailedToken, REQUESTS, submitApproved } from "../../harness/access/access-requests.ts";
import { ABSENT_ID, API_CLIENTS, addApiClient, withSecret } from "../../harness/access/applications.ts";
import { problem } from "../../harness/access/signed-endpoint.ts";
import { addPerson, auditOf } from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import type { Credentials } from "../../harness/service/service.ts";

const WHOAMI = "/api/v1/external/whoami";

const service = testService();
const client = fixture(() => addApiClient(service));
const ada = fixture(() => addPerson(service, "Ada", { display_name: "Ada Lovelace" }));

describe("GET /api/v1/external/whoami", () => {
	const CALL = { method: "GET", path: WHOAMI } as const;

	describe("200", () => {
		it("returns the client without its Secret, and the circumstances of the call", async () => {
			const scopeless = await addApiClient(service, { scopes: [] });
			const earliest = service.clock.now();
			const response = await service.signed(scopeless, CALL.method, CALL.path);
			assert.equal(response.status, 200);
			const { client: seen, server_time, ...circumstances } = response.body.data;
			assert.deepEqual(circumstances, { ip: "127.0.0.1", scheme: "https" });
			const at = Date.parse(server_time);
			assert.ok(at >= earliest && at <= service.clock.now(), server_time);
			assert.equal(new Date(at).toISOString(), server_time);
			const { secret, ...record } = scopeless;
			assert.deepEqual(seen, record);
			assert.equal(JSON.stringify(response.body).includes(secret), false);
		});

		it("records when and from where the client called", async () => {
			const fresh = await addApiClient(service);
			const earliest = new Date(service.clock.now()).toISOString();
			assert.equal((await service.signed(fresh, CALL.method, CALL.path)).status, 200);
			const latest = new Date(service.clock.now()).toISOString();
			const read = async () => await service.asAdmin("GET", `${API_CLIENTS}/${fresh.id}`);
			const deadline = Date.now() + 30_000;
			let seen = await read();
			// A background job writes it.
			while (seen.last_used_at === null) {
				assert.ok(Date.now() < deadline, "written within 30 s");
				await new Promise((resolve) => setTimeout(resolve, 100));
				seen = await read();
			}
			assert.ok(seen.last_used_at >= earliest && seen.last_used_at <= latest, seen.last_used_at);
			assert.equal(seen.last_used_ip, "127.0.0.1");
		});
	});
});

describe("GET /api/v1/external/refusals", () => {
	const REFUSALS = "/api/v1/external/refusals";

	describe("200", () => {
		it("lists the caller's own refused calls with the reason, newest first", async () => {
			const own = await addApiClient(service, { scopes: [] });
			const other = await addApiClient(service, { scopes: [] });
			const started = new Date(service.clock.now()).toISOString();
			await service.signed({ ...own, secret: `${own.secret}x` }, "GET", WHOAMI);
			await service.signed(other, "GET", `/api/v1/external/users/${ABSENT_ID}`);
			const last = await service.signed(own, "GET", `/api/v1/external/users/${ABSENT_ID}?q=1`);
			const deadline = Date.now() + 30_000;
			let body = (await service.signed(own, "GET", REFUSALS)).body;
			// A background job writes them.
			while (body.data.length < 2) {
				assert.ok(Date.now() < deadline, JSON.stringify(body));
				await new Promise((resolve) => setTimeout(resolve, 100));
				body = (await service.signed(own, "GET", REFUSALS)).body;
			}
			const { at, ...newest } = body.data[0] ?? { at: "" };
			assert.ok(at >= started, at);
			assert.deepEqual(newest, {
				code: "scope.missing",
				reason: null,
				method: "GET",
				path: `/api/v1/external/users/${ABSENT_ID}`,
				ip: "127.0.0.1",
				request_id: last.headers["x-request-id"],
				caller: `partner:${own.id}`,
			});
			assert.deepEqual(
				body.data.map(({ code, reason, caller }) => [code, reason, caller]),
				[
					["scope.missing", null, `partner:${own.id}`],
					["signature.invalid", "signature.mismatch", "-"],
				],
			);
			const page = (await service.signed(own, "GET", `${REFUSALS}?page=2&page_size=1`)).body;
			assert.deepEqual([page.total, page.data.length, page.data[0]?.code], [2, 1, "signature.invalid"]);
		});
	});
});

describe("GET /api/v1/external/users/{id}", () => {
	let call: ReturnType<typeof get>;
	before(async () => {
		call = get(ada.id);
	});

	const get = (id: string) => ({ method: "GET", path: `/api/v1/external/users/${id}` }) as const;

	describe("200", () => {
		it("returns the identity of the user, without roles, factors or sign-ins", async () => {
			const response = await service.signed(client, "GET", call.path);
			assert.equal(response.status, 200);
			const { created_at, ...user } = response.body.data;
			assert.deepEqual(user, {
				id: ada.id,
				username: "Ada",
				display_name: "Ada Lovelace",
				email: "ada@people.example",
				avatar_url: "",
				status: "active",
			});
			assert.equal(new Date(created_at).toISOString(), created_at);
		});

		it("returns a disabled user as disabled", async () => {
			const { id } = await addPerson(service, "grace");
			await service.asAdmin("PATCH", `/api/v1/users/${id}`, { status: "disabled" });
			const response = await service.signed(client, "GET", get(id).path);
			assert.equal(response.body.data.status, "disabled");
		});

		it("accepts an id in upper case, and an unknown query", async () => {
			for (const path of [get(ada.id.toUpperCase()).path, `${call.path}?a=1&a=2`] as const) {
				const response = await service.signed(client, "GET", path);
				assert.equal(response.body.data.id, ada.id);
			}
		});
	});

	describe("404", () => {
		it("treats a deleted user like an absent one", async () => {
			const gone = await addPerson(service, "gone");
			assert.equal((await service.callAsAdmin("DELETE", `/api/v1/users/${gone.id}`)).status, 204);
			for (const id of [gone.id, ABSENT_ID, "me", "%zz", "a".repeat(5_000)])
				assert.equal(await problem(service, client, get(id)), "404 user.not_found", id);
		});
	});
});

describe("POST /api/v1/external/third-party/find-user", () => {
	const PATH = "/api/v1/external/third-party/find-user";
	const SUBJECT = "o6_bmjrPTlm6_2sgVt7hMZOPfL2M";
	const CALL = {
		method: "POST",
		path: PATH,
		body: { provider: "wechat", provider_user_id: SUBJECT },
	} as const;

	before(async () => {
		await link(ada.id, "wechat", SUBJECT);
	});

	async function link(userId: string, provider: string, provider_user_id: string) {
		const body = { provider, provider_user_id };
		const response = await service.callAsAdmin("POST", `/api/v1/users/${userId}/third-party-accounts`, {
			body,
		});
		assert.equal(response.status, 201, JSON.stringify(response.body));
		return response.body.data;
	}

	const find = (provider: unknown, provider_user_id: unknown) =>
		service.signed(client, "POST", PATH, { body: { provider, provider_user_id } });

	describe("200", () => {
		it("returns the user who has the account linked, and the link", async () => {
			const response = await find("wechat", SUBJECT);
			assert.equal(response.status, 200);
			const { created_at, third_party_account, ...user } = response.body.data;
			assert.deepEqual(user, {
				id: ada.id,
				username: "Ada",
				display_name: "Ada Lovelace",
				email: "ada@people.example",
				avatar_url: "",
				status: "active",
			});
			assert.equal(new Date(created_at).toISOString(), created_at);
			const { linked_at, ...account } = third_party_account;
			assert.deepEqual(account, { provider: "wechat", provider_user_id: SUBJECT });
			assert.equal(new Date(linked_at).toISOString(), linked_at);
		});

		it("compares the provider's id exactly: whitespace, case and composition of letters differ", async () => {
			const ids = [" 7", "7 ", "7", "Case", "case", "\u00e9", "e\u0301", "x".repeat(255), "😀".repeat(255)];
			for (const [index, id] of ids.entries()) {
				const { id: userId } = await addPerson(service, `exact-${index}`);
				await link(userId, "github", id);
			}
			for (const [index, id] of ids.entries())
				assert.equal((await find("github", id)).body.data.username, `exact-${index}`, JSON.stringify(id));
		});

		it("ignores unknown fields", async () => {
			const body = { ...CALL.body, tenant_id: "x", id: 7 };
			assert.equal((await service.signed(client, "POST", PATH, { body })).status, 200);
		});
	});

	describe("404", () => {
		it("refuses an account that is not linked, or with another provider", async () => {
			for (const [provider, subject] of [
				["wechat", "unknown"],
				["github", SUBJECT],
				["nothing", SUBJECT],
				["WeChat", SUBJECT],
				["wechat", SUBJECT.toLowerCase()],
				["wechat", `${SUBJECT} `],
				["wechat", "\ufffd"],
			]) {
				const response = await find(provider, subject);
				assert.equal(response.status, 404, `${provider} ${subject}`);
				assert.deepEqual(response.body, { error: "no user has this third-party account" });
			}
		});

		it("refuses an account that was unlinked, or whose user was deleted", async () => {
			const { id: userId } = await addPerson(service, "linda");
			const { id } = await link(userId, "github", "unlinked");
			await link(userId, "gitlab", "gone");
			await service.asAdmin("DELETE", `/api/v1/users/${userId}/third-party-accounts/${id}`);
			assert.equal((await find("github", "unlinked")).status, 404);
			assert.equal((await find("gitlab", "gone")).status, 200);
			await service.asAdmin("DELETE", `/api/v1/users/${userId}`);
			assert.equal((await find("gitlab", "gone")).status, 404);
		});
	});
});

describe("POST /api/v1/external/secret/rotate", () => {
	const ROTATE = "/api/v1/external/secret/rotate";
	const CALL = { method: "POST", path: ROTATE, body: {} } as const;
	const DAY_SECONDS = DAY_MS / 1_000;

	const rotate = (signer: Credentials, body?: object) => service.signed(signer, "POST", ROTATE, { body });
	/** Which of the Secrets currently sign a valid call. */
	const accepted = (signer: Credentials, secrets: readonly string[]): Promise<boolean[]> =>
		Promise.all(
			secrets.map(
				async (secret) => (await service.signed({ ...signer, secret }, "GET", WHOAMI)).status === 200,
			),
		);

	describe("200", () => {
		it("returns the new Secret once, without any scope; the old one stays valid for a day", async () => {
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
			const shown = await service.callAsAdmin("GET", `${API_CLIENTS}/${fresh.id}`);
			assert.equal(JSON.stringify(shown.body).includes(secret), false);
			assert.equal(shown.body.data.secret_hint, secret_hint);
		});

		it("keeps at most two Secrets valid, and ends the old one with the overlap", async () => {
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

		it("mails the owner of a requested client, in the language of the request", async () => {
			const request = await submitApproved(service);
			const token = await mailedToken(service, request.email, "claim");
			const claimed = await service.call("POST", `${REQUESTS}/claim`, { body: { token } });
			assert.equal(claimed.status, 201);
			const { body } = await rotate(withSecret(claimed.body.data));
			const mails = await service.mailsTo(request.email, 3);
			const mail = mails.find(({ subject }) => subject?.includes("was rotated"));
			assert.match(mail?.text ?? "", /from the IP address 127\.0\.0\.1/);
			assert.ok(mails.every(({ text, html }) => !`${text}${html}`.includes(body.data.secret)));
		});
	});

	describe("409", () => {
		it("refuses the previous Secret, which stays valid for other calls", async () => {
			const signer = await addApiClient(service);
			const next = (await rotate(signer)).body.data;
			assert.equal(await problem(service, signer, CALL), "409 secret.superseded");
			assert.deepEqual(await accepted(signer, [signer.secret, next.secret]), [true, true]);
			await assert.equal((await rotate(next)).status, 200);
		});

		it("accepts one of twenty concurrent rotations", async () => {
			const signer = await addApiClient(service);
			const responses = await Promise.all(Array.from({ length: 20 }, () => rotate(signer)));
			const statuses = responses.map(({ status }) => status).toSorted();
			assert.deepEqual(statuses, [200, ...Array.from({ length: 19 }, () => 409)]);
			const won = responses.find(({ status }) => status === 200)?.body.data;
			assert.ok(won);
			assert.deepEqual(await accepted(signer, [signer.secret, won.secret]), [true, true]);
		});
	});
});
