// The password step of a sign-in: tokens, second steps, and the limits on guesses.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MINUTE_MS, SECOND_MS } from "../../../src/kernel/clock.ts";
import { ABSENT_ID } from "../../harness/access/applications.ts";
import { addPerson, auditOf, isAlive, type Person } from "../../harness/people/people.ts";
import { addPersonWithTotp } from "../../harness/people/second-factors.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { atDepth } from "../../harness/runs/depth.ts";
import { testService } from "../../harness/runs/fixture.ts";
import { ADMIN, type CallResponse } from "../../harness/service/service.ts";

const LOGIN = "/api/v1/auth/login";
const PROBLEM = { accept: "application/problem+json" };

// Behind a trusted proxy, each test can use its own IP address. With a stopped clock, every wait is exact.
const service = testService(() => ({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" }, atMs: Date.now() }));

describe("POST /api/v1/auth/login", () => {
	let clients = 0;
	const newClient = () => ({ "x-forwarded-for": `198.51.100.${++clients}`, "x-forwarded-proto": "https" });
	const login = (
		username: unknown,
		password: unknown,
		headers: Readonly<Record<string, string>> = newClient(),
		appId?: unknown,
	) => service.call("POST", LOGIN, { body: { username, password, app_id: appId }, headers });
	const send = async <M extends string, P extends string>(method: M, path: P, body: unknown) => {
		const response = await service.callAsAdmin(method, path, { body });
		assert.ok(response.status < 300, `${path} returned ${response.status}: ${JSON.stringify(response.body)}`);
		return response.body;
	};
	const signInsOf = async (person: Person) =>
		(await auditOf(service, `user:${person.id}`)).filter(({ action }) => action.startsWith("user.sign"));
	const claimsOf = (token: string) =>
		JSON.parse(Buffer.from(token.split(".")[1] as string, "base64url").toString("utf8"));

	describe("200", () => {
		it("returns tokens and the user", async () => {
			const person = await addPerson(service, "ada", { display_name: "Ada" });
			const response = await login(person.username, person.password);
			assert.equal(response.status, 200);
			assert.equal(response.headers["cache-control"], "no-store");
			assert.deepEqual(Object.keys(response.body), ["data"]);
			const { access_token, token_type, expires_in, refresh_token, refresh_expires_in, user } =
				response.body.data;
			assert.equal(token_type, "Bearer");
			assert.equal(expires_in, 900);
			assert.equal(refresh_expires_in, 604_800);
			assert.match(refresh_token, /^[A-Za-z0-9_-]{91}$/);
			assert.equal(user.id, person.id);
			assert.equal(user.display_name, "Ada");
			assert.equal(typeof user.last_login_at, "string");
			assert.equal(user.updated_at, user.created_at);
			const me = await service.call("GET", "/api/v1/users/me", { token: access_token });
			assert.deepEqual(me.body.data, user);
		});

		it("signs an access token with the claims of the contract", async () => {
			const before = Math.floor(service.clock.now() / SECOND_MS);
			const response = await login(ADMIN.username, ADMIN.password);
			const { access_token: token, user } = response.body.data;
			const header = JSON.parse(Buffer.from(token.split(".")[0] as string, "base64url").toString("utf8"));
			assert.deepEqual(Object.keys(header).sort(), ["alg", "kid", "typ"]);
			assert.equal(header.alg, "ES256");
			assert.equal(header.typ, "at+jwt");
			const { exp, iat, auth_time, jti, sid, ...claims } = claimsOf(token);
			assert.deepEqual(claims, {
				iss: "https://localhost:8443",
				aud: ["https://localhost:8443"],
				client_id: "latchkey",
				sub: user.id,
				tenant_id: user.tenant_id,
				roles: ["admin", "platform_admin"],
				amr: ["pwd"],
			});
			assert.equal(exp, iat + 900);
			assert.ok(iat >= before && auth_time >= before && auth_time <= iat);
			assert.notEqual(jti, sid);
		});

		it("accepts username and email address in any case, and the password in any Unicode normal form", async () => {
			const password = "crème brûlée for all";
			const person = await addPerson(service, "remy");
			await send("PATCH", `/api/v1/users/${person.id}`, { password: password.normalize("NFC") });
			for (const name of ["REMY", " remy ", person.email, person.email.toUpperCase()])
				for (const form of ["NFC", "NFD"])
					assert.equal((await login(name, password.normalize(form))).status, 200, `${name} ${form}`);
		});

		it("opens a separate session each time, and audits it", async () => {
			const person = await addPerson(service, "two-devices");
			const first = await login(person.username, person.password);
			const second = await login(person.username, person.password);
			const sids = [first, second].map(({ body }) => claimsOf(body.data.access_token).sid);
			assert.notEqual(sids[0], sids[1]);
			const recorded = (await signInsOf(person)).slice(-2);
			assert.deepEqual(
				recorded.map(({ action, actor, details }) => [action, actor, details.session_id]),
				sids.map((sid) => ["user.signed_in", `user:${person.id}`, sid]),
			);
		});

		it("signs in to an open application, and to one that is granted to the user", async () => {
			const person = await addPerson(service, "app-user");
			for (const policy of ["open", "assigned"]) {
				const { data: app } = await send("POST", "/api/v1/applications", {
					name: `App ${policy}`,
					access_policy: policy,
				});
				if (policy === "assigned")
					await send("PUT", `/api/v1/applications/${app.id}/grants/users/${person.id}`, { roles: [] });
				const response = await login(person.username, person.password, newClient(), app.id.toUpperCase());
				assert.equal(response.status, 200);
				const claims = claimsOf(response.body.data.access_token);
				assert.deepEqual(claims.aud, ["https://localhost:8443", app.id]);
				assert.equal(claims.client_id, app.id);
				assert.equal(await isAlive(service, response.body.data.access_token), true);
			}
		});

		it("returns an mfa_token instead of tokens if a second factor is enrolled", async () => {
			const person = await addPersonWithTotp(service, "second-step");
			const response = await login(person.username, person.password);
			assert.equal(response.status, 200);
			assert.equal(response.headers["cache-control"], "no-store");
			const { mfa_token, ...rest } = response.body.data;
			assert.match(mfa_token, /^[A-Za-z0-9_-]{43}$/);
			assert.deepEqual(rest, {
				mfa_required: true,
				expires_in: 600,
				methods: ["totp", "recovery_code"],
				enrolment_required: false,
				help_offered: false,
			});
			const event = (await auditOf(service, `user:${person.id}`)).at(-1);
			assert.deepEqual([event?.action, event?.actor], ["user.second_factor_asked", "anonymous"]);
		});

		it("requires enrollment only if the application requires a second factor", async () => {
			const person = await addPerson(service, "has-none-yet");
			const fields = { name: "Strict", access_policy: "open", require_mfa: true };
			const { data: strict } = await send("POST", "/api/v1/applications", fields);
			assert.equal(strict.require_mfa, true);
			const response = await login(person.username, person.password, newClient(), strict.id);
			const { mfa_token, ...rest } = response.body.data;
			assert.equal(typeof mfa_token, "string");
			assert.deepEqual(rest, {
				mfa_required: true,
				expires_in: 600,
				methods: [],
				enrolment_required: true,
				help_offered: false,
			});
			assert.ok((await login(person.username, person.password)).body.data.access_token);
		});

		it("looks up each name in the tenant of the request", async () => {
			const { id, adminId, tokenOf } = await addSecondTenant(service);
			const token = await tokenOf("admin", "another tenant, another admin");
			assert.equal(claimsOf(token).sub, adminId);
			assert.equal(claimsOf(token).tenant_id, id);
			const headers = { ...newClient(), "x-tenant-id": id };
			assert.equal((await login(ADMIN.username, ADMIN.password, headers)).status, 401);
			assert.equal((await login("admin", "another tenant, another admin")).status, 401);
		});

		it("resets the failure count after a correct password", async () => {
			const person = await addPerson(service, "forgetful");
			const client = newClient();
			for (let round = 0; round < 2; round++) {
				for (let wrong = 0; wrong < 4; wrong++)
					assert.equal((await login(person.username, "wrong", client)).status, 401);
				assert.equal((await login(person.username, person.password, client)).status, 200);
			}
		});
	});

	describe("200", () => {
		const statusAfterSetBack = async (minutes: number, failures: number): Promise<number> => {
			const { username, password } = await addPerson(service, `back-${minutes}-${failures}`);
			const client = newClient();
			for (let failure = 0; failure < failures; failure++) await login(username, "wrong", client);
			const before = await login(username, password, client);
			assert.equal(before.status, failures < 5 ? 200 : 429);
			service.clock.advance(-minutes * MINUTE_MS);
			const { status } = await login(username, password, client);
			service.clock.advance(minutes * MINUTE_MS);
			return status;
		};
		for (const minutes of [1, 14, 15, 16, 20, 30, 1440])
			it(`accepts a correct password after another when the clock was set back by ${minutes} minutes`, async () => {
				assert.equal(await statusAfterSetBack(minutes, 0), 200);
			});

		it("accepts one after wrong ones when the clock was set back by 20 minutes, also of a name that had to wait", async () => {
			for (const failures of [1, 4, 5]) assert.equal(await statusAfterSetBack(20, failures), 200);
		});
	});

	describe("400", () => {
		it("never repeats a password in a response or the log", async () => {
			const password = "S3cret-that-must-not-leak";
			const responses = [
				await login("ada", password),
				await login("ada", [password]),
				await login(password, "wrong"),
				await service.call("POST", LOGIN, { body: `{"username":"ada","password":"${password}"` }),
			];
			for (const response of responses) assert.ok(!JSON.stringify(response.body).includes(password));
			assert.ok(!service.logs().includes(password));
		});
	});

	describe("401", () => {
		it("returns the same response for a wrong password and an unknown name", async () => {
			const person = await addPerson(service, "known");
			const responses = await Promise.all([
				login(person.username, "wrong"),
				login(person.email, "wrong"),
				login("unknown", "wrong"),
				login("unknown@people.example", "wrong"),
				login(person.username, `${person.password} `),
				login(person.username, "x".repeat(1024)),
				login(person.username, "\0"),
			]);
			for (const response of responses) {
				assert.equal(response.status, 401);
				assert.deepEqual(response.body, { error: "username or password is wrong" });
				assert.equal(response.headers["www-authenticate"], undefined);
				assert.deepEqual(Object.keys(response.headers).sort(), Object.keys(responses[0].headers).sort());
			}
			assert.equal(
				(await login("unknown", "wrong", { ...newClient(), ...PROBLEM })).body.code,
				"credentials.invalid",
			);
		});

		it("reveals nothing about account or application before a correct password", async () => {
			const person = await addPerson(service, "off");
			await send("PATCH", `/api/v1/users/${person.id}`, { status: "disabled" });
			assert.equal((await login(person.username, "wrong")).status, 401);
			assert.equal((await login(ADMIN.username, "wrong", newClient(), ABSENT_ID)).status, 401);
		});

		it("records the failure without the typed name", async () => {
			const person = await addPerson(service, "typo");
			await login(person.username, "wrong");
			const typed = "hunter2-typed-as-a-name";
			await login(typed, "wrong");
			const [last] = (await signInsOf(person)).slice(-1);
			assert.equal(last?.action, "user.sign_in_failed");
			assert.equal(last?.actor, "anonymous");
			assert.equal(last?.details.reason, "credentials.invalid");
			const unknown = (await auditOf(service, "")).filter(({ action }) => action === "user.sign_in_failed");
			assert.match(String(unknown.at(-1)?.details.name), /^name:[A-Za-z0-9_-]{43}$/);
			assert.ok(!JSON.stringify(unknown).includes(typed));
		});
	});

	describe("403", () => {
		it("reveals a disabled account only to a caller with the correct password", async () => {
			const person = await addPerson(service, "disabled");
			await send("PATCH", `/api/v1/users/${person.id}`, { status: "disabled" });
			const client = newClient();
			for (let times = 0; times < 6; times++) {
				const response = await login(person.username, person.password, { ...client, ...PROBLEM });
				assert.equal(response.status, 403);
				assert.equal(response.body.code, "account.disabled");
			}
			const [last] = (await signInsOf(person)).slice(-1);
			assert.equal(last?.action, "user.sign_in_failed");
			assert.equal(last?.details.reason, "account.disabled");
		});

		it("returns the same response for assigned, disabled, foreign and absent applications", async () => {
			const person = await addPerson(service, "outsider");
			const { id: tenantId, adminToken } = await addSecondTenant(service);
			const { data: assigned } = await send("POST", "/api/v1/applications", { name: "Assigned only" });
			const { data: off } = await send("POST", "/api/v1/applications", {
				name: "Off",
				access_policy: "open",
				status: "disabled",
			});
			const foreign = await service.call("POST", "/api/v1/applications", {
				token: adminToken,
				body: { name: "Foreign", access_policy: "open" },
			});
			assert.equal(foreign.body.data.tenant_id, tenantId);
			const before = (await service.call("GET", "/api/v1/users/me/sessions", { token: person.token })).body
				.total;
			for (const appId of [assigned.id, off.id, foreign.body.data.id, ABSENT_ID]) {
				const response = await login(person.username, person.password, newClient(), appId);
				assert.equal(response.status, 403);
				assert.deepEqual(response.body, {
					error: "you don't have access to this application: ask the person who runs it",
				});
			}
			const after = (await service.call("GET", "/api/v1/users/me/sessions", { token: person.token })).body
				.total;
			assert.equal(after, before);
		});
	});

	describe("429", () => {
		const limitsOf = ({ headers }: CallResponse) =>
			["retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"].map(
				(name) => headers[name],
			);

		it("makes a client wait after five failures for a name, known or not, and longer after each further one", async () => {
			const person = await addPerson(service, "guessed");
			const ladder = [30, 60, 120, 240, 480, 900, 900];
			for (const [name, waits] of [
				[person.username, ladder],
				["guessed-nobody", ladder.slice(0, 2)],
			] as const) {
				const client = newClient();
				for (let wrong = 0; wrong < 5; wrong++)
					assert.equal((await login(name, "wrong", client)).status, 401);
				for (const seconds of waits) {
					const refused = await login(name, person.password, { ...client, ...PROBLEM });
					assert.equal(refused.status, 429);
					assert.equal(refused.body.code, "login.too_many");
					assert.deepEqual(limitsOf(refused), [String(seconds), "5", "0", String(seconds)]);
					service.clock.advance(seconds * SECOND_MS);
					assert.equal((await login(name, "wrong", client)).status, 401);
				}
				// Other addresses and other names do not wait.
				assert.equal((await login(person.username, person.password)).status, 200);
				assert.equal((await login("another-name", "wrong", client)).status, 401);
			}
		});

		it("checks five of many concurrent wrong passwords", async () => {
			const person = await addPerson(service, "stormed");
			const client = newClient();
			const length = atDepth({ quick: 40, all: 40, long: 200 });
			const responses = await Promise.all(
				Array.from({ length }, () => login(person.username, "wrong", client)),
			);
			assert.equal(responses.filter(({ status }) => status === 401).length, 5);
			assert.equal(responses.filter(({ status }) => status === 429).length, length - 5);
		});

		/** Sends concurrent wrong passwords, each for another name. @returns the statuses in order */
		const spray = async (count: number, client: Readonly<Record<string, string>>, title: string) => {
			const names = Array.from({ length: count }, (_, number) => `${title}-${number}`);
			const responses = await Promise.all(names.map((name) => login(name, "wrong", client)));
			return responses.map(({ status }) => status).sort();
		};
		const times = (count: number, status: number) => Array.from({ length: count }, () => status);

		it("allows one address twenty failures across all names and tenants, then once every 45 s", async () => {
			const person = await addPerson(service, "neighbour");
			const { id: tenantId } = await addSecondTenant(service);
			const client = newClient();
			const enter = () => login(person.username, person.password, client);
			assert.deepEqual(await spray(10, client, "here"), times(10, 401));
			// A correct password neither counts as a failure nor resets the count.
			for (let right = 0; right < 3; right++) assert.equal((await enter()).status, 200);
			assert.deepEqual(await spray(12, { ...client, "x-tenant-id": tenantId }, "there"), [
				...times(10, 401),
				...times(2, 429),
			]);
			const refused = await login(person.username, person.password, { ...client, ...PROBLEM });
			assert.deepEqual([refused.status, refused.body.code], [429, "login.too_many"]);
			assert.match(refused.body.detail, /from your address/);
			assert.deepEqual(limitsOf(refused), ["45", "20", "0", "45"]);
			assert.equal((await login(person.username, person.password)).status, 200, "from another address");
			service.clock.advance(45 * SECOND_MS);
			assert.equal((await enter()).status, 200);
			assert.deepEqual(await spray(2, client, "again"), [401, 429]);
			service.clock.advance(15 * 60 * SECOND_MS);
			assert.deepEqual(await spray(22, client, "later"), [...times(20, 401), ...times(2, 429)]);
		});

		it("checks twenty of forty concurrent names from one IPv6 /64", async () => {
			const responses = await Promise.all(
				Array.from({ length: 40 }, (_, host) =>
					login(`crowd-${host}`, "wrong", {
						"x-forwarded-for": `2001:db8::${(host + 1).toString(16)}`,
						"x-forwarded-proto": "https",
					}),
				),
			);
			assert.equal(responses.filter(({ status }) => status === 401).length, 20);
			assert.equal(responses.filter(({ status }) => status === 429).length, 20);
		});

		it("accepts thirty concurrent correct passwords from one address, six for each name", async () => {
			const people = await Promise.all(
				Array.from({ length: 5 }, (_, number) => addPerson(service, `colleague-${number}`)),
			);
			const client = newClient();
			const responses = await Promise.all(
				people.flatMap(({ username, password }) =>
					Array.from({ length: 6 }, () => login(username, password, client)),
				),
			);
			assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
		});

		it("does not count names that must wait against an address", async () => {
			const client = newClient();
			for (let wrong = 0; wrong < 5; wrong++) await login("stubborn", "wrong", client);
			for (let refused = 0; refused < 20; refused++)
				assert.equal((await login("stubborn", "wrong", client)).status, 429);
			assert.deepEqual(await spray(15, client, "others"), times(15, 401));
		});

		it("audits refusals once for each wait of a name, and once in 15 minutes for an address", async () => {
			const person = await addPerson(service, "recorded");
			const refusals = async (target: string) =>
				(await auditOf(service, target)).filter(({ details }) => details.reason === "login.too_many");
			const client = newClient();
			for (let wrong = 0; wrong < 5; wrong++) await login(person.username, "wrong", client);
			assert.equal((await refusals(`user:${person.id}`)).length, 0);
			for (let refused = 0; refused < 3; refused++) await login(person.username, "wrong", client);
			const [row, ...further] = await refusals(`user:${person.id}`);
			assert.deepEqual(further, []);
			assert.equal(row?.action, "user.sign_in_failed");
			assert.equal(row?.details.limit, "name");
			service.clock.advance(30 * SECOND_MS);
			for (let refused = 0; refused < 3; refused++) await login(person.username, "wrong", client);
			assert.equal((await refusals(`user:${person.id}`)).length, 2);

			const sprayer = newClient();
			const ofAddress = async () => {
				const { username } = person;
				for (let refused = 0; refused < 3; refused++) await login(username, "wrong", sprayer);
				return (await refusals(`user:${person.id}`)).filter(({ details }) => details.limit === "address")
					.length;
			};
			await spray(20, sprayer, "audited");
			assert.equal(await ofAddress(), 1);
			service.clock.advance(45 * SECOND_MS);
			await spray(1, sprayer, "audited-again");
			assert.equal(await ofAddress(), 1);
			service.clock.advance(15 * 60 * SECOND_MS);
			await spray(20, sprayer, "audited-later");
			assert.equal(await ofAddress(), 2);
		});

		it("treats a name in every case and spacing as one", async () => {
			const client = newClient();
			for (const name of ["One.Name", "one.name", "ONE.NAME", " one.name", "oNE.nAME "])
				assert.equal((await login(name, "wrong", client)).status, 401);
			assert.equal((await login("one.name", "wrong", client)).status, 429);
		});
	});
});
