import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import {
	addPerson,
	auditOf,
	isAlive,
	type Person,
	removePassword,
	signInAgain,
} from "../../harness/people/people.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import { ADMIN } from "../../harness/service/service.ts";

const PATH = "/api/v1/users/me";

// The clock is stopped: the five minutes after a sign-in end only when a test advances it.
const service = testService(() => ({ atMs: Date.now() }));

describe("GET /api/v1/users/me", () => {
	const ada = fixture(() =>
		addPerson(service, "ada", {
			display_name: "Ada Löv",
			avatar_url: "https://img.example/a.png",
		}),
	);

	describe("200", () => {
		it("returns the user with every field of the contract and no other", async () => {
			const { status, body } = await service.call("GET", PATH, { token: ada.token });
			assert.equal(status, 200);
			assert.deepEqual(Object.keys(body), ["data"]);
			const { tenant_id, created_at, updated_at, last_login_at, ...rest } = body.data;
			assert.deepEqual(rest, {
				id: ada.id,
				username: "ada",
				email: "ada@people.example",
				email_verified: false,
				display_name: "Ada Löv",
				avatar_url: "https://img.example/a.png",
				status: "active",
				disabled_reason: null,
				roles: [],
				locale: null,
				mfa_enabled: false,
			});
			assert.match(tenant_id, /^[0-9a-f-]{36}$/);
			for (const time of [created_at, updated_at, last_login_at])
				assert.match(String(time), /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
		});

		it("returns a change by an admin at once", async () => {
			await service.asAdmin("PATCH", `/api/v1/users/${ada.id}`, { display_name: "Countess" });
			const { body } = await service.call("GET", PATH, { token: ada.token });
			assert.equal(body.data.display_name, "Countess");
		});
	});

	describe("401", () => {
		it("rejects the token of a disabled user", async () => {
			const eve = await addPerson(service, "eve");
			await service.asAdmin("PATCH", `/api/v1/users/${eve.id}`, { status: "disabled" });
			assert.equal((await service.call("GET", PATH, { token: eve.token })).status, 401);
		});
	});
});

describe("PATCH /api/v1/users/me", () => {
	const patch = ({ token }: Pick<Person, "token">, body: unknown) =>
		service.call("PATCH", PATH, { token, body, headers: { accept: "application/problem+json" } });
	const updates = async (id: string) =>
		(await auditOf(service, `user:${id}`)).filter(({ action }) => action === "user.updated");

	describe("200", () => {
		it("changes the fields of the body, keeps the others, and audits only their names", async () => {
			const abe = await addPerson(service, "abe", { display_name: "Abe" });
			const before = (await service.call("GET", PATH, { token: abe.token })).body.data;
			service.clock.advance(1_000);
			const changes = { display_name: " Abe L. ", locale: "zh-CN" };
			const { status, body } = await patch(abe, changes);
			assert.equal(status, 200);
			const { updated_at } = body.data;
			assert.deepEqual(body.data, { ...before, display_name: "Abe L.", locale: "zh-CN", updated_at });
			assert.ok(updated_at > before.updated_at);
			const [event, ...more] = await updates(abe.id);
			assert.deepEqual(more, []);
			assert.equal(event?.actor, `user:${abe.id}`);
			assert.deepEqual(event?.details.fields, ["display_name", "locale"]);
			assert.doesNotMatch(JSON.stringify(event?.details), /Abe L/);
		});

		it("accepts the record unchanged, and writes nothing if nothing changes", async () => {
			const bea = await addPerson(service, "bea", { avatar_url: "https://img.example/b.png" });
			const before = (await service.call("GET", PATH, { token: bea.token })).body.data;
			service.clock.advance(1_000);
			const { display_name, avatar_url, locale, id, created_at } = before;
			for (const body of [{}, { display_name, avatar_url, locale, id, created_at }]) {
				const response = await patch(bea, body);
				assert.deepEqual([response.status, response.body.data], [200, before]);
			}
			assert.deepEqual(await updates(bea.id), []);
		});

		it("empties the profile", async () => {
			const cal = await addPerson(service, "cal", { display_name: "Cal", locale: "zh-CN" });
			const { body } = await patch(cal, { display_name: "", avatar_url: "", locale: null });
			const { display_name, avatar_url, locale } = body.data;
			assert.deepEqual([display_name, avatar_url, locale], ["", "", null]);
		});
	});

	describe("400", () => {
		const ann = fixture(() => addPerson(service, "ann"));

		it("ignores fields that only an administrator changes", async () => {
			// The fields of a user record are accepted, so that a client can send back the record it read.
			const before = (await service.call("GET", PATH, { token: ann.token })).body.data;
			await patch(ann, { roles: ["admin"], email_verified: true, username: "root", status: "disabled" });
			assert.deepEqual((await service.call("GET", PATH, { token: ann.token })).body.data, before);
		});
	});
});

describe("PUT /api/v1/users/me", () => {
	/** The part of the OpenAPI document that the test reads. */
	interface Description {
		readonly paths: {
			readonly [PATH]: {
				readonly put: {
					readonly responses: Readonly<Record<string, unknown>>;
					readonly security: readonly unknown[];
				};
			};
		};
	}

	describe("405", () => {
		const bodies: readonly [string, unknown, Record<string, string>][] = [
			["no body", undefined, {}],
			["a user", { display_name: "x" }, {}],
			["an empty object", {}, {}],
			["broken JSON", "{", {}],
			["a form", "a=b", { "content-type": "application/x-www-form-urlencoded" }],
			["a malformed content type", "x", { "content-type": "nonsense" }],
			["no content type", "x", { "content-type": "" }],
			["an oversized body", "x".repeat(70_000), {}],
			["an unsupported Accept header", {}, { accept: "text/html" }],
		];
		for (const [name, body, headers] of bodies) {
			it(`is the response to ${name}, with and without a token`, async () => {
				for (const token of [undefined, "abc", await service.adminToken()]) {
					const options = {
						...(body === undefined ? {} : { body }),
						...(token === undefined ? {} : { token }),
					};
					const response = await service.call("PUT", PATH, { ...options, headers });
					assert.equal(response.status, 405);
					assert.equal(response.headers.allow, "GET, PATCH, DELETE");
					assert.deepEqual(Object.keys(response.body), ["error"]);
				}
			});
		}

		it("returns the stable code in problem details", async () => {
			const headers = { accept: "application/problem+json" };
			const { status, body } = await service.call("PUT", PATH, { headers });
			assert.equal(status, 405);
			assert.equal(body.code, "user.read_only");
		});

		it("changes nothing", async () => {
			await service.callAsAdmin("PUT", PATH, { body: { username: "root", roles: [] } });
			const { body } = await service.callAsAdmin("GET", PATH);
			assert.equal(body.data.username, ADMIN.username);
			assert.deepEqual(body.data.roles, ["admin", "platform_admin"]);
		});

		it("is the only status in the OpenAPI document", async () => {
			const { body } = await service.call<Description>("GET", "/openapi.json");
			const { responses, security } = body.paths[PATH].put;
			assert.deepEqual(security, []);
			assert.deepEqual(
				Object.keys(responses).filter((status) => status < "429"),
				["405"],
			);
		});
	});
});

describe("DELETE /api/v1/users/me", () => {
	const remove = ({ token }: Pick<Person, "token">, body: unknown) =>
		service.call("DELETE", PATH, { token, body, headers: { accept: "application/problem+json" } });
	/** A user who signed in more than five minutes ago. */
	const addOldPerson = async (name: string, fields = {}): Promise<Person> => {
		const person = await addPerson(service, name, fields);
		service.clock.advance(6 * MINUTE_MS);
		return person;
	};

	describe("204", () => {
		it("deletes the account with the password, ends every session and frees the name", async () => {
			const amy = await addOldPerson("amy");
			const second = await signInAgain(service, amy);
			const response = await remove(amy, { password: amy.password });
			assert.deepEqual([response.status, response.body], [204, undefined]);
			for (const token of [amy.token, second]) assert.equal(await isAlive(service, token), false);
			const again = await addPerson(service, "amy");
			assert.notEqual(again.id, amy.id);
			const event = (await auditOf(service, `user:${amy.id}`)).at(-1);
			assert.deepEqual([event?.action, event?.actor], ["user.deleted", `user:${amy.id}`]);
		});

		it("deletes the account without the password up to five minutes after a sign-in", async () => {
			const art = await addPerson(service, "art");
			service.clock.advance(5 * MINUTE_MS - 1);
			assert.equal((await remove(art, {})).status, 204);
			assert.equal(await isAlive(service, art.token), false);
		});

		it("deletes an account that has no password", async () => {
			const ash = await addPerson(service, "ash");
			await removePassword(service, ash.id);
			assert.equal((await remove(ash, {})).status, 204);
		});

		it("deletes an admin while another one is left", async () => {
			const asa = await addPerson(service, "asa", { roles: ["admin"] });
			assert.equal((await remove(asa, { password: asa.password })).status, 204);
		});

		it("deletes once on concurrent requests", async () => {
			const ava = await addPerson(service, "ava");
			const answers = await Promise.all(Array.from({ length: 5 }, () => remove(ava, {})));
			assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 401, 401, 401, 401]);
		});
	});

	describe("400", () => {
		it("requires the password after five minutes", async () => {
			const fay = await addOldPerson("fay");
			for (const body of [{}, { password: "wrong wrong" }, { password: "" }]) {
				const response = await remove(fay, body);
				assert.equal(response.status, 400, JSON.stringify(body));
			}
			const { body } = await remove(fay, {});
			assert.deepEqual(
				[body.code, body.detail],
				["request.invalid", "password is required unless you signed in within the last 5 minutes"],
			);
			assert.equal(await isAlive(service, fay.token), true);
			const refused = (await auditOf(service, `user:${fay.id}`)).filter(
				({ action }) => action === "user.deletion_refused",
			);
			assert.deepEqual(
				refused.map(({ details }) => details.reason),
				["password.wrong"],
			);
		});

		it("rejects a wrong password right after a sign-in", async () => {
			const gil = await addPerson(service, "gil");
			assert.equal((await remove(gil, { password: "wrong wrong" })).body.code, "password.wrong");
		});
	});

	describe("409", () => {
		it("keeps the last active admin of a tenant", async () => {
			const { adminToken: token } = await addSecondTenant(service);
			const response = await remove({ token }, {});
			assert.deepEqual([response.status, response.body.code], [409, "user.last_admin"]);
			assert.equal(await isAlive(service, token), true);
		});
	});

	describe("429", () => {
		it("counts wrong passwords", async () => {
			const ivy = await addPerson(service, "ivy");
			for (let count = 0; count < 5; count++)
				assert.equal((await remove(ivy, { password: "wrong wrong" })).status, 400);
			assert.equal((await remove(ivy, { password: ivy.password })).status, 429);
		});
	});
});
