import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { API_CLIENTS, APPLICATIONS } from "../../harness/applications.ts";
import { addPerson, auditOf, lockPassword, type Person } from "../../harness/people.ts";
import { addRelay, RELAY, relay, relayedLogin } from "../../harness/relay.ts";
import { addPersonWithTotp } from "../../harness/second-factors.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";
import {
	assertAllowlisted,
	assertHttpsOnly,
	assertScoped,
	assertUnsigned,
	type Client,
} from "../../harness/signed-endpoint.ts";

const PATH = `${RELAY}/login`;
const IP = "203.0.113.7";
const CALL = {
	method: "POST",
	path: PATH,
	body: { username: "nobody", password: "nothing", ip: IP },
} as const;

let service: TestService;
let client: Client;
let ada: Person;
before(async () => {
	service = await startTestService();
	client = await addRelay(service);
	ada = await addPerson(service, "ada");
});
after(() => service.stop());

const login = (fields: Readonly<Record<string, unknown>>, by = client) =>
	relay(service, by, "login", { username: ada.username, password: ada.password, ip: IP, ...fields });

describe("POST /api/v1/external/auth/login", () => {
	describe("200", () => {
		test("signs in to the client's application, and records the given address", async () => {
			const answer = await login({ user_agent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/144.0" });
			assert.deepEqual([answer.status, answer.headers["cache-control"]], [200, "no-store"]);
			const { access_token: token, user } = answer.body.data;
			assert.equal(user.id, ada.id);
			const { data } = (await service.call("GET", "/api/v1/users/me/sessions", { token })).body;
			const own = data.find((session) => session.current);
			assert.ok(own);
			assert.deepEqual([own.ip, own.app_id], [IP, client.app_id]);
			assert.match(own.device, /Firefox/);
			const event = (await auditOf(service, `user:${ada.id}`)).at(-1);
			assert.deepEqual(
				[event?.action, event?.details.relayed_by, event?.details.app_id],
				["user.signed_in", client.id, client.app_id],
			);
		});

		test("gives an admin a token that opens no administration", async () => {
			const admin = await addPerson(service, "relayed-admin", { roles: ["admin"] });
			const { access_token: token } = await relayedLogin(service, client, admin);
			const answer = await service.call("GET", "/api/v1/users", {
				token,
				headers: { accept: "application/problem+json" },
			});
			assert.deepEqual([answer.status, answer.body.code], [403, "application.token"]);
		});

		test("requires a second factor where one is due", async () => {
			const totp = await addPersonWithTotp(service, "relayed-totp");
			const data = await relayedLogin(service, client, totp);
			assert.deepEqual([data.mfa_required, data.methods], [true, ["totp", "recovery_code"]]);
		});

		test("limits relayed sign-ins by the user's address, not by the server's", async () => {
			const limited = await startTestService({ env: { LATCHKEY_RATE_LIMIT_PER_MINUTE: "15" } });
			try {
				const [person, server] = [await addPerson(limited, "many"), await addRelay(limited)];
				for (let last = 1; last <= 20; last++)
					await relayedLogin(limited, server, person, `203.0.113.${last}`);
				const statuses: number[] = [];
				const body = { username: person.username, password: person.password, ip: "198.51.100.1" };
				for (let call = 0; call < 16; call++)
					statuses.push((await relay(limited, server, "login", body)).status);
				assert.deepEqual(statuses, [...Array(15).fill(200), 429]);
			} finally {
				await limited.stop();
			}
		});
	});

	describe("400", () => {
		for (const ip of [
			"",
			"localhost",
			"fe80::1%eth0",
			"[::1]",
			"192.0.2.1:80",
			"192.0.2.01",
			"192.0.2.0/24",
			7,
			null,
		])
			test(`names the field ip when it is ${JSON.stringify(ip)}`, async () => {
				const answer = await login({ ip });
				assert.equal(answer.status, 400);
				assert.deepEqual(
					answer.body.errors.map(({ field }) => field),
					["ip"],
				);
			});

		test("needs the address", async () => {
			const { status, body } = await login({ ip: undefined });
			assert.deepEqual([status, body.errors], [400, [{ field: "ip", message: "is required" }]]);
		});
	});

	describe("401", () => {
		test("not signed, wrongly signed, replayed", () => assertUnsigned(service, client, CALL));

		test("a wrong password, an unknown name and a locked account, with one answer", async () => {
			const locked = await addPerson(service, "relayed-locked");
			await lockPassword(service, locked);
			const answers = [
				await login({ password: "not this one" }),
				await login({ username: "not-a-person" }),
				await login({ username: locked.username, password: locked.password }),
			];
			for (const { status, body } of answers)
				assert.deepEqual([status, body.code], [401, "credentials.invalid"]);
		});

		test("a user of another tenant than the client's", async () => {
			const other = await addSecondTenant(service);
			const token = other.adminToken;
			const person = { username: "elsewhere", password: "a password of another tenant" };
			const body = { ...person, email: "elsewhere@people.example" };
			assert.equal((await service.call("POST", "/api/v1/users", { token, body })).status, 201);
			assert.equal((await login(person)).status, 401);
		});
	});

	describe("403", () => {
		test("an address that is not on the allowlist", () => assertAllowlisted(service, CALL));
		test("without the scope", () => assertScoped(service, "sign-in:relay", CALL));

		test("a disabled account, and no access to the application, after a right password only", async () => {
			const off = await addPerson(service, "relayed-off");
			const token = await service.adminToken();
			await service.call("PATCH", `/api/v1/users/${off.id}`, { token, body: { status: "disabled" } });
			const { username, password } = off;
			assert.equal((await login({ username, password })).body.code, "account.disabled");
			assert.equal((await login({ username, password: "not this one" })).status, 401);
			const closed = await addRelay(service);
			const policy = { token, body: { access_policy: "assigned" } };
			await service.call("PATCH", `${APPLICATIONS}/${closed.app_id}`, policy);
			assert.equal((await login({}, closed)).body.code, "application.access_denied");
		});
	});

	describe("426", () => {
		test("plain HTTP", () => assertHttpsOnly(service, CALL));
	});

	describe("429", () => {
		test("counts wrong passwords by the given address, not by the server's", async () => {
			const eve = await addPerson(service, "relayed-eve");
			const guess = (ip: string, password = "not this one") =>
				login({ username: eve.username, password, ip });
			for (let count = 0; count < 5; count++) assert.equal((await guess("203.0.113.50")).status, 401);
			const refused = await guess("203.0.113.50", eve.password);
			assert.deepEqual([refused.status, refused.body.code], [429, "login.too_many"]);
			assert.equal((await guess("203.0.113.51", eve.password)).status, 200);
		});

		test("leaves the budget of an address unchanged that a client names", async () => {
			const own = await startTestService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
			try {
				const [server, person] = [await addRelay(own), await addPerson(own, "bystander")];
				let answer: Awaited<ReturnType<typeof relay>> | undefined;
				for (let count = 0; count < 60 && answer?.status !== 429; count++)
					answer = await relay(own, server, "login", {
						username: `guessed-${count}`,
						password: "not this one",
						ip: "203.0.113.60",
					});
				assert.equal(answer?.body.code, "login.too_many");
				const { username, password } = person;
				const direct = await own.call("POST", "/api/v1/auth/login", {
					body: { username, password },
					headers: { "x-forwarded-for": "203.0.113.60" },
					https: true,
				});
				assert.equal(direct.status, 200);
			} finally {
				await own.stop();
			}
		});

		test("bounds what one client relays over all named addresses; its other calls go on", async () => {
			const own = await startTestService({ env: { LATCHKEY_RELAY_LIMIT_PER_MINUTE: "3" } });
			try {
				const [server, other] = [await addRelay(own), await addRelay(own)];
				const person = await addPerson(own, "bounded");
				for (let last = 1; last <= 3; last++) await relayedLogin(own, server, person, `203.0.113.${last}`);
				const body = { username: person.username, password: person.password, ip: "203.0.113.4" };
				const refused = await relay(own, server, "login", body);
				assert.deepEqual([refused.status, refused.body.code], [429, "request.too_many"]);
				assert.equal(refused.headers["ratelimit-limit"], "3");
				await relayedLogin(own, other, person);
				assert.equal((await own.signed(server, "GET", "/api/v1/external/whoami")).status, 200);
			} finally {
				await own.stop();
			}
		});

		test("counts a call that is not proved by the server's address", async () => {
			const own = await startTestService({ env: { LATCHKEY_RATE_LIMIT_PER_MINUTE: "8" } });
			try {
				const statuses: number[] = [];
				for (let call = 0; call < 9; call++)
					statuses.push((await own.call("POST", PATH, { body: CALL.body, https: true })).status);
				assert.deepEqual(statuses, [...Array(8).fill(401), 429]);
			} finally {
				await own.stop();
			}
		});
	});

	test("the scope is not among those a client has by default", async () => {
		const token = await service.adminToken();
		const body = { app_id: client.app_id, name: "By default" };
		const created = await service.call("POST", API_CLIENTS, { token, body });
		assert.equal(created.body.data.scopes.includes("sign-in:relay"), false);
	});
});
