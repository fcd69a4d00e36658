// Sign-ins that the server of an application relays for its users.

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { problem } from "../../../src/kernel/field-reason.ts";
import { API_CLIENTS, APPLICATIONS } from "../../harness/applications.ts";
import { fixture, testService } from "../../harness/fixture.ts";
import { addPerson, auditOf, isAlive, lockPassword } from "../../harness/people.ts";
import { addRelay, RELAY, relay, relayedLogin } from "../../harness/relay.ts";
import { addPersonWithTotp, nextCode, passwordStep, wrongTotp } from "../../harness/second-factors.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { assertHttpsOnly, assertScoped } from "../../harness/signed-endpoint.ts";

const IP = "203.0.113.7";

const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
const client = fixture(() => addRelay(service));
const ada = fixture(() => addPerson(service, "ada"));

describe("POST /api/v1/external/auth/login", () => {
	const PATH = `${RELAY}/login`;
	const CALL = {
		method: "POST",
		path: PATH,
		body: { username: "nobody", password: "nothing", ip: IP },
	} as const;

	const login = (fields: Readonly<Record<string, unknown>>, by = client) =>
		relay(service, by, "login", { username: ada.username, password: ada.password, ip: IP, ...fields });

	describe("200", () => {
		it("signs in to the client's application, and records the given address", async () => {
			const response = await login({ user_agent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/144.0" });
			assert.deepEqual([response.status, response.headers["cache-control"]], [200, "no-store"]);
			const { access_token: token, user } = response.body.data;
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

		it("returns a token of the application, which opens no administration to an admin", async () => {
			const admin = await addPerson(service, "relayed-admin", { roles: ["admin"] });
			const { access_token: token } = await relayedLogin(service, client, admin);
			const response = await service.call("GET", "/api/v1/users", {
				token,
				headers: { accept: "application/problem+json" },
			});
			assert.deepEqual([response.status, response.body.code], [403, "application.token"]);
		});

		it("returns the second factors of a user who has one", async () => {
			const totp = await addPersonWithTotp(service, "relayed-totp");
			const data = await relayedLogin(service, client, totp);
			assert.deepEqual([data.mfa_required, data.methods], [true, ["totp", "recovery_code"]]);
		});

		it("requires a scope that clients do not have by default", async () => {
			const token = await service.adminToken();
			const body = { app_id: client.app_id, name: "By default" };
			const created = await service.call("POST", API_CLIENTS, { token, body });
			assert.equal(created.body.data.scopes.includes("sign-in:relay"), false);
		});
	});

	describe("400", () => {
		it("names the field ip when it is not an address", async () => {
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
			]) {
				const { status, body } = await login({ ip });
				assert.deepEqual([status, body.errors.map(({ field }) => field)], [400, ["ip"]], String(ip));
			}
		});

		it("requires the address", async () => {
			const { status, body } = await login({ ip: undefined });
			assert.deepEqual([status, body.errors], [400, [{ field: "ip", ...problem("required") }]]);
		});
	});

	describe("401", () => {
		it("refuses a wrong password, an unknown name and a locked account alike", async () => {
			const locked = await addPerson(service, "relayed-locked");
			await lockPassword(service, locked);
			const responses = [
				await login({ password: "not this one" }),
				await login({ username: "not-a-person" }),
				await login({ username: locked.username, password: locked.password }),
			];
			for (const { status, body } of responses)
				assert.deepEqual([status, body.code], [401, "credentials.invalid"]);
		});

		it("refuses a user of another tenant", async () => {
			const other = await addSecondTenant(service);
			const token = other.adminToken;
			const person = { username: "elsewhere", password: "a password of another tenant" };
			const body = { ...person, email: "elsewhere@people.example" };
			assert.equal((await service.call("POST", "/api/v1/users", { token, body })).status, 201);
			assert.equal((await login(person)).status, 401);
		});
	});

	describe("403", () => {
		it("requires the scope sign-in:relay", () => assertScoped(service, "sign-in:relay", CALL));

		it("refuses a disabled account, and a user without access, after the correct password only", async () => {
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
		it("requires HTTPS", () => assertHttpsOnly(service, CALL));
	});

	describe("429", () => {
		it("counts wrong passwords by the given address, not by that of the server", async () => {
			const eve = await addPerson(service, "relayed-eve");
			const guess = (ip: string, password = "not this one") =>
				login({ username: eve.username, password, ip });
			for (let count = 0; count < 5; count++) assert.equal((await guess("203.0.113.50")).status, 401);
			const refused = await guess("203.0.113.50", eve.password);
			assert.deepEqual([refused.status, refused.body.code], [429, "login.too_many"]);
			assert.equal((await guess("203.0.113.51", eve.password)).status, 200);
		});

		it("leaves the budget of an address that a client names unchanged", async () => {
			const address = "203.0.113.60";
			const guess = (count: number) =>
				login({ username: `guessed-${count}`, password: "not this one", ip: address });
			let refused = await guess(0);
			for (let count = 1; count < 60 && refused.status !== 429; count++) refused = await guess(count);
			assert.equal(refused.body.code, "login.too_many");
			const direct = await service.call("POST", "/api/v1/auth/login", {
				body: { username: ada.username, password: ada.password },
				headers: { "x-forwarded-for": address },
				https: true,
			});
			assert.equal(direct.status, 200);
		});

		describe("with limits", () => {
			const [PER_ADDRESS, PER_CLIENT] = [8, 25];
			const limited = testService(() => ({
				env: {
					LATCHKEY_TRUSTED_PROXIES: "127.0.0.1",
					LATCHKEY_RATE_LIMIT_PER_MINUTE: String(PER_ADDRESS),
					LATCHKEY_RELAY_LIMIT_PER_MINUTE: String(PER_CLIENT),
				},
			}));
			// Every test starts with no counted requests.
			beforeEach(() => limited.clock.advance(60_000));

			it("counts relayed sign-ins by the address of the user, not by that of the server", async () => {
				const [person, server] = [await addPerson(limited, "many"), await addRelay(limited)];
				for (let last = 1; last <= PER_ADDRESS + 2; last++)
					await relayedLogin(limited, server, person, `203.0.113.${last}`);
				const body = { username: person.username, password: person.password, ip: "198.51.100.1" };
				const statuses: number[] = [];
				for (let call = 0; call <= PER_ADDRESS; call++)
					statuses.push((await relay(limited, server, "login", body)).status);
				assert.deepEqual(statuses, [...Array(PER_ADDRESS).fill(200), 429]);
			});

			it("limits what one client relays across all named addresses, and serves its other calls", async () => {
				const person = await addPerson(limited, "bounded");
				const server = await addRelay(limited);
				limited.clock.advance(60_000);
				const other = await addRelay(limited);
				for (let last = 1; last <= PER_CLIENT; last++)
					await relayedLogin(limited, server, person, `203.0.113.${last}`);
				const body = { username: person.username, password: person.password, ip: "203.0.113.250" };
				const refused = await relay(limited, server, "login", body);
				assert.deepEqual([refused.status, refused.body.code], [429, "request.too_many"]);
				assert.equal(refused.headers["ratelimit-limit"], String(PER_CLIENT));
				await relayedLogin(limited, other, person, "203.0.113.251");
				assert.equal((await limited.signed(server, "GET", "/api/v1/external/whoami")).status, 200);
			});

			it("counts an unauthenticated call by the address of the server", async () => {
				const statuses: number[] = [];
				for (let call = 0; call <= PER_ADDRESS; call++) {
					const response = await limited.call("POST", PATH, { body: CALL.body, https: true });
					statuses.push(response.status);
				}
				assert.deepEqual(statuses, [...Array(PER_ADDRESS).fill(401), 429]);
			});
		});
	});
});

describe("POST /api/v1/external/auth/mfa", () => {
	const PATH = `${RELAY}/mfa`;
	const ANSWER = { mfa_token: "none", method: "totp", code: "000000", ip: IP };
	const CALL = { method: "POST", path: PATH, body: ANSWER } as const;

	const totp = fixture(() => addPersonWithTotp(service, "totp"));

	const waiting = async (): Promise<string> => (await relayedLogin(service, client, totp)).mfa_token;
	const response = (fields: Readonly<Record<string, unknown>>, by = client) =>
		relay(service, by, "mfa", { ...ANSWER, ...fields });

	describe("200", () => {
		it("completes the sign-in with a code, in a session of the application at the given address", async () => {
			const mfa_token = await waiting();
			const { status, body } = await response({ mfa_token, code: nextCode(service, totp.secret) });
			assert.equal(status, 200, JSON.stringify(body));
			const token = body.data.access_token;
			assert.equal(await isAlive(service, token), true);
			const { data } = (await service.call("GET", "/api/v1/users/me/sessions", { token })).body;
			const own = data.find((session) => session.current);
			assert.deepEqual([own?.ip, own?.app_id], [IP, client.app_id]);
		});

		it("accepts a recovery code", async () => {
			const fields = { mfa_token: await waiting(), method: "recovery_code", code: totp.recoveryCodes[0] };
			assert.equal((await response(fields)).status, 200);
		});
	});

	describe("400", () => {
		it("names the absent or invalid field", async () => {
			const mfa_token = await waiting();
			for (const [fields, field] of [
				[{ ip: "localhost" }, "ip"],
				[{ code: undefined }, "code"],
				[{ method: "passkey" }, "assertion"],
			] as const) {
				const { status, body } = await response({ mfa_token, ...fields });
				assert.deepEqual([status, body.errors[0]?.field], [400, field]);
			}
		});
	});

	describe("401", () => {
		it("refuses a wrong code, and an unknown token", async () => {
			const mfa_token = await waiting();
			assert.equal((await response({ mfa_token, code: wrongTotp(service, totp.secret) })).status, 401);
			assert.equal((await response({})).body.code, "mfa.invalid");
		});

		it("refuses a sign-in to another application, without counting an attempt", async () => {
			const code = nextCode(service, totp.secret);
			const mine = await passwordStep(service, totp);
			assert.equal((await response({ mfa_token: mine, code })).status, 401);
			const mfa_token = await waiting();
			const other = await addRelay(service);
			for (let count = 0; count < 6; count++)
				assert.equal((await response({ mfa_token, code }, other)).body.code, "mfa.invalid");
			assert.equal((await response({ mfa_token, code })).status, 200);
		});
	});

	describe("403", () => {
		it("requires the scope sign-in:relay", () => assertScoped(service, "sign-in:relay", CALL));
	});

	describe("426", () => {
		it("requires HTTPS", () => assertHttpsOnly(service, CALL));
	});
});

describe("POST /api/v1/external/auth/refresh", () => {
	const PATH = `${RELAY}/refresh`;
	const ELSEWHERE = "2001:db8::7";
	const CALL = { method: "POST", path: PATH, body: { refresh_token: "none", ip: ELSEWHERE } } as const;

	const refresh = (refresh_token: string, by = client) =>
		relay(service, by, "refresh", { refresh_token, ip: ELSEWHERE, user_agent: "curl/8.0" });

	describe("200", () => {
		it("returns new tokens, and moves the session to the given address", async () => {
			const { refresh_token } = await relayedLogin(service, client, ada);
			const response = await refresh(refresh_token);
			assert.deepEqual([response.status, response.headers["cache-control"]], [200, "no-store"]);
			const token = response.body.data.access_token;
			const { data } = (await service.call("GET", "/api/v1/users/me/sessions", { token })).body;
			const own = data.find((session) => session.current);
			assert.deepEqual([own?.ip, own?.app_id], [ELSEWHERE, client.app_id]);
			assert.equal((await refresh(response.body.data.refresh_token)).status, 200);
		});
	});

	describe("400", () => {
		it("names the invalid address", async () => {
			const body = { refresh_token: "none", ip: "here" };
			const response = await relay(service, client, "refresh", body);
			assert.deepEqual([response.status, response.body.errors[0]?.field], [400, "ip"]);
		});
	});

	describe("401", () => {
		it("refuses an unknown token", async () => {
			assert.equal((await refresh("none")).body.code, "refresh_token.invalid");
		});

		it("refuses a token of another application or of none, without changing its session", async () => {
			const other = await addRelay(service);
			const { refresh_token, access_token } = await relayedLogin(service, client, ada);
			assert.equal((await refresh(refresh_token, other)).body.code, "refresh_token.invalid");
			const next = await refresh(refresh_token);
			service.clock.advance(11_000);
			// The reuse of a used token ends the session, but only for the application that owns it.
			assert.equal((await refresh(refresh_token, other)).status, 401);
			assert.equal(await isAlive(service, access_token), true);
			assert.equal((await refresh(next.body.data.refresh_token)).status, 200);
			const { username, password } = ada;
			const direct = await service.call("POST", "/api/v1/auth/login", { body: { username, password } });
			assert.equal((await refresh(direct.body.data.refresh_token)).status, 401);
		});
	});

	describe("403", () => {
		it("requires the scope sign-in:relay", () => assertScoped(service, "sign-in:relay", CALL));

		it("refuses a user who lost access to the application", async () => {
			const { refresh_token } = await relayedLogin(service, client, ada);
			const token = await service.adminToken();
			const path = `${APPLICATIONS}/${client.app_id}`;
			await service.call("PATCH", path, { token, body: { access_policy: "assigned" } });
			assert.equal((await refresh(refresh_token)).body.code, "application.access_denied");
			await service.call("PATCH", path, { token, body: { access_policy: "open" } });
		});
	});

	describe("426", () => {
		it("requires HTTPS", () => assertHttpsOnly(service, CALL));
	});
});
