import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { userTarget } from "../../../src/domain/audit.ts";
import { userCaller } from "../../../src/domain/caller.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/kernel/clock.ts";
import { SYSTEM_ORIGIN } from "../../../src/kernel/origin.ts";
import { addApplication, addRole, putGrant } from "../../harness/access/applications.ts";
import { listMails } from "../../harness/mail/mails.ts";
import { addPerson, auditOf, type Person, signInAgain } from "../../harness/people/people.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";
import { openBeside } from "../../harness/service/beside-service.ts";

const MINE = "/api/v1/users/me/export";

const service = testService();
const pathOf = (id: string) => `/api/v1/users/${id}/export` as const;
const exportMine = (token: string) => service.call("GET", MINE, { token });
const exportOf = async (id: string, token?: string) =>
	service.call("GET", pathOf(id), { token: token ?? (await service.adminToken()) });
const exportsOf = async ({ id }: Person) =>
	(await auditOf(service, `user:${id}`)).filter(({ action }) => action === "user.data_exported");

describe("GET /api/v1/users/me/export", () => {
	describe("200", () => {
		it("returns the caller's data as a file that no cache stores, audits it, and mails the owner", async () => {
			const ada = await addPerson(service, "ada");
			const { id: appId } = await addApplication(service);
			await addRole(service, appId, "reader");
			await putGrant(service, appId, ada.id, ["reader"]);
			const { status, headers, body } = await exportMine(ada.token);
			assert.equal(status, 200);
			assert.deepEqual(
				["content-type", "content-disposition", "cache-control"].map((name) => headers[name]),
				["application/json; charset=utf-8", 'attachment; filename="personal-data.json"', "no-store"],
			);
			const { data } = body;
			assert.deepEqual([data.user.id, data.user.email, data.usernames], [ada.id, ada.email, ["ada"]]);
			assert.deepEqual(
				data.sessions.map(({ current }) => current),
				[true],
			);
			assert.equal(data.devices.length, 1);
			assert.deepEqual(
				data.grants.map(({ app_id, roles }) => [app_id, roles]),
				[[appId, ["reader"]]],
			);
			assert.equal(data.second_factors.has_password, true);
			const actions = data.events.map(({ action, actor }) => [action, actor]);
			assert.deepEqual(actions[0], ["user.created", "user"]);
			assert.deepEqual(actions.at(-1), ["user.data_exported", `user:${ada.id}`]);
			assert.equal((await exportsOf(ada)).length, 1);
			const [mail] = await service.mailsTo(ada.email);
			assert.equal(mail?.subject, "Your data was exported");
		});

		it("shows what others did to the user without who they are", async () => {
			const bea = await addPerson(service, "bea");
			const cat = await addPerson(service, "cat", { roles: ["admin"] });
			const body = { display_name: "Bea" };
			await service.call("PATCH", `/api/v1/users/${bea.id}`, { token: cat.token, body });
			const text = JSON.stringify((await exportMine(bea.token)).body);
			assert.match(text, /"to":"Bea"/);
			assert.doesNotMatch(text, new RegExp(`${cat.id}|cat@people|"cat"`));
			const own = (await exportMine(cat.token)).body.data.events.filter(({ target }) => target === "user");
			assert.deepEqual(
				own.map(({ action, details, changes }) => [action, details, changes]),
				[["user.updated", {}, {}]],
			);
		});
	});

	describe("401", () => {
		it("returns session.too_old five minutes after the sign-in, even to a refreshed session", async () => {
			const dan = await addPerson(service, "dan");
			service.clock.advance(5 * MINUTE_MS + 1);
			const { status, body } = await service.call<{ code: string }>("GET", MINE, {
				token: dan.token,
				headers: { accept: "application/problem+json" },
			});
			assert.deepEqual([status, body.code], [401, "session.too_old"]);
			assert.deepEqual(await exportsOf(dan), []);
			assert.equal((await exportMine(await signInAgain(service, dan))).status, 200);
		});
	});

	describe("429", () => {
		it("refuses the fourth export within 24 hours, also of several at once", async () => {
			const fay = await addPerson(service, "fay");
			const responses = await Promise.all(Array.from({ length: 5 }, () => exportMine(fay.token)));
			assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, 200, 200, 429, 429]);
			assert.equal((await exportsOf(fay)).length, 3);
			const refused = responses.find(({ status }) => status === 429);
			assert.equal(refused?.headers["ratelimit-limit"], "3");
			assert.equal(Number(refused?.headers["retry-after"]) > 86_000, true);
			service.clock.advance(24 * HOUR_MS);
			assert.equal((await exportMine(await signInAgain(service, fay))).status, 200);
		});
	});
});

describe("GET /api/v1/users/{id}/export", () => {
	const gus = fixture(() => addPerson(service, "gus"));

	describe("200", () => {
		it("returns the data of a user to an administrator, audits it, and mails nothing", async () => {
			const { status, body } = await exportOf(gus.id);
			assert.deepEqual([status, body.data.user.username, body.data.sessions.length], [200, "gus", 1]);
			assert.equal((await exportsOf(gus)).length, 1);
			assert.deepEqual(await listMails(service, `to=${gus.email}`), []);
		});

		it("is not limited to three a day, nor to a recent sign-in", async () => {
			for (let count = 0; count < 4; count++) assert.equal((await exportOf(gus.id)).status, 200);
		});

		it("reads a trail of several parts to its end", async () => {
			const hal = await addPerson(service, "hal");
			await using beside = await openBeside(service);
			const { tenant_id: tenantId } = (await exportOf(hal.id)).body.data.user;
			const caller = userCaller({ id: hal.id, tenantId, username: "hal" }, SYSTEM_ORIGIN);
			await beside.db.transaction(async ({ audit }) => {
				for (let count = 0; count < 1_100; count++)
					await audit.append(caller, "user.signed_in", userTarget(hal));
			});
			const { body } = await exportOf(hal.id);
			assert.ok(body.data.events.length > 1_100);
			assert.equal(new Set(body.data.events.map(({ id }) => id)).size, body.data.events.length);
		});
	});
});
