// Single use holds across all nodes, and each node accepts what another issued; on PostgreSQL with two nodes.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import * as client from "openid-client";
import { MINUTE_MS } from "../../src/kernel/clock.ts";
import { rotateSigningKey } from "../../src/ops/keys/rotate-signing-key.ts";
import {
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	ISSUER,
	idOf,
	obtainTokens,
	proceed,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { type OpenIdNodes, startOpenIdNodes } from "../harness/processes/openid-nodes.ts";
import { openBeside } from "../harness/service/beside-service.ts";
import type { TestService } from "../harness/service/service.ts";

const REFUSED = { error: "invalid_grant" };

describe("nodes of an OpenID provider", () => {
	let installation: OpenIdNodes;
	let one: TestService;
	let other: TestService;
	let ada: Person;
	let shop: ConnectedClient;
	let atOne: client.Configuration;
	let atOther: client.Configuration;
	before(async () => {
		installation = await startOpenIdNodes();
		one = installation.nodes[0] as TestService;
		other = installation.nodes.at(-1) as TestService;
		ada = await addPerson(one, "ada");
		shop = await connect(one, { firstParty: true });
		[atOne, atOther] = [await relyingParty(one, shop), await relyingParty(other, shop)];
	});
	after(() => installation.remove());

	async function signedInAtOne() {
		return await signedInBrowser(one, ada);
	}
	/** Sends all requests concurrently, half of them to each node. */
	const onBoth = <T>(count: number, send: (party: client.Configuration) => Promise<T>) =>
		Promise.allSettled(Array.from({ length: count }, (_, index) => send(index % 2 === 0 ? atOne : atOther)));

	it("accept each other's codes, tokens, and sign-outs", async () => {
		const { browser, token } = await signedInAtOne();
		const asked = await startAuthorization(atOne);
		const tokens = await exchange(atOther, await completeAuthorization(browser, asked.url, token), asked);
		assert.equal((await client.fetchUserInfo(atOne, tokens.access_token, ada.id)).sub, ada.id);
		const second = await client.refreshTokenGrant(atOne, tokens.refresh_token ?? "");
		const third = await client.refreshTokenGrant(atOther, second.refresh_token ?? "");
		assert.equal((await client.tokenIntrospection(atOne, third.access_token)).active, true);
		const signedOut = await other.call("POST", "/api/v1/auth/logout", { token });
		assert.equal(signedOut.status, 204);
		for (const party of [atOne, atOther]) {
			await assert.rejects(client.fetchUserInfo(party, third.access_token, ada.id));
			await assert.rejects(client.refreshTokenGrant(party, third.refresh_token ?? ""), REFUSED);
		}
	});

	it("complete a sign-in that started at the other", async () => {
		const begun = new TestBrowser(one);
		const asked = await startAuthorization(atOne);
		const id = idOf((await begun.go(asked.url.href)).headers.location);
		const { browser: elsewhere, token } = await signedInBrowser(other, ada);
		const response = await proceed(elsewhere, id, token);
		begun.setCookie("__Host-latchkey", elsewhere.cookie("__Host-latchkey") ?? "");
		const back = new URL((await begun.go(response.body.data.redirect_to)).headers.location ?? "");
		assert.equal((await exchange(atOther, back, asked)).claims()?.sub, ada.id);
	});

	it("let one of twenty concurrent requests redeem a code", async () => {
		const { browser, token } = await signedInAtOne();
		const asked = await startAuthorization(atOne);
		const returned = await completeAuthorization(browser, asked.url, token);
		const all = await onBoth(20, (party) => exchange(party, returned, asked));
		const won = all.filter((each) => each.status === "fulfilled");
		for (const each of all) if (each.status === "rejected") assert.equal(each.reason.error, "invalid_grant");
		assert.equal(won.length, 1);
		await client.fetchUserInfo(atOther, won[0]?.value.access_token ?? "", ada.id);
	});

	it("return the same successor to twenty concurrent refreshes", async () => {
		const { browser, token } = await signedInAtOne();
		const { refresh_token: first = "" } = await obtainTokens(atOne, browser, token);
		const all = await onBoth(20, (party) => client.refreshTokenGrant(party, first));
		const successors = all.map((each) => {
			assert.equal(each.status, "fulfilled", String(each.status === "rejected" && each.reason));
			return each.status === "fulfilled" ? each.value.refresh_token : undefined;
		});
		assert.equal(new Set(successors).size, 1);
		assert.notEqual(successors[0], first);
		const next = await client.refreshTokenGrant(atOther, successors[0] ?? "");
		assert.equal(next.claims()?.sub, ada.id);
		await assert.rejects(client.refreshTokenGrant(atOne, first), REFUSED);
	});

	it("rotate the keys of ID tokens together: old tokens verify, new ones have the new key", async () => {
		const { browser, token } = await signedInAtOne();
		const before = await obtainTokens(atOne, browser, token);
		await using beside = await openBeside(one);
		const { kid } = await rotateSigningKey(beside, { atOnce: false });
		const kidOf = ({ id_token = "" }) => decodeProtectedHeader(id_token).kid;
		assert.notEqual(kidOf(before), kid);
		// The key is published but does not sign yet. Nodes reload keys that they read too long ago before they sign.
		installation.advance(MINUTE_MS);
		for (const [node, party] of [
			[one, atOne],
			[other, atOther],
		] as const) {
			assert.equal(kidOf(await obtainTokens(party, browser, token)), kidOf(before));
			const set = await node.call<JSONWebKeySet>("GET", "/.well-known/jwks.json", { https: true });
			const kids = set.body.keys.map((key) => key.kid);
			for (const expected of [kid, kidOf(before)]) assert.ok(kids.includes(expected));
		}
		installation.advance(14 * MINUTE_MS);
		const again = await signedInAtOne();
		for (const [node, party] of [
			[one, atOne],
			[other, atOther],
		] as const) {
			const after = await obtainTokens(party, again.browser, again.token);
			assert.equal(kidOf(after), kid);
			const set = await node.call<JSONWebKeySet>("GET", "/.well-known/jwks.json", { https: true });
			for (const { id_token = "" } of [before, after])
				await jwtVerify(id_token, createLocalJWKSet(set.body), {
					algorithms: ["ES256"],
					issuer: ISSUER,
					audience: shop.id,
				});
		}
	});
});
