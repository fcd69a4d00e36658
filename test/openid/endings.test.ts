import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import * as client from "openid-client";
import { SECOND_MS } from "../../src/kernel/clock.ts";
import { rows } from "../harness/access/access-requests.ts";
import { ask, type KeyedGate } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { addDomain } from "../harness/domains/domains.ts";
import {
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	obtainTokens,
	openIdService,
	relyingParty,
	signedInBrowser,
	startAuthorization,
} from "../harness/openid/openid.ts";
import { addPerson, auditOf, type Person, withDatabase } from "../harness/people/people.ts";
import { addProvider } from "../harness/providers/identity-providers.ts";

const API = "https://api.example";

describe("a grant", () => {
	const service = openIdService();
	let gate: KeyedGate;
	let shop: ConnectedClient;
	let party: client.Configuration;
	let round = 0;
	before(async () => {
		const { id } = await connect(service, { type: "service", resource: API });
		gate = (await addGate(service, { rules: [{ path: "/*", needs: "signed-in" }] }, id)) as KeyedGate;
		shop = await connect(service, { firstParty: true, allowedResources: [API] });
		party = await relyingParty(service, shop);
	});

	async function signedIn(by = party) {
		const person = await addPerson(service, `person-${++round}`);
		const { browser, token } = await signedInBrowser(service, person);
		const tokens = await obtainTokens(by, browser, token, { resource: API });
		const forApi = await client.refreshTokenGrant(by, tokens.refresh_token ?? "", { resource: API });
		const headers = { authorization: `Bearer ${forApi.access_token}` };
		const atGate = async () => (await ask(service, gate, "/", { headers })).outcome;
		return { person, browser, token, tokens, refresh: forApi.refresh_token ?? "", atGate };
	}
	const refused = { error: "invalid_grant" };

	type SignedIn = Awaited<ReturnType<typeof signedIn>>;
	const ENDINGS: Readonly<Record<string, (session: SignedIn) => Promise<unknown>>> = {
		"signing out": ({ browser, token }) => browser.post("/api/v1/auth/logout", undefined, token),
		"a new password": async ({ person, token }) => {
			const body = { current_password: person.password, new_password: "another long password 1" };
			const other = await service.tokenOf(person.username, person.password);
			assert.notEqual(other, token);
			const response = await service.call("PUT", "/api/v1/users/me/password", { token: other, body });
			assert.equal(response.status, 200, JSON.stringify(response.body));
		},
		"an administrator who ends the sessions": ({ person }) =>
			service.asAdmin("POST", `/api/v1/users/${person.id}/sessions/revoke`),
		"disabling the account": ({ person }) =>
			service.asAdmin("PATCH", `/api/v1/users/${person.id}`, { status: "disabled" }),
		"deleting the account": ({ person }) => service.asAdmin("DELETE", `/api/v1/users/${person.id}`),
	};
	for (const [name, end] of Object.entries(ENDINGS))
		it(`is revoked with ${name}: codes, access tokens, refresh tokens`, async () => {
			const session = await signedIn();
			const asked = await startAuthorization(party);
			const returned = await completeAuthorization(session.browser, asked.url, session.token);
			assert.equal(await session.atGate(), `200 person:${session.person.id}`);
			await end(session);
			assert.equal(await session.atGate(), "401 token.invalid");
			await assert.rejects(exchange(party, returned, asked), refused);
			await assert.rejects(client.fetchUserInfo(party, session.tokens.access_token, session.person.id));
			await assert.rejects(client.refreshTokenGrant(party, session.refresh), refused);
			const left = await rows(service, "SELECT id FROM oauth_grants WHERE user_id = $1", session.person.id);
			assert.deepEqual(left, []);
		});

	it("is revoked with the access to the application, and when a second factor becomes required", async () => {
		const strict = await connect(service, { firstParty: true, allowedResources: [API] });
		const strictParty = await relyingParty(service, strict);
		const { browser, token, person, atGate } = await signedIn(strictParty);
		const refresh = async () => (await obtainTokens(strictParty, browser, token)).refresh_token ?? "";
		const [first, second] = [await refresh(), await refresh()];
		await service.asAdmin("PATCH", `/api/v1/applications/${strict.id}`, { access_policy: "assigned" });
		await assert.rejects(client.refreshTokenGrant(strictParty, first), refused);
		assert.equal(await atGate(), "401 token.invalid");
		await service.asAdmin("PATCH", `/api/v1/applications/${strict.id}`, {
			access_policy: "open",
			require_mfa: true,
		});
		await assert.rejects(client.refreshTokenGrant(strictParty, second), refused);
		await service.asAdmin("PATCH", `/api/v1/applications/${strict.id}`, { require_mfa: false });
		assert.equal(await atGate(), `200 person:${person.id}`);
		assert.equal((await client.refreshTokenGrant(strictParty, second)).claims()?.sub, person.id);
		await service.asAdmin("PATCH", `/api/v1/applications/${strict.id}`, { status: "disabled" });
		await assert.rejects(client.refreshTokenGrant(strictParty, second), { status: 401 });
		assert.equal(await atGate(), "401 token.invalid");
	});

	it("is not refreshed if the sign-in was under way while its domain was bound to an issuer", async () => {
		const { person, refresh } = await signedIn();
		const { id: issuerId } = await addProvider(service, { provider: "bound" });
		await addDomain(service, "bound.example", { issuer_id: issuerId });
		await service.asAdmin("PATCH", `/api/v1/users/${person.id}`, { email: "person@bound.example" });
		// Not by the API, which also ends the sessions that are there.
		const enforce = (value: number) =>
			withDatabase(service, ({ queries }) =>
				queries.run("UPDATE domains SET enforce = $1, verified_at = 1 WHERE domain = 'bound.example'", value),
			);
		await enforce(1);
		await assert.rejects(client.refreshTokenGrant(party, refresh), refused);
		await enforce(0);
		const { refresh_token: next = "" } = await client.refreshTokenGrant(party, refresh);
		await enforce(1);
		await withDatabase(service, ({ queries }) =>
			queries.run("UPDATE sessions SET provider = 'bound' WHERE user_id = $1", person.id),
		);
		assert.equal((await client.refreshTokenGrant(party, next)).token_type, "bearer");
	});

	it("is revoked with its client", async () => {
		const { browser, token } = await signedIn();
		const gone = await connect(service, { firstParty: true });
		const goneParty = await relyingParty(service, gone);
		await obtainTokens(goneParty, browser, token);
		await service.asAdmin("DELETE", `/api/v1/applications/${gone.id}`);
		const left = await rows(service, "SELECT id FROM oauth_grants WHERE client_id = $1", gone.id);
		assert.deepEqual(left, []);
	});

	it("keeps its session alive while it refreshes", async () => {
		const { refresh, person } = await signedIn();
		service.clock.advance(6 * 86_400 * SECOND_MS);
		const next = (await client.refreshTokenGrant(party, refresh)).refresh_token ?? "";
		service.clock.advance(6 * 86_400 * SECOND_MS);
		const [{ left } = { left: 0 }] = await rows<{ left: number }>(
			service,
			"SELECT refresh_expires_at - last_used_at AS left FROM sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1",
			person.id,
		);
		assert.equal(left, 7 * 86_400 * SECOND_MS);
		service.clock.advance(2 * 86_400 * SECOND_MS);
		await assert.rejects(client.refreshTokenGrant(party, next), refused);
	});

	const actions = async ({ id }: Person) =>
		(await auditOf(service, `user:${id}`)).map(({ action }) => action);

	it("is issued once for twenty concurrent redemptions of a code", async () => {
		const { browser, token, person } = await signedIn();
		const asked = await startAuthorization(party);
		const returned = await completeAuthorization(browser, asked.url, token);
		const all = await Promise.allSettled(Array.from({ length: 20 }, () => exchange(party, returned, asked)));
		const won = all.filter(({ status }) => status === "fulfilled");
		assert.equal(won.length, 1);
		for (const each of all) if (each.status === "rejected") assert.equal(each.reason.error, "invalid_grant");
		const [winner] = won as PromiseFulfilledResult<Awaited<ReturnType<typeof exchange>>>[];
		await client.fetchUserInfo(party, winner?.value.access_token ?? "", person.id);
	});

	describe("after its code was reused", () => {
		async function redeemed() {
			const { browser, token, person } = await signedIn();
			const asked = await startAuthorization(party);
			const returned = await completeAuthorization(browser, asked.url, token);
			const { access_token } = await exchange(party, returned, asked);
			const isLive = () =>
				client.fetchUserInfo(party, access_token, person.id).then(
					() => true,
					() => false,
				);
			const recorded = async () =>
				(await actions(person)).filter((action) => action.startsWith("oauth.code_")).sort();
			return { asked, returned, isLive, recorded };
		}

		it("continues if its client repeats the request at once, which is recorded", async () => {
			const { asked, returned, isLive, recorded } = await redeemed();
			service.clock.advance(9 * SECOND_MS);
			await assert.rejects(exchange(party, returned, asked), refused);
			assert.deepEqual([await isLive(), await recorded()], [true, ["oauth.code_retried"]]);
		});

		it("is revoked, with one audit event: later, at once with another verifier, and by another client", async () => {
			const others = [await connect(service), await connect(service, { type: "spa", authMethod: "none" })];
			const [web, spa] = [
				await relyingParty(service, others[0] as ConnectedClient),
				await relyingParty(service, others[1] as ConnectedClient, client.None()),
			];
			for (const { seconds = 0, by = party, verifier } of [
				{ seconds: 11 },
				{ seconds: 11, verifier: client.randomPKCECodeVerifier() },
				{ verifier: client.randomPKCECodeVerifier() },
				{ by: web },
				{ by: spa },
			]) {
				const { asked, returned, isLive, recorded } = await redeemed();
				service.clock.advance(seconds * SECOND_MS);
				const repeat = { ...asked, ...(verifier === undefined ? {} : { verifier }) };
				await assert.rejects(exchange(by, returned, repeat), refused);
				await assert.rejects(exchange(party, returned, asked), refused);
				assert.deepEqual([await isLive(), await recorded()], [false, ["oauth.code_reused"]]);
			}
		});

		it("continues if the caller fails to authenticate", async () => {
			const { asked, returned, isLive, recorded } = await redeemed();
			const impostor = await relyingParty(service, { ...shop, secret: "wrong" });
			await assert.rejects(exchange(impostor, returned, asked), { status: 401 });
			assert.deepEqual([await isLive(), await recorded()], [true, []]);
		});
	});

	it("has one successor after ten concurrent refreshes", async () => {
		const { refresh } = await signedIn();
		const all = await Promise.all(Array.from({ length: 10 }, () => client.refreshTokenGrant(party, refresh)));
		const successors = new Set(all.map(({ refresh_token }) => refresh_token));
		assert.equal(successors.size, 1);
		service.clock.advance(5 * SECOND_MS);
		assert.equal((await client.refreshTokenGrant(party, refresh)).refresh_token, [...successors][0]);
	});

	it("is revoked by a used refresh token after ten seconds, or after its successor was used", async () => {
		for (const late of [true, false]) {
			const { refresh, person } = await signedIn();
			const next = (await client.refreshTokenGrant(party, refresh)).refresh_token ?? "";
			if (late) service.clock.advance(11 * SECOND_MS);
			const last = late ? next : ((await client.refreshTokenGrant(party, next)).refresh_token ?? "");
			await assert.rejects(client.refreshTokenGrant(party, refresh), refused);
			await assert.rejects(client.refreshTokenGrant(party, last), refused);
			assert.equal((await actions(person)).filter((action) => action === "oauth.refresh_reused").length, 1);
		}
	});
});
