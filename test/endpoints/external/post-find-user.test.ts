import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addApiClient } from "../../harness/applications.ts";
import { addPerson, type Person } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import {
	assertAllowlisted,
	assertHttpsOnly,
	assertScoped,
	assertUnsigned,
	type Client,
	problem,
} from "../../harness/signed-endpoint.ts";

const PATH = "/api/v1/external/third-party/find-user";
const SUBJECT = "o6_bmjrPTlm6_2sgVt7hMZOPfL2M";
const CALL = { method: "POST", path: PATH, body: { provider: "wechat", provider_user_id: SUBJECT } } as const;

let service: TestService;
let client: Client;
let ada: Person;
before(async () => {
	service = await startTestService();
	client = await addApiClient(service);
	ada = await addPerson(service, "ada", { display_name: "Ada Lovelace" });
	await link(ada.id, "wechat", SUBJECT);
});
after(() => service.stop());

async function link(userId: string, provider: string, provider_user_id: string) {
	const token = await service.adminToken();
	const body = { provider, provider_user_id };
	const answer = await service.call("POST", `/api/v1/users/${userId}/third-party-accounts`, { token, body });
	assert.equal(answer.status, 201, JSON.stringify(answer.body));
	return answer.body.data;
}

const find = (provider: unknown, provider_user_id: unknown) =>
	service.signed(client, "POST", PATH, { body: { provider, provider_user_id } });

describe("POST /api/v1/external/third-party/find-user", () => {
	describe("200", () => {
		test("answers the user who has the account linked, and the link", async () => {
			const answer = await find("wechat", SUBJECT);
			assert.equal(answer.status, 200);
			const { created_at, third_party_account, ...user } = answer.body.data;
			assert.deepEqual(user, {
				id: ada.id,
				username: "ada",
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

		test("compares the provider's id exactly: blanks, case and composed letters count", async () => {
			const ids = [" 7", "7 ", "7", "Case", "case", "\u00e9", "e\u0301", "x".repeat(255), "😀".repeat(255)];
			for (const [index, id] of ids.entries()) {
				const { id: userId } = await addPerson(service, `exact-${index}`);
				await link(userId, "github", id);
			}
			for (const [index, id] of ids.entries())
				assert.equal((await find("github", id)).body.data.username, `exact-${index}`, JSON.stringify(id));
		});

		test("ignores fields it does not know", async () => {
			const body = { ...CALL.body, tenant_id: "x", id: 7 };
			assert.equal((await service.signed(client, "POST", PATH, { body })).status, 200);
		});
	});

	describe("400", () => {
		test("each field missing, of a wrong type, blank, too long, or not text that could be stored", async () => {
			const long = "x".repeat(256);
			for (const [provider, subject] of [
				[undefined, SUBJECT],
				["wechat", undefined],
				[null, SUBJECT],
				["wechat", 7],
				["wechat", ["7"]],
				[{}, SUBJECT],
				["", SUBJECT],
				[" ", SUBJECT],
				["wechat", ""],
				["wechat", " "],
				["w".repeat(65), SUBJECT],
				["wechat", long],
				["wechat", "😀".repeat(256)],
				["wechat", "a\0b"],
				["wechat", "\ud800"],
				["a\0b", SUBJECT],
			]) {
				const body = { provider, provider_user_id: subject };
				const answer = await problem(service, client, { ...CALL, body } as typeof CALL);
				assert.equal(answer, "400 request.invalid", JSON.stringify(body));
			}
		});

		test("names every field that is wrong", async () => {
			const answer = await find(7, "");
			assert.deepEqual(answer.body, {
				error: "provider must be a string; provider_user_id must not be blank",
			});
		});

		test("no JSON, no object, no JSON content type", async () => {
			for (const body of ["{", "[]", "null", '"text"', "7"]) {
				const answer = await service.signed(client, "POST", PATH, { body });
				assert.equal(answer.status, 400, body);
			}
			const headers = { "content-type": "text/plain" };
			assert.equal(await problem(service, client, CALL, headers), "400 request.content_type");
		});
	});

	describe("401", () => {
		test("not signed, wrongly signed, replayed", () => assertUnsigned(service, client, CALL));
	});

	describe("403", () => {
		test("an address that is not on the allowlist", () => assertAllowlisted(service, CALL));
		test("without third-party:read", () => assertScoped(service, "third-party:read", CALL));
	});

	describe("404", () => {
		test("an account that is not linked, or at another provider, or in another tenant", async () => {
			for (const [provider, subject] of [
				["wechat", "unknown"],
				["github", SUBJECT],
				["nothing", SUBJECT],
				["WeChat", SUBJECT],
				["wechat", SUBJECT.toLowerCase()],
				["wechat", `${SUBJECT} `],
				["wechat", "\ufffd"],
			]) {
				const answer = await find(provider, subject);
				assert.equal(answer.status, 404, `${provider} ${subject}`);
				assert.deepEqual(answer.body, { error: "no user has this third-party account" });
			}
			const second = await addSecondTenant(service);
			const accounts = `/api/v1/users/${second.adminId}/third-party-accounts`;
			const body = { provider: "wechat", provider_user_id: "theirs" };
			const linked = await service.call("POST", accounts, { token: second.adminToken, body });
			assert.equal(linked.status, 201);
			assert.equal((await find("wechat", "theirs")).status, 404);
		});

		test("an account that was unlinked, or whose user is gone", async () => {
			const token = await service.adminToken();
			const { id: userId } = await addPerson(service, "linda");
			const { id } = await link(userId, "github", "unlinked");
			await link(userId, "gitlab", "gone");
			await service.call("DELETE", `/api/v1/users/${userId}/third-party-accounts/${id}`, { token });
			assert.equal((await find("github", "unlinked")).status, 404);
			assert.equal((await find("gitlab", "gone")).status, 200);
			await service.call("DELETE", `/api/v1/users/${userId}`, { token });
			assert.equal((await find("gitlab", "gone")).status, 404);
		});
	});

	describe("426", () => {
		test("plain HTTP", () => assertHttpsOnly(service, CALL));
	});
});
