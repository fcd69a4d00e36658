import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mailIn } from "../../harness/mail/mails.ts";
import { addPerson, auditOf } from "../../harness/people/people.ts";
import { claimsOf } from "../../harness/people/second-factors.ts";
import {
	addSupporter,
	createSupport,
	openSupport,
	REASON,
	SUPPORT,
	supportFor,
} from "../../harness/people/support.ts";
import { fixture, testService } from "../../harness/runs/fixture.ts";

const service = testService();
let count = 0;
const person = () => addPerson(service, `supported-${++count}`);
const supporter = fixture(() => addSupporter(service, "sam"));
const list = (token: string) => service.call("GET", SUPPORT, { token });
const end = (token: string, id: string) => service.call("DELETE", `${SUPPORT}/${id}`, { token });

describe("POST /api/v1/users/{id}/support-sessions", () => {
	describe("201", () => {
		it("returns a URL that opens nothing by itself, and records who, for whom, and why", async () => {
			const ada = await person();
			const { id, url, expiresAt } = await createSupport(service, supporter, ada.id, { ticket: "T-1" });
			assert.match(url, /^https:\/\/localhost:8443\/support#lss_[\w-]{43}$/);
			assert.ok(Math.abs(Date.parse(expiresAt) - service.clock.now() - 30 * 60_000) < 10_000);
			const { body } = await list(ada.token);
			const [shown] = body.data;
			assert.deepEqual(
				[shown?.id, shown?.supporter_name, shown?.username, shown?.reason, shown?.ticket, shown?.opened_at],
				[id, "sam", ada.username, REASON, "T-1", null],
			);
			const audit = (await auditOf(service, `user:${ada.id}`)).filter(
				({ action }) => action === "support_session.created",
			);
			assert.equal(audit[0]?.actor, `user:${supporter.id}`);
			assert.equal(audit[0]?.details.on_behalf_of, `user:${ada.id}`);
			assert.equal(audit[0]?.details.reason, REASON);
			await end(supporter.session, id);
		});
	});
	describe("409", () => {
		it("refuses a fourth open session, also of concurrent ones", async () => {
			const ada = await person();
			const busy = await addSupporter(service, "busy");
			const path = `/api/v1/users/${ada.id}/support-sessions`;
			const body = { reason: REASON, minutes: 5 };
			const asked = [1, 2, 3, 4].map(() => service.call("POST", path, { token: busy.session, body }));
			const statuses = (await Promise.all(asked)).map(({ status }) => status).sort();
			assert.deepEqual(statuses, [201, 201, 201, 409]);
			service.clock.advance(5 * 60_000);
			await createSupport(service, busy, ada.id);
		});
	});
});

describe("POST /api/v1/support-sessions/open", () => {
	describe("200", () => {
		it("works once, reads as the person with an actor, and mails the person", async () => {
			const ada = await person();
			const sam = await addSupporter(service, "sam-opens");
			const { token, id } = await createSupport(service, sam, ada.id);
			const both = await Promise.all([1, 2].map(() => openSupport(service, sam.session, token)));
			assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
			const opened = both.find(({ status }) => status === 200)?.body.data;
			assert.ok(opened);
			assert.deepEqual(
				[opened.user.id, opened.supporter_name, opened.application],
				[ada.id, "sam-opens", null],
			);
			assert.equal("refresh_token" in opened, false);
			const claims = claimsOf(opened.access_token);
			assert.deepEqual(claims.act, { sub: `user:${sam.id}` });
			assert.ok((claims.amr as string[]).includes("support"));
			assert.equal(claims.sub, ada.id);
			const me = await service.call("GET", "/api/v1/users/me", { token: opened.access_token });
			assert.equal(me.body.data.id, ada.id);
			service.clock.advance(29 * 60_000);
			assert.equal(
				(await service.call("GET", "/api/v1/users/me", { token: opened.access_token })).status,
				200,
			);
			service.clock.advance(60_000);
			assert.equal(
				(await service.call("GET", "/api/v1/users/me", { token: opened.access_token })).status,
				401,
			);
			await mailIn(
				service,
				"sent",
				ada.email,
				({ subject }) => subject === "A supporter is reading your account",
			);
			const events = await auditOf(service, `user:${ada.id}`);
			assert.ok(
				events.some(({ actor, action }) => `${actor} ${action}` === `user:${sam.id} support_session.opened`),
			);
			const again = await service.tokenOf(ada.username, ada.password);
			assert.equal((await list(again)).body.data[0]?.id, id);
		});
	});
});

describe("GET /api/v1/support-sessions", () => {
	describe("200", () => {
		it("shows people only those about themselves, and auditors all", async () => {
			const [ada, bob] = [await person(), await person()];
			const auditor = await addPerson(service, "auditing", { roles: ["auditor"] });
			const sam = await addSupporter(service, "sam-lists");
			const { id } = await createSupport(service, sam, ada.id);
			const shown = async (token: string) => (await list(token)).body.data.map((each) => each.id);
			assert.deepEqual(await shown(ada.token), [id]);
			assert.deepEqual(await shown(bob.token), []);
			assert.ok((await shown(auditor.token)).includes(id));
		});
	});
});

describe("DELETE /api/v1/support-sessions/{id}", () => {
	describe("204", () => {
		it("ends it for its supporter, the person, and administrators, and for no other user", async () => {
			const [ada, bob] = [await person(), await person()];
			const sam = await addSupporter(service, "sam-ends");
			const admin = await service.adminToken();
			for (const by of [sam.session, ada.token, admin]) {
				const { id, access_token: token } = await supportFor(service, sam, ada.id);
				assert.equal((await end(bob.token, id)).status, 404);
				const ended = await Promise.all([1, 2].map(() => end(by, id)));
				assert.deepEqual(ended.map(({ status }) => status).sort(), [204, 404]);
				assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 401);
			}
			const shown = await list(ada.token);
			assert.ok(shown.body.data.every(({ ended_at }) => ended_at !== null));
		});
	});
	describe("404", () => {
		it("is returned for a session that is over, also to one of two administrators at once", async () => {
			const ada = await person();
			const sam = await addSupporter(service, "sam-is-over");
			const other = await addPerson(service, "admin-two", { roles: ["admin"] });
			const { id } = await createSupport(service, sam, ada.id);
			const both = await Promise.all(
				[other.token, await service.adminToken()].map((token) => end(token, id)),
			);
			assert.deepEqual(both.map(({ status }) => status).sort(), [204, 404]);
			const events = await auditOf(service, `user:${ada.id}`);
			assert.equal(events.filter(({ action }) => action === "support_session.ended").length, 1);
			const endedAt = async () => (await list(ada.token)).body.data.map(({ ended_at }) => ended_at);
			const before = await endedAt();
			service.clock.advance(1_000);
			assert.equal((await end(other.token, id)).status, 404);
			assert.deepEqual(await endedAt(), before);
			const { id: expiring } = await createSupport(service, sam, ada.id, { minutes: 5 });
			service.clock.advance(5 * 60_000);
			assert.equal((await end(other.token, expiring)).status, 404);
			assert.deepEqual(await endedAt(), [null, ...before]);
		});
	});
});
