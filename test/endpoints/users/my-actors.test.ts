import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { decodeJwt } from "jose";
import { newId } from "../../../src/kernel/id.ts";
import { ABSENT_ID } from "../../harness/access/applications.ts";
import { addActingClients, ORDERS } from "../../harness/openid/acting-clients.ts";
import { startOpenIdService } from "../../harness/openid/openid.ts";
import { addPerson, auditOf } from "../../harness/people/people.ts";
import { fixture } from "../../harness/runs/fixture.ts";
import { openBeside } from "../../harness/service/beside-service.ts";
import { eventually } from "../../harness/webhooks/webhooks.ts";

const ACTORS = "/api/v1/users/me/actors";

const service = fixture(() => startOpenIdService());
after(() => service.stop());
const cast = fixture(() => addActingClients(service));

const list = (token: string) => service.call("GET", ACTORS, { token });
const end = (token: string, id: string | undefined) => service.call("DELETE", `${ACTORS}/${id}`, { token });

describe("GET /api/v1/users/me/actors", () => {
	describe("200", () => {
		it("returns who acts for the caller, where, and when it did so last", async () => {
			const { session, exchange } = cast;
			await exchange();
			service.clock.advance(5_000);
			await exchange();
			const { body } = await eventually(
				() => list(session),
				({ body: { data } }) => data.some(({ created_at, last_used_at }) => created_at !== last_used_at),
			);
			const names = body.data.map(({ actor_name, api_name, front_name }) => [
				actor_name,
				api_name,
				front_name,
			]);
			assert.deepEqual(names, [["Orders", "Billing", "Shop"]]);
			const { body: others } = await list((await addPerson(service, "bob")).token);
			assert.deepEqual(others.data, []);
		});
	});
});

describe("DELETE /api/v1/users/me/actors/{id}", () => {
	describe("204", () => {
		it("ends the sign-in that the client relies on, and no other", async () => {
			const { session, exchange, tokenFor, ada, orders, shop } = cast;
			await exchange();
			service.clock.advance(5_000);
			const later = { subject_token: await tokenFor(ORDERS) };
			assert.equal((await exchange(later)).status, 200);
			const { body } = await eventually(
				() => list(session),
				({ body }) => body.data.length === 2,
			);
			const [latest] = body.data;
			const answers = await Promise.all([1, 2].map(() => end(session, latest?.id)));
			assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404]);
			assert.equal((await exchange(later)).body.error, "invalid_grant");
			assert.equal((await exchange()).status, 200, "another sign-in continues");
			const event = (await auditOf(service, `user:${ada.id}`)).at(-1);
			assert.deepEqual(
				[event?.action, event?.details.app_id, event?.details.api_name, event?.details.client_id],
				["oauth.acting_ended", orders.id, "Billing", shop.id],
			);
		});
	});

	describe("404", () => {
		it("does not find those of another user", async () => {
			const { exchange, session } = cast;
			await exchange();
			const { body } = await eventually(
				() => list(session),
				({ body }) => body.data.length > 0,
			);
			const eve = await addPerson(service, "eve");
			assert.equal((await end(eve.token, body.data[0]?.id)).status, 404);
		});
	});
});

describe("the buffer of actors", () => {
	it("is written although an application was deleted in the meantime", async () => {
		const { subject, ada, shop, billing, session } = cast;
		const { grant_id, tenant_id } = decodeJwt(subject);
		const noted = { userId: ada.id, tenantId: String(tenant_id), grantId: String(grant_id), createdAtMs: 1 };
		const actor = { ...noted, actorId: shop.id, apiId: billing.id, lastUsedAtMs: 1 };
		const rows = [
			{ ...actor, id: newId(1), apiId: ABSENT_ID },
			{ ...actor, id: newId(1), actorId: ABSENT_ID },
		];
		await using beside = await openBeside(service);
		await beside.db.transaction(({ oauthActors }) => oauthActors.note([...rows, { ...actor, id: newId(1) }]));
		const { body } = await list(session);
		assert.equal(body.data.filter(({ actor_name }) => actor_name === "Shop").length, 1);
	});
});
