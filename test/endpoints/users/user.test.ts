import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addApplication, putGrant } from "../../harness/access/applications.ts";
import { addAdminKey } from "../../harness/people/admin-keys.ts";
import {
	addPerson,
	auditOf,
	isAlive,
	lockCodes,
	lockPassword,
	type Person,
	signInAgain,
} from "../../harness/people/people.ts";
import {
	addPersonWithPasskey,
	PASSKEY_SIGN_IN,
	passkeyOptions,
} from "../../harness/people/second-factors.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { atDepth } from "../../harness/runs/depth.ts";
import { fixture, setup, testService } from "../../harness/runs/fixture.ts";
import type { CallResponse } from "../../harness/service/service.ts";

const PATH = "/api/v1/users";

let first: Pick<Person, "id">;
const service = testService();
setup(async () => {
	first = await service.asAdmin("GET", `${PATH}/me`);
});
const plainAdmin = fixture(() => addPerson(service, "plain-admin", { roles: ["admin"] }));

describe("GET /api/v1/users/{id}", () => {
	const ada = fixture(() => addPerson(service, "ada"));

	const get = async (id: string) => service.callAsAdmin("GET", `${PATH}/${id}`);

	describe("200", () => {
		it("returns what the user sees", async () => {
			const own = await service.call("GET", `${PATH}/me`, { token: ada.token });
			const { status, body } = await get(ada.id);
			assert.deepEqual([status, body], [200, own.body]);
		});

		it("accepts the id in upper case", async () => {
			assert.equal((await get(ada.id.toUpperCase())).body.data.id, ada.id);
		});

		it("includes what the endpoints of its parts return, and nothing else", async () => {
			const bea = await addPerson(service, "bea");
			const token = await service.adminToken();
			const account = { provider: "github", provider_user_id: "7" };
			await service.asAdmin("POST", `${PATH}/${bea.id}/third-party-accounts`, account);
			const { id: groupId } = await service.asAdmin("POST", "/api/v1/groups", { name: "Night shift" });
			await service.asAdmin("PUT", `/api/v1/groups/${groupId}/members/${bea.id}`);
			await putGrant(service, (await addApplication(service)).id, bea.id);
			const part = async (path: string) =>
				(await service.call("GET", `${PATH}/${bea.id}/${path}` as "/api/v1/users/{id}", { token })).body;
			const { data: plain } = (await get(bea.id)).body;
			const included = async (include: string, as = token) => {
				const response = await service.call("GET", `${PATH}/${bea.id}?include=${include}`, { token: as });
				assert.equal(response.status, 200, JSON.stringify(response.body));
				return response.body.data;
			};
			const lists = {
				third_party_accounts: await part("third-party-accounts"),
				groups: await part("groups"),
				grants: await part("grants"),
				sessions: await part("sessions"),
			};
			for (const { total } of Object.values(lists) as unknown as { total: number }[]) assert.equal(total, 1);
			const second_factors = (await part("mfa")).data;
			const names = "sessions,locked,second_factors,third_party_accounts,groups,grants";
			const all = { ...plain, ...lists, second_factors, locked: false };
			assert.deepEqual(await included(names), all);
			assert.deepEqual(await included("groups,groups"), { ...plain, groups: lists.groups });
			assert.deepEqual(await included(""), plain);
			const auditor = await addPerson(service, "audrey-includes", { roles: ["auditor"] });
			assert.deepEqual(await included(names, auditor.token), all);
			const { key } = await addAdminKey(service, { roles: ["auditor"] });
			assert.deepEqual(await included(names, key), all);
			const own = await service.call("GET", `${PATH}/${first.id}?include=sessions`, { token });
			assert.equal(own.body.data.sessions?.data.filter(({ current }) => current).length, 1);
		});

		it("includes whether the password or authenticator codes are locked", async () => {
			for (const lock of [lockPassword, lockCodes]) {
				const user = await addPerson(service, `locked-by-${lock.name.toLowerCase()}`);
				const isLocked = async () => {
					const { body } = await get(`${user.id}?include=locked`);
					return body.data.locked;
				};
				assert.equal(await isLocked(), false);
				await lock(service, user);
				assert.equal(await isLocked(), true);
				await service.asAdmin("POST", `${PATH}/${user.id}/unlock`);
				assert.equal(await isLocked(), false);
			}
		});

		it("includes the ten newest events about the user and by the user, each once", async () => {
			const cyd = await addPerson(service, "cyd");
			for (let n = 0; n < 8; n++) {
				await service.asAdmin("PATCH", `${PATH}/${cyd.id}`, { display_name: `By the admin ${n}` });
				const body = { display_name: `By cyd ${n}` };
				await service.call("PATCH", `${PATH}/me`, { token: cyd.token, body });
			}
			const { recent_events: events = [] } = (await get(`${cyd.id}?include=recent_events`)).body.data;
			assert.deepEqual(
				events.map(({ actor }) => actor),
				Array.from({ length: 10 }, (_, n) => `user:${(n % 2 === 0 ? cyd : first).id}`),
			);
			const own = await service.callAsAdmin("GET", `/api/v1/audit-events?actor=user:${cyd.id}&page_size=1`);
			assert.deepEqual(events[0], own.body.data[0]);
		});
	});
});

describe("PATCH /api/v1/users/{id}", () => {
	const abe = fixture(() => addPerson(service, "abe"));

	const patch = async (id: string, body: unknown, token?: string) =>
		service.call("PATCH", `${PATH}/${id}`, {
			token: token ?? (await service.adminToken()),
			body,
			headers: { accept: "application/problem+json" },
		});
	const signInStatus = async (username: string, password: string): Promise<number> =>
		(await service.call("POST", "/api/v1/auth/login", { body: { username, password } })).status;
	const updates = async (id: string) =>
		(await auditOf(service, `user:${id}`)).filter(({ action }) => action === "user.updated");

	describe("200", () => {
		it("changes the fields of the body, keeps the others, and audits fields and actor", async () => {
			const bob = await addPerson(service, "bob", { display_name: "Bob", email_verified: true });
			const before = (await service.call("GET", `${PATH}/me`, { token: bob.token })).body.data;
			service.clock.advance(1_000);
			const changes = {
				username: " Robert ",
				display_name: "",
				avatar_url: "https://img.example/r.png",
				roles: ["auditor", "reviewer"],
			};
			const { status, body } = await patch(bob.id, changes, plainAdmin.token);
			assert.equal(status, 200);
			assert.deepEqual(body.data, {
				...before,
				username: "Robert",
				display_name: "",
				avatar_url: "https://img.example/r.png",
				roles: ["reviewer", "auditor"],
				updated_at: body.data.updated_at,
			});
			assert.ok(body.data.updated_at > before.updated_at);
			assert.equal(await isAlive(service, bob.token), true);
			assert.equal(await signInStatus("robert", bob.password), 200);
			assert.equal(await signInStatus("bob", bob.password), 401);
			assert.deepEqual(await updates(bob.id), [
				{
					actor: `user:${plainAdmin.id}`,
					action: "user.updated",
					target: `user:${bob.id}`,
					details: {
						fields: ["username", "display_name", "avatar_url", "roles"],
						roles: ["reviewer", "auditor"],
					},
				},
			]);
		});

		it("ignores an empty patch, read-only fields and unchanged values", async () => {
			const cleo = await addPerson(service, "cleo", { roles: ["auditor"] });
			const before = (await service.call("GET", `${PATH}/me`, { token: cleo.token })).body.data;
			service.clock.advance(1_000);
			const same = { username: "cleo", email: cleo.email, roles: ["auditor"], status: "active" };
			for (const body of [{}, { id: abe.id, tenant_id: abe.id, mfa_enabled: true }, same]) {
				const response = await patch(cleo.id, body);
				assert.deepEqual([response.status, response.body.data], [200, before]);
			}
			assert.deepEqual(await updates(cleo.id), []);
		});

		it("accepts the user's own name in another case", async () => {
			const dora = await addPerson(service, "dora");
			const { status, body } = await patch(dora.id, { username: "DORA" });
			assert.deepEqual([status, body.data.username], [200, "DORA"]);
		});

		it("treats a new address as unverified by default", async () => {
			const ed = await addPerson(service, "ed-w", { email_verified: true });
			const moved = (await patch(ed.id, { email: "Ed2@example.org" })).body.data;
			assert.deepEqual([moved.email, moved.email_verified], ["ed2@example.org", false]);
			const [mail] = await service.mailsTo(ed.email);
			assert.equal(mail?.subject, "Your email address was changed");
			assert.doesNotMatch(mail?.text ?? "", /restore-email|ed2/);
			const changed = (await patch(ed.id, { email: "ed3@example.org", email_verified: true })).body.data;
			assert.deepEqual([changed.email, changed.email_verified], ["ed3@example.org", true]);
			const later = (await patch(ed.id, { email_verified: false })).body.data;
			assert.equal(later.email_verified, false);
		});

		it("disables a user, which ends all sessions and rejects sign-ins, and enables them again", async () => {
			const fay = await addPerson(service, "fay");
			const second = await signInAgain(service, fay);
			assert.equal((await patch(fay.id, { status: "disabled" })).body.data.status, "disabled");
			assert.equal(await isAlive(service, fay.token), false);
			assert.equal(await signInStatus("fay", fay.password), 403);
			assert.equal((await patch(fay.id, { status: "active" })).body.data.status, "active");
			for (const token of [fay.token, second]) assert.equal(await isAlive(service, token), false);
			assert.equal(await signInStatus("fay", fay.password), 200);
		});

		it("sets a password, ends all sessions, and notifies the owner at the previous address", async () => {
			const gil = await addPerson(service, "gil");
			const password = "set by the admin";
			const { status, body } = await patch(gil.id, { password, email: "gil2@example.org" });
			assert.equal(status, 200);
			assert.ok(!JSON.stringify(body).includes(password));
			assert.equal(await isAlive(service, gil.token), false);
			assert.equal(await signInStatus("gil", gil.password), 401);
			assert.equal(await signInStatus("gil", password), 200);
			const subjects = (await service.mailsTo(gil.email, 2)).map(({ subject }) => subject);
			assert.deepEqual(subjects.sort(), ["Your email address was changed", "Your password was changed"]);
			assert.deepEqual((await updates(gil.id))[0]?.details, { fields: ["email", "password"] });
		});

		it("ends the lock after too many wrong passwords with a new password", async () => {
			const ian = await addPerson(service, "ian");
			await lockPassword(service, ian);
			assert.equal(await signInStatus("ian", ian.password), 401);
			for (let guess = 0; guess < 6; guess++) await signInStatus(ian.email, `guess ${guess}`);
			assert.equal(await signInStatus(ian.email, ian.password), 429);
			await patch(ian.id, { password: "a fresh one from the admin" });
			assert.equal(await signInStatus("ian", "a fresh one from the admin"), 200);
			assert.equal(await signInStatus(ian.email, "a fresh one from the admin"), 200);
		});

		it("applies new roles to the next request", async () => {
			const hal = await addPerson(service, "hal");
			const list = async () => (await service.call("GET", PATH, { token: hal.token })).status;
			assert.equal(await list(), 403);
			await patch(hal.id, { roles: ["auditor"] });
			assert.equal(await list(), 200);
			await patch(hal.id, { roles: [] });
			assert.equal(await list(), 403);
		});

		it("lets a platform admin grant and revoke that role", async () => {
			const kim = await addPerson(service, "kim");
			assert.deepEqual((await patch(kim.id, { roles: ["platform_admin"] })).body.data.roles, [
				"platform_admin",
			]);
			assert.deepEqual((await patch(kim.id, { roles: [] })).body.data.roles, []);
		});

		it("removes the sign-in methods of a user who becomes a platform admin", async () => {
			const person = await addPersonWithPasskey(service, "promoted");
			const link = `${PATH}/${person.id}/third-party-accounts` as const;
			const body = { provider: "wechat", provider_user_id: "of-the-tenant-admin" };
			const linked = await service.call("POST", link, { token: plainAdmin.token, body });
			assert.equal(linked.status, 201);
			const assertion = person.authenticator.get(await passkeyOptions(service));
			assert.equal((await patch(person.id, { roles: ["platform_admin"] })).status, 200);

			assert.equal(await isAlive(service, person.token), false);
			const signIn = await service.call("POST", PASSKEY_SIGN_IN, { body: { assertion } });
			assert.equal(signIn.status, 401);
			const { username, password } = person;
			const login = await service.call("POST", "/api/v1/auth/login", { body: { username, password } });
			assert.equal(login.status, 401);
			const left = await service.callAsAdmin("GET", link);
			assert.equal(left.body.total, 0);
			const { mfa_enabled } = await service.asAdmin("GET", `${PATH}/${person.id}`);
			assert.equal(mfa_enabled, false);
			const events = await auditOf(service, `user:${person.id}`);
			assert.deepEqual(events.findLast(({ action }) => action === "user.updated")?.details, {
				fields: ["roles", "password"],
				roles: ["platform_admin"],
				third_party_accounts_unlinked: 1,
				passkeys_removed: 1,
				totp_removed: false,
			});
			const subjects = (await service.mailsTo(person.email, 3)).map(({ subject }) => subject);
			assert.ok(subjects.includes("You are now a platform administrator"), subjects.join());
		});

		it("keeps the sign-in methods of a platform admin who stays one, and a password set with the role", async () => {
			const person = await addPerson(service, "elevated");
			const password = "given along with the role";
			assert.equal((await patch(person.id, { roles: ["platform_admin"], password })).status, 200);
			const token = await service.tokenOf("elevated", password);
			assert.equal((await patch(person.id, { roles: ["platform_admin", "auditor"] })).status, 200);
			assert.equal(await isAlive(service, token), true);
		});

		it("keeps no third-party account that is linked during the promotion", async () => {
			for (let round = 0; round < atDepth({ quick: 1, all: 5, long: 25 }); round++) {
				const person = await addPerson(service, `raced-${round}`);
				const link = `${PATH}/${person.id}/third-party-accounts` as const;
				const body = { provider: "wechat", provider_user_id: `raced-${round}` };
				await Promise.all([
					patch(person.id, { roles: ["platform_admin"] }),
					service.call("POST", link, { token: plainAdmin.token, body }),
				]);
				const left = await service.callAsAdmin("GET", link);
				assert.equal(left.body.total, 0, `round ${round}`);
			}
		});
	});

	describe("400", () => {
		const refused: readonly [string, unknown][] = [
			["password", { password: "short" }],
			["password", { password: "x".repeat(73) }],
			["password", { password: "ABE@people.example" }],
			["password", { username: "abe-the-countess", password: "Abe-The-Countess" }],
		];
		for (const [field, body] of refused) {
			it(`rejects ${JSON.stringify(body).slice(0, 60)} and names ${field}`, async () => {
				const response = await patch(abe.id, body);
				assert.equal(response.status, 400);
				assert.deepEqual(
					response.body.errors.map((error: { field: string }) => error.field),
					[field],
				);
			});
		}
	});

	describe("403", () => {
		it("keeps a plain admin from promoting, demoting or changing a platform admin", async () => {
			for (const [id, body] of [
				[abe.id, { roles: ["platform_admin"] }],
				[plainAdmin.id, { roles: ["admin", "platform_admin"] }],
				[first.id, { roles: ["admin"] }],
				[first.id, { status: "disabled" }],
				[first.id, { password: "mine now, all of it" }],
				[first.id, { email: "taken-over@example.org" }],
				[first.id, { username: "renamed" }],
			] as const) {
				const response = await patch(id, body, plainAdmin.token);
				assert.deepEqual([response.status, response.body.code], [403, "role.required"], JSON.stringify(body));
			}
			assert.equal(await isAlive(service, await service.adminToken()), true);
		});
	});

	describe("409", () => {
		it("rejects a taken username in any case, and a taken address", async () => {
			const lou = await addPerson(service, "lou");
			const byName = await patch(lou.id, { username: "ABE" });
			assert.deepEqual([byName.status, byName.body.code], [409, "username.taken"]);
			const byEmail = await patch(lou.id, { email: "ABE@people.example", display_name: "x" });
			assert.deepEqual([byEmail.status, byEmail.body.code], [409, "email.taken"]);
			const { body } = await service.call("GET", `${PATH}/me`, { token: lou.token });
			assert.equal(body.data.display_name, "");
		});

		describe("the last active admin of a tenant", () => {
			const other = fixture(() => addSecondTenant(service));

			const lastAdmin = async (body: unknown) => {
				const response = await patch(other.adminId, body, other.adminToken);
				assert.deepEqual(
					[response.status, response.body.code],
					[409, "user.last_admin"],
					JSON.stringify(body),
				);
			};

			it("cannot be demoted or disabled, with any other field in the patch", async () => {
				await lastAdmin({ roles: [] });
				await lastAdmin({ roles: ["auditor", "reviewer"] });
				await lastAdmin({ status: "disabled" });
				await lastAdmin({ status: "disabled", roles: [], display_name: "x" });
				assert.equal(await isAlive(service, other.adminToken), true);
			});

			it("is the last one beside disabled admins, other roles and other tenants' admins", async () => {
				const body = { username: "asleep", email: "asleep@second.example", password: "sleeping beauty" };
				const token = other.adminToken;
				for (const more of [
					{ roles: ["admin"], status: "disabled" },
					{ username: "rev", email: "rev@second.example", roles: ["reviewer", "auditor"] },
				])
					assert.equal((await service.call("POST", PATH, { token, body: { ...body, ...more } })).status, 201);
				await lastAdmin({ roles: [] });
				await lastAdmin({ status: "disabled" });
			});

			it("can change everything else", async () => {
				const response = await patch(
					other.adminId,
					{ display_name: "The one", roles: ["admin", "auditor"] },
					other.adminToken,
				);
				assert.deepEqual([response.status, response.body.data.roles], [200, ["admin", "auditor"]]);
			});

			it("keeps one of the last two when both are demoted at once", async () => {
				// Leaves the first admin only the role platform_admin, which does not count.
				const second = await addPerson(service, "second-admin", { roles: ["admin"] });
				assert.equal((await patch(first.id, { roles: ["platform_admin"] })).status, 200);
				for (let round = 0; round < atDepth({ quick: 2, all: 6, long: 36 }); round++) {
					const responses = await Promise.all([
						patch(plainAdmin.id, round % 2 === 0 ? { roles: [] } : { status: "disabled" }),
						patch(second.id, round % 3 === 0 ? { roles: ["auditor"] } : { status: "disabled" }),
					]);
					const statuses = responses.map(({ status }) => status);
					assert.deepEqual(statuses.toSorted(), [200, 409]);
					const loser = responses.find(({ status }) => status === 200)?.body.data.id;
					assert.ok(loser);
					await patch(loser, { roles: ["admin"], status: "active" });
				}
			});
		});
	});
});

describe("DELETE /api/v1/users/{id}", () => {
	const ann = fixture(() => addPerson(service, "ann"));

	const remove = async (id: string, token?: string): Promise<CallResponse> =>
		service.call("DELETE", `${PATH}/${id}`, { token: token ?? (await service.adminToken()) });

	describe("204", () => {
		it("removes the account, ends its sessions, rejects its sign-ins, and frees the name", async () => {
			const amy = await addPerson(service, "amy");
			const response = await remove(amy.id);
			assert.deepEqual([response.status, response.body], [204, undefined]);
			assert.equal(await isAlive(service, amy.token), false);
			const body = { username: "amy", password: amy.password };
			assert.equal((await service.call("POST", "/api/v1/auth/login", { body })).status, 401);
			const again = await addPerson(service, "amy");
			assert.notEqual(again.id, amy.id);
			assert.equal(await isAlive(service, amy.token), false);
			const events = await auditOf(service, `user:${amy.id}`);
			assert.equal(events.at(-1)?.action, "user.deleted");
			// The name was deleted with the user: test/wire/audit-erasure.test.ts.
			assert.deepEqual(events.at(-1)?.details, {});
		});

		it("frees the user's third-party accounts", async () => {
			const body = { provider: "wechat", provider_user_id: "o-1" };
			const carl = await addPerson(service, "carl");
			const link = (id: string) =>
				service.callAsAdmin("POST", `${PATH}/${id}/third-party-accounts`, { body });
			assert.equal((await link(carl.id)).status, 201);
			assert.equal((await link(ann.id)).status, 409);
			await remove(carl.id);
			assert.equal((await link(ann.id)).status, 201);
		});

		it("lets an admin remove themself while another admin is left", async () => {
			const dan = await addPerson(service, "dan", { roles: ["admin"] });
			assert.equal((await remove(dan.id, dan.token)).status, 204);
		});

		it("removes once on concurrent requests", async () => {
			const eve = await addPerson(service, "eve");
			const responses = await Promise.all(Array.from({ length: 10 }, () => remove(eve.id)));
			assert.deepEqual(responses.map(({ status }) => status).toSorted(), [
				204,
				...Array.from({ length: 9 }, () => 404),
			]);
		});
	});

	describe("409", () => {
		it("keeps the last active admin of a tenant", async () => {
			const other = await addSecondTenant(service);
			const response = await remove(other.adminId, other.adminToken);
			assert.equal(response.status, 409);
			assert.equal(await isAlive(service, other.adminToken), true);
		});

		it("keeps one of the last two when both are removed at once", async () => {
			// Leaves the other admins only the role platform_admin, which does not count.
			const admins = [
				await addPerson(service, "one", { roles: ["admin"] }),
				await addPerson(service, "two", { roles: ["admin"] }),
			];
			const { body } = await service.callAsAdmin("GET", `${PATH}?role=admin&status=active`);
			for (const { id } of body.data)
				if (admins.every((admin) => admin.id !== id))
					await service.asAdmin("PATCH", `${PATH}/${id}`, { roles: ["platform_admin"] });
			const responses = await Promise.all(admins.map(({ id }) => remove(id)));
			assert.deepEqual(responses.map(({ status }) => status).toSorted(), [204, 409]);
		});
	});
});
