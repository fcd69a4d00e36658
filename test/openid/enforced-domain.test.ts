// A sign-in that was under way while its domain was bound to an issuer: no token of it is of use.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as client from "openid-client";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { newId } from "../../src/kernel/id.ts";
import { APPLICATIONS } from "../harness/access/applications.ts";
import { addActingClients, BILLING } from "../harness/openid/acting-clients.ts";
import {
	completeAuthorization,
	exchange,
	openIdService,
	relyingParty,
	startAuthorization,
} from "../harness/openid/openid.ts";
import { addSupporter, supportFor } from "../harness/people/support.ts";
import { addProvider } from "../harness/providers/identity-providers.ts";
import { type BesideService, openBeside } from "../harness/service/beside-service.ts";

const DOMAIN = "bound.example";

describe("a sign-in that its domain does not permit", () => {
	const service = openIdService();
	let beside: BesideService;
	let cast: Awaited<ReturnType<typeof addActingClients>>;
	let asShop: client.Configuration;
	let asOrders: client.Configuration;
	let tenantId: string;
	before(async () => {
		beside = await openBeside(service);
		cast = await addActingClients(service);
		asShop = await relyingParty(service, cast.shop);
		asOrders = await relyingParty(service, cast.orders);
		await service.asAdmin("PATCH", `/api/v1/users/${cast.ada.id}`, { email: `ada@${DOMAIN}` });
		const { id: issuerId } = await addProvider(service, { provider: "bound", force: true });
		tenantId = (await beside.db.stores.tenants.findBySlug("default"))?.id ?? "";
		const now = service.clock.now();
		// As if the sign-in had begun before the change, and its session after it: the change itself ends every other session.
		const bound = { id: newId(now), tenantId, domain: DOMAIN, issuerId, enforce: false, recordValue: "seen" };
		const times = { verifiedAtMs: now, recordSeenAtMs: now, nextCheckAtMs: now + DAY_MS, noticedAtMs: null };
		await beside.db.transaction(({ domains }) =>
			domains.insert({ ...bound, ...times, createdAtMs: now, updatedAtMs: now }),
		);
	});
	after(() => beside.close());

	async function setEnforced(enforce: boolean): Promise<void> {
		await beside.db.transaction(async ({ domains }) => {
			const { id = "" } = (await domains.find(tenantId, DOMAIN)) ?? {};
			await domains.update(tenantId, id, { enforce }, service.clock.now());
		});
	}

	async function authorize() {
		const asked = await startAuthorization(asShop, { scope: "openid profile" });
		return [await completeAuthorization(cast.browser, asked.url, cast.session), asked] as const;
	}

	it("gets nothing for a code, a token, or a refresh token, and is active nowhere", async () => {
		const [returned, asked] = await authorize();
		const tokens = await exchange(asShop, ...(await authorize()));
		const userInfo = () => client.fetchUserInfo(asShop, tokens.access_token, cast.ada.id);
		const active = async () => (await client.tokenIntrospection(asOrders, cast.subject)).active;
		const exchanged = async () => (await cast.exchange()).status;
		assert.equal((await userInfo()).sub, cast.ada.id);
		assert.deepEqual([await active(), await exchanged()], [true, 200]);
		await setEnforced(true);
		await assert.rejects(userInfo(), ({ status, cause }: client.WWWAuthenticateChallengeError) => {
			assert.deepEqual([status, cause[0]?.parameters.error], [401, "invalid_token"]);
			return true;
		});
		assert.deepEqual([await active(), await exchanged()], [false, 400]);
		assert.equal((await cast.exchange()).body.error, "invalid_grant");
		await assert.rejects(exchange(asShop, returned, asked), { error: "invalid_grant" });
		await setEnforced(false);
		assert.equal((await userInfo()).sub, cast.ada.id);
		assert.deepEqual([await active(), await exchanged()], [true, 200]);
		await setEnforced(true);
		await assert.rejects(client.refreshTokenGrant(asShop, tokens.refresh_token ?? ""), {
			error: "invalid_grant",
		});
		await setEnforced(false);
	});

	it("hinders no supporter, who signed in elsewhere", async () => {
		const supporter = await addSupporter(service, "sam");
		await service.asAdmin("PATCH", `${APPLICATIONS}/${cast.billing.id}`, { support_sessions: true });
		await setEnforced(true);
		const opened = await supportFor(service, supporter, cast.ada.id, { app_id: cast.billing.id });
		const asBilling = await relyingParty(service, cast.billing);
		const said = await client.tokenIntrospection(asBilling, String(opened.application?.access_token));
		assert.deepEqual([said.active, said.aud], [true, BILLING]);
		await setEnforced(false);
	});
});
