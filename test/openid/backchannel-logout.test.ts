import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { decodeProtectedHeader } from "jose";
import type * as client from "openid-client";
import { DAY_MS, SECOND_MS } from "../../src/kernel/clock.ts";
import { rows } from "../harness/access/access-requests.ts";
import { verifyLogoutToken } from "../harness/openid/logout-token.ts";
import {
	type ConnectedClient,
	connect,
	fetchFrom,
	ISSUER,
	obtainTokens,
	relyingParty,
	signedInBrowser,
	startOpenIdService,
} from "../harness/openid/openid.ts";
import { addPerson, isAlive } from "../harness/people/people.ts";
import { openBeside } from "../harness/service/beside-service.ts";
import type { TestService } from "../harness/service/service.ts";
import {
	RECEIVER_NETWORK,
	type ReceivedWebhook,
	startWebhookReceiver,
	type WebhookReceiver,
} from "../harness/webhooks/webhook-receiver.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

describe("back-channel logout", () => {
	let service: TestService;
	let receiver: WebhookReceiver;
	let shop: ConnectedClient;
	let party: client.Configuration;
	let round = 0;
	/** Of this test. */
	let connected: string[] = [];
	before(async () => {
		service = await startOpenIdService({ env: { LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK } });
	});
	beforeEach(async () => {
		await receiver?.close();
		receiver = await startWebhookReceiver();
		connected = [];
		({ shop, party } = await connectTo(`${receiver.url}/logout?tenant=1`));
	});
	after(async () => {
		await receiver.close();
		await service.stop();
	});

	async function connectTo(backchannelLogoutUri: string | null, settings: object = {}) {
		const shop = await connect(service, { firstParty: true, backchannelLogoutUri, ...settings });
		connected.push(shop.id);
		return { shop, party: await relyingParty(service, shop) };
	}
	async function signedIn(parties: readonly [client.Configuration, ...client.Configuration[]] = [party]) {
		const person = await addPerson(service, `person-${++round}`);
		const { browser, token } = await signedInBrowser(service, person);
		const [first, ...others] = parties;
		const tokens = await obtainTokens(first, browser, token);
		for (const each of others) await obtainTokens(each, browser, token);
		const idToken = tokens.id_token ?? "";
		return { person, browser, token, idToken, sid: String(tokens.claims()?.sid) };
	}
	const verified = (received: ReceivedWebhook, { id }: ConnectedClient) =>
		verifyLogoutToken(service, received, id);
	const waiting = async () =>
		(
			await rows<{ last_error: string; next_attempt_at: number; session_id: string; client_id: string }>(
				service,
				"SELECT last_error, next_attempt_at, session_id, client_id FROM logout_notices",
			)
		).filter(({ client_id }) => connected.includes(client_id));
	const allSettled = () => eventually(waiting, (left) => left.length === 0);

	it("is in the discovery document", () => {
		const metadata = party.serverMetadata();
		assert.equal(metadata.backchannel_logout_supported, true);
		assert.equal(metadata.backchannel_logout_session_supported, true);
	});

	const ENDINGS: Readonly<Record<string, (at: Awaited<ReturnType<typeof signedIn>>) => Promise<unknown>>> = {
		"signing out": ({ browser, token }) => browser.post("/api/v1/auth/logout", undefined, token),
		"RP-initiated logout": ({ browser, idToken }) =>
			browser.go(`/oauth/end-session?id_token_hint=${idToken}`),
		"ending the own session": ({ token, sid }) =>
			service.call("DELETE", `/api/v1/users/me/sessions/${sid}`, { token }),
		"ending all others": async ({ person }) => {
			const token = await service.tokenOf(person.username, person.password);
			return await service.call("POST", "/api/v1/users/me/sessions/revoke", { token });
		},
		"an administrator who ends the session": ({ person, sid }) =>
			service.asAdmin("DELETE", `/api/v1/users/${person.id}/sessions/${sid}`),
		"an administrator who ends all": ({ person }) =>
			service.asAdmin("POST", `/api/v1/users/${person.id}/sessions/revoke`),
		"a new password": async ({ person }) => {
			const token = await service.tokenOf(person.username, person.password);
			const body = { current_password: person.password, new_password: "another long password 1" };
			const { status } = await service.call("PUT", "/api/v1/users/me/password", { token, body });
			assert.equal(status, 200);
		},
		"disabling the account": ({ person }) =>
			service.asAdmin("PATCH", `/api/v1/users/${person.id}`, { status: "disabled" }),
		"deleting the account": ({ person }) => service.asAdmin("DELETE", `/api/v1/users/${person.id}`),
		"its owner deleting the account": ({ person, token }) =>
			service.call("DELETE", "/api/v1/users/me", { token, body: { password: person.password } }),
		"a used refresh token of the session": async ({ browser }) => {
			const stolen = browser.cookie("__Host-latchkey") ?? "";
			await browser.post("/api/v1/auth/refresh", undefined);
			service.clock.advance(11 * SECOND_MS);
			browser.setCookie("__Host-latchkey", stolen);
			assert.equal((await browser.post("/api/v1/auth/refresh", undefined)).status, 401);
		},
		"its expiry": async () => {
			service.clock.advance(8 * DAY_MS);
			await using beside = await openBeside(service);
			await beside.db.transaction(({ sessions }) => sessions.purgeExpired(service.clock.now(), 1_000));
		},
	};
	for (const [name, end] of Object.entries(ENDINGS))
		it(`sends one logout token at ${name}`, async () => {
			const session = await signedIn([party, party]);
			await end(session);
			const [received] = await receiver.atLeast(1);
			assert.ok(received);
			assert.equal(received.path, "/logout?tenant=1");
			const payload = await verified(received, shop);
			const { iat = 0, exp = 0, jti, ...claims } = payload;
			assert.deepEqual(claims, {
				iss: ISSUER,
				aud: shop.id,
				sub: session.person.id,
				sid: session.sid,
				events: { [EVENT]: {} },
			});
			assert.equal(exp - iat, 120);
			assert.ok(String(jti).length >= 22);
			await allSettled();
			assert.equal(receiver.received.length, 1);
		});

	it("notifies each client of the session, except without a URL, of another session, or after disconnection", async () => {
		const other = await connectTo(`${receiver.url}/other`);
		const silent = await connectTo(null);
		const gone = await connectTo(`${receiver.url}/gone`);
		const kept = await signedIn();
		const { browser, token, sid } = await signedIn([party, other.party, silent.party, gone.party]);
		await service.asAdmin("DELETE", `/api/v1/applications/${gone.shop.id}/oauth-client`);
		await browser.post("/api/v1/auth/logout", undefined, token);
		const received = await receiver.atLeast(2);
		await allSettled();
		assert.deepEqual(received.map(({ path }) => path).sort(), ["/logout?tenant=1", "/other"]);
		for (const one of received) {
			const { sid: named } = await verified(one, one.path === "/other" ? other.shop : shop);
			assert.equal(named, sid);
			assert.notEqual(named, kept.sid);
		}
	});

	for (const alg of ["RS256", "PS256"] as const)
		it(`signs with ${alg} for a client whose ID tokens use it`, async () => {
			const { shop: rsa } = await connectTo(`${receiver.url}/${alg}`, { idTokenAlg: alg });
			const rsaParty = await relyingParty(service, rsa, undefined, { id_token_signed_response_alg: alg });
			const { browser, token } = await signedIn([rsaParty]);
			await browser.post("/api/v1/auth/logout", undefined, token);
			const [received] = await receiver.atLeast(1);
			assert.ok(received);
			await verified(received, rsa);
			const sent = new URLSearchParams(received.body).get("logout_token") ?? "";
			assert.equal(decodeProtectedHeader(sent).alg, alg);
			await allSettled();
		});

	it("sends no ID token or access token: no endpoint accepts a logout token", async () => {
		const { browser, token } = await signedIn();
		await browser.post("/api/v1/auth/logout", undefined, token);
		const [received] = await receiver.atLeast(1);
		const logoutToken = new URLSearchParams(received?.body).get("logout_token") ?? "";
		const authorization = `Bearer ${logoutToken}`;
		assert.equal(await isAlive(service, logoutToken), false);
		const userinfo = await fetchFrom(service)(`${ISSUER}/oauth/userinfo`, { headers: { authorization } });
		assert.equal(userinfo.status, 401);
		const next = await signedIn();
		await next.browser.go(`/oauth/end-session?id_token_hint=${logoutToken}`);
		assert.equal(await isAlive(service, next.token), true);
	});

	it("retries with a new token, and never resends an accepted notification", async () => {
		receiver.response((response, _received, count) => void response.writeHead(count < 3 ? 400 : 204).end());
		const { browser, token } = await signedIn();
		await browser.post("/api/v1/auth/logout", undefined, token);
		await eventually(waiting, ([notice]) => notice?.last_error === "answered 400");
		service.clock.advance(6 * SECOND_MS);
		await receiver.atLeast(2);
		// After the lease of the attempt: its outcome is recorded.
		await eventually(
			waiting,
			([notice]) => Number(notice?.next_attempt_at) > service.clock.now() + 12 * SECOND_MS,
		);
		service.clock.advance(31 * SECOND_MS);
		const received = await receiver.atLeast(3);
		await allSettled();
		assert.equal(received.length, 3);
		const [, , last] = received;
		assert.ok(last);
		await verified(last, shop);
		const ids = received.map(({ body }) => new URLSearchParams(body).get("logout_token"));
		assert.equal(new Set(ids).size, 3);
	});

	it("abandons after three days, and logs it", async () => {
		receiver.response(500);
		const { browser, token } = await signedIn();
		await browser.post("/api/v1/auth/logout", undefined, token);
		await eventually(waiting, ([notice]) => notice?.last_error === "answered 500");
		service.clock.advance(3 * DAY_MS);
		await allSettled();
		await eventually(
			async () => service.logs().split("\n"),
			(lines) =>
				lines.some((line) => line.includes("could not be notified of a sign-out") && line.includes(shop.id)),
		);
		assert.ok(!service.logs().includes("logout_token"));
	});

	it("does not delay sign-outs or other clients if a relying party never responds", async () => {
		receiver.response((response, { path }) => {
			if (path === "/quick") response.writeHead(204).end();
		});
		const quick = await connectTo(`${receiver.url}/quick`);
		const { browser, token, sid } = await signedIn([party, quick.party]);
		assert.equal((await browser.post("/api/v1/auth/logout", undefined, token)).status, 204);
		// The sign-out returned before any notification was accepted: they wait, or are in flight.
		assert.ok((await waiting()).some(({ session_id }) => session_id === sid));
		await eventually(
			async () => receiver.received.map(({ path }) => path).sort(),
			(paths) => paths.includes("/quick") && paths.includes("/logout?tenant=1"),
		);
		await eventually(waiting, (left) => left.length === 1);
		await service.asAdmin("DELETE", `/api/v1/applications/${shop.id}/oauth-client`);
		service.clock.advance(11 * SECOND_MS);
		await allSettled();
	});

	it("calls no internal IP address", async () => {
		// Outside the allowed network: a tenant administrator cannot reach it with a webhook either.
		const inside = await connectTo("https://10.255.255.1/logout");
		const named = await connectTo(`${receiver.url.replace("https:", "http:")}/plain`);
		const { browser, token } = await signedIn([inside.party, named.party]);
		await browser.post("/api/v1/auth/logout", undefined, token);
		const left = await eventually(
			waiting,
			(all) => all.length === 2 && all.every(({ last_error }) => last_error !== ""),
		);
		assert.deepEqual(left.map(({ last_error }) => last_error).sort(), [
			"the URL is not https",
			"the host resolves to an IP address that is not on the public Internet",
		]);
		assert.equal(receiver.received.length, 0);
		for (const { id } of [inside.shop, named.shop])
			await service.asAdmin("DELETE", `/api/v1/applications/${id}/oauth-client`);
		await allSettled();
	});

	it("follows no redirect", async () => {
		const elsewhere = await startWebhookReceiver();
		receiver.response((response) => void response.writeHead(307, { location: `${elsewhere.url}/` }).end());
		const { browser, token } = await signedIn();
		await browser.post("/api/v1/auth/logout", undefined, token);
		await eventually(waiting, ([notice]) => notice?.last_error === "answered 307");
		assert.equal(elsewhere.received.length, 0);
		await elsewhere.close();
		receiver.response(204);
		service.clock.advance(31 * SECOND_MS);
		await allSettled();
	});

	it("queues atomically with the revocation, and misses no grant that is written concurrently", async () => {
		const silent = await connectTo(null);
		const { token, browser, sid } = await signedIn([silent.party]);
		await using beside = await openBeside(service);
		const grant = (id: string) => ({
			id,
			tenantId: "",
			clientId: shop.id,
			userId: "",
			sessionId: sid,
			payload: {},
			createdAtMs: service.clock.now(),
			expiresAtMs: service.clock.now() + DAY_MS,
		});
		const held = await beside.db.stores.sessions.findById(sid);
		assert.ok(held);
		const { tenantId, userId } = held;
		const failing = beside.db.transaction(async ({ sessions, oauthGrants }) => {
			await oauthGrants.insert({ ...grant("undone"), tenantId, userId });
			await sessions.end(tenantId, userId, sid, service.clock.now());
			throw new Error("undone");
		});
		await assert.rejects(failing, /undone/);
		assert.deepEqual(await waiting(), []);
		let signingOut: Promise<unknown> | undefined;
		await beside.db.transaction(async ({ sessions, oauthGrants }) => {
			assert.equal(await sessions.hold(tenantId, userId, sid), true);
			signingOut ??= browser.post("/api/v1/auth/logout", undefined, token);
			await oauthGrants.insert({ ...grant("late"), tenantId, userId });
		});
		await signingOut;
		const [received] = await receiver.atLeast(1);
		assert.ok(received);
		assert.equal((await verified(received, shop)).sid, sid);
		await allSettled();
	});
});
