import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import * as client from "openid-client";
import { SECOND_MS } from "../../src/kernel/clock.ts";
import {
	assertionOf,
	keySettings,
	makeClientKey,
	sendAssertion,
} from "../harness/openid/client-assertion.ts";
import {
	basicAuth,
	type ConnectedClient,
	connect,
	obtainTokens,
	postForm,
	relyingParty,
	signedInBrowser,
	startOpenIdService,
} from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import type { CallResponse, TestService } from "../harness/service/service.ts";

const API = "https://orders.example/api";
const [BY_ADDRESS, BY_CLIENT] = [5, 7];

type Body = Readonly<Record<string, unknown>>;

describe("limits of the token, introspection and revocation endpoints", () => {
	let service: TestService;
	let worker: ConnectedClient;
	let other: ConnectedClient;
	let addresses = 0;
	before(async () => {
		service = await startOpenIdService({
			env: {
				LATCHKEY_TRUSTED_PROXIES: "127.0.0.1",
				LATCHKEY_RATE_LIMIT_PER_MINUTE: String(BY_ADDRESS),
				LATCHKEY_CLIENT_LIMIT_PER_MINUTE: String(BY_CLIENT),
			},
		});
		await connect(service, { resource: API });
		worker = await connect(service, { type: "service", allowedResources: [API] });
		other = await connect(service, { type: "service", allowedResources: [API] });
	});
	after(() => service.stop());
	// Requests of other tests no longer count.
	beforeEach(() => service.clock.advance(61 * SECOND_MS));
	const newAddress = (): string => `203.0.113.${++addresses}`;

	function post(
		path: "token" | "introspect" | "revoke",
		from: string,
		client: ConnectedClient,
		fields: Readonly<Record<string, string>>,
	): Promise<CallResponse<Body>> {
		const headers = { authorization: basicAuth(client), "x-forwarded-for": from };
		return postForm(service, `/oauth/${path}`, fields, headers);
	}
	const tokenFor = (connected: ConnectedClient, from: string) =>
		post("token", from, connected, { grant_type: "client_credentials", resource: API });

	function assertRefused({ status, body, headers }: CallResponse<Body>, limit: number): void {
		assert.deepEqual([status, body.error], [429, "temporarily_unavailable"]);
		assert.match(String(body.error_description), new RegExp(`at most ${limit} a minute`));
		assert.equal(headers["ratelimit-limit"], String(limit));
		assert.ok(Number(headers["retry-after"]) >= 1 && Number(headers["retry-after"]) <= 60);
		assert.equal(headers["cache-control"], "no-store");
	}

	it("count per authenticated client, for all three endpoints together, from any IP address", async () => {
		const shared = newAddress();
		const { access_token: token } = (await tokenFor(worker, shared)).body;
		for (let count = 0; count < 2; count++) {
			assert.equal((await tokenFor(worker, newAddress())).status, 200);
			const fields = { token: String(token) };
			assert.equal((await post("introspect", shared, worker, fields)).body.active, true);
		}
		for (let count = 0; count < 2; count++)
			assert.equal((await post("revoke", shared, worker, { token: "unknown" })).status, 200);
		for (const path of ["token", "introspect", "revoke"] as const)
			for (const from of [shared, newAddress()])
				assertRefused(await post(path, from, worker, { token: "unknown" }), BY_CLIENT);
		for (let count = 0; count < BY_CLIENT; count++)
			assert.equal((await tokenFor(other, shared)).status, 200, `request ${count} of the other client`);
		assertRefused(await tokenFor(other, shared), BY_CLIENT);
		for (let count = 0; count < BY_ADDRESS; count++)
			assert.equal((await tokenFor({ ...worker, secret: "wrong" }, shared)).status, 401);
	});

	it("count by IP address without authentication: wrong secrets do not count for the client", async () => {
		const guessing = newAddress();
		const guesses = [
			{ ...worker, secret: "wrong" },
			{ ...worker, secret: other.secret },
			{ id: crypto.randomUUID(), secret: worker.secret },
			{ ...worker, secret: "" },
			{ id: "", secret: "" },
		];
		assert.equal(guesses.length, BY_ADDRESS);
		for (const guess of guesses) assert.ok([400, 401].includes((await tokenFor(guess, guessing)).status));
		assertRefused(await tokenFor({ ...worker, secret: "wrong" }, guessing), BY_ADDRESS);
		const own = newAddress();
		for (let count = 0; count < BY_CLIENT; count++)
			assert.equal((await tokenFor(worker, own)).status, 200, `request ${count}`);
	});

	it("also count requests of an authenticated client that are refused for another reason", async () => {
		const from = newAddress();
		const bad = { grant_type: "client_credentials", resource: "urn:example:none" };
		for (let count = 0; count < BY_CLIENT; count++)
			assert.equal((await post("token", from, worker, bad)).body.error, "invalid_target");
		assertRefused(await tokenFor(worker, from), BY_CLIENT);
	});

	it("also count by client with private_key_jwt, but not for a used assertion", async () => {
		const key = await makeClientKey();
		const signing = await connect(service, {
			type: "service",
			...keySettings(key.publicJwk),
			allowedResources: [API],
		});
		service.clock.advance(61 * SECOND_MS);
		const send = (assertion: string, from: string) =>
			sendAssertion(service, assertion, { resource: API }, { "x-forwarded-for": from });
		const used = await assertionOf(signing, key);
		assert.equal((await send(used, newAddress())).status, 200);
		const replaying = newAddress();
		for (let count = 0; count < BY_ADDRESS; count++) assert.equal((await send(used, replaying)).status, 401);
		assert.equal((await send(used, replaying)).status, 429);
		for (let count = 1; count < BY_CLIENT; count++)
			assert.equal((await send(await assertionOf(signing, key), newAddress())).status, 200);
		const refused = await send(await assertionOf(signing, key), newAddress());
		assert.deepEqual([refused.status, refused.body.error], [429, "temporarily_unavailable"]);
	});

	it("count public clients by IP address", async () => {
		const spa = await connect(service, { type: "spa", authMethod: "none" });
		const fields = { client_id: spa.id, grant_type: "refresh_token", refresh_token: "x" };
		const guess = (from: string) =>
			postForm<Body>(service, "/oauth/token", fields, { "x-forwarded-for": from });
		const [first, second] = [newAddress(), newAddress()];
		for (const from of [first, second]) {
			for (let count = 0; count < BY_ADDRESS; count++)
				assert.equal((await guess(from)).body.error, "invalid_grant");
			assertRefused(await guess(from), BY_ADDRESS);
		}
	});
});

describe("a request beyond the limit of its client", () => {
	it("uses up no refresh token", async () => {
		const service = await startOpenIdService({ env: { LATCHKEY_CLIENT_LIMIT_PER_MINUTE: "2" } });
		try {
			const ada = await addPerson(service, "ada");
			const party = await relyingParty(service, await connect(service, { firstParty: true }));
			const { browser, token: session } = await signedInBrowser(service, ada);
			const { refresh_token: first = "" } = await obtainTokens(party, browser, session);
			const { refresh_token: second = "" } = await client.refreshTokenGrant(party, first);
			await assert.rejects(client.refreshTokenGrant(party, second), {
				error: "temporarily_unavailable",
				status: 429,
			});
			service.clock.advance(61 * SECOND_MS);
			const third = await client.refreshTokenGrant(party, second);
			assert.equal(third.claims()?.sub, ada.id);
		} finally {
			await service.stop();
		}
	});
});
