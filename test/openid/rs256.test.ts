// ID tokens signed with RS256: the first key, what it must not sign, its rotation; on PostgreSQL with a second node.

import assert from "node:assert/strict";
import { createPrivateKey, sign } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import * as client from "openid-client";
import { openIdTokenKey } from "../../src/app/stored-keys.ts";
import { createSigningKeyJob } from "../../src/jobs/remove-signing-keys.ts";
import { DAY_MS, MINUTE_MS } from "../../src/kernel/clock.ts";
import { listSigningKeys, rotateSigningKey } from "../../src/ops/keys/rotate-signing-key.ts";
import { forgeToken, type Signer } from "../harness/openid/forge-token.ts";
import {
	type ConnectedClient,
	connect,
	ISSUER,
	obtainTokens,
	relyingParty,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, auditOf, type Person } from "../harness/people/people.ts";
import { type OpenIdNodes, startOpenIdNodes } from "../harness/processes/openid-nodes.ts";
import { type BesideService, openBeside } from "../harness/service/beside-service.ts";
import type { TestService } from "../harness/service/service.ts";

const JWKS = "/.well-known/jwks.json";
const DISCOVERY = "/.well-known/openid-configuration";

let installation: OpenIdNodes;
let nodes: readonly TestService[];
let beside: BesideService;
let ada: Person;
let app: ConnectedClient;
const first = (): TestService => nodes[0] as TestService;
const last = (): TestService => nodes.at(-1) as TestService;

before(async () => {
	installation = await startOpenIdNodes();
	({ nodes } = installation);
	beside = await openBeside(first());
	ada = await addPerson(first(), "ada");
});
after(async () => {
	await beside.close();
	await installation.remove();
});

const advance = (milliseconds: number): void => installation.advance(milliseconds);
const keySet = async (node: TestService): Promise<JSONWebKeySet> =>
	(await node.call<JSONWebKeySet>("GET", JWKS, { https: true })).body;
const rsaKidsOf = async (node: TestService): Promise<string[]> =>
	(await keySet(node)).keys.flatMap(({ kty, kid }) => (kty === "RSA" ? [kid ?? ""] : []));

/** Tokens of a user who signed in at the first node; the application calls `node`. */
async function tokensFrom(node: TestService, connected = app, alg = "RS256") {
	const metadata = { id_token_signed_response_alg: alg };
	const party = await relyingParty(node, connected, undefined, metadata);
	const browser = new TestBrowser(first());
	const token = await browser.signIn(ada.username, ada.password);
	return { party, tokens: await obtainTokens(party, browser, token) };
}

/** Verifies with the keys that `node` publishes, like any relying party. */
async function assertProven(node: TestService, idToken: string | undefined): Promise<void> {
	await jwtVerify(idToken ?? "", createLocalJWKSet(await keySet(node)), {
		algorithms: ["RS256"],
		issuer: ISSUER,
		audience: app.id,
	});
}

const kidOf = (idToken: string | undefined): string | undefined => decodeProtectedHeader(idToken ?? "").kid;

describe("the RSA key", () => {
	it("does not exist before the provider is first used", async () => {
		for (const node of nodes) assert.deepEqual(await rsaKidsOf(node), []);
		assert.deepEqual(await beside.db.stores.idTokenKeys.listAll(), []);
	});

	it("is created once under concurrent first requests on any node", async () => {
		app = await connect(first(), { idTokenAlg: "RS256", firstParty: true });
		const responses = await Promise.all(
			Array.from({ length: 12 }, (_, index) =>
				(nodes[index % nodes.length] as TestService).call("GET", index % 3 === 0 ? JWKS : DISCOVERY, {
					https: true,
				}),
			),
		);
		assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
		const stored = await beside.db.stores.idTokenKeys.listAll();
		assert.equal(stored.length, 1);
		for (const node of nodes) assert.deepEqual(await rsaKidsOf(node), [stored[0]?.kid]);
		const events = await auditOf(first(), `signing_key:${stored[0]?.kid}`);
		assert.deepEqual(
			events.map(({ action }) => action),
			["signing_key.published"],
		);
		const [row] = await beside.engine.queries.all<object>("SELECT * FROM id_token_keys");
		assert.doesNotMatch(Object.values(row ?? {}).join(" "), /"(d|p|q|dp|dq|qi)":/);
	});

	it("shows only public members", async () => {
		for (const node of nodes) {
			const key = (await keySet(node)).keys.find(({ kty }) => kty === "RSA");
			assert.deepEqual(Object.keys(key ?? {}).sort(), ["alg", "e", "kid", "kty", "n", "use"]);
			assert.deepEqual([key?.alg, key?.use], ["RS256", "sig"]);
			assert.equal(Buffer.from(key?.n ?? "", "base64url").length, 256);
		}
	});
});

describe("an ID token with RS256", () => {
	it("is returned for code and refresh token by every node, and verifies with the keys of every node", async () => {
		for (const node of nodes) {
			const { party, tokens } = await tokensFrom(node);
			const refreshed = await client.refreshTokenGrant(party, tokens.refresh_token ?? "");
			for (const { id_token } of [tokens, refreshed]) {
				const { alg, kid } = decodeProtectedHeader(id_token ?? "");
				assert.deepEqual([alg, kid], ["RS256", (await rsaKidsOf(node))[0]]);
				for (const other of nodes) await assertProven(other, id_token);
			}
		}
	});

	it("is issued to clients that request it; others get ES256", async () => {
		const other = await connect(first(), { firstParty: true });
		const { tokens } = await tokensFrom(last(), other, "ES256");
		assert.equal(decodeProtectedHeader(tokens.id_token ?? "").alg, "ES256");
	});

	it("is refused as an access token, like any token of its key", async () => {
		const [stored] = await beside.db.stores.idTokenKeys.listAll();
		assert.ok(stored);
		const { kid, privateJwk } = openIdTokenKey(stored, beside.secretBox);
		const key = createPrivateKey({ key: { ...privateJwk }, format: "jwk" });
		const rs256: Signer = (input) => sign("sha256", Buffer.from(input), key);
		const { tokens } = await tokensFrom(first());
		const idToken = tokens.id_token ?? "";
		const own = String(decodeProtectedHeader(ada.token).kid);
		const forged: Record<string, string> = {
			"an ID token": idToken,
			"an ID token with the type of access tokens": forgeToken(idToken, { header: { typ: "at+jwt" } }, rs256),
			"RS256 with the RSA key": forgeToken(ada.token, { header: { alg: "RS256", kid } }, rs256),
			"RS256 under the id of the EC key": forgeToken(
				ada.token,
				{ header: { alg: "RS256", kid: own } },
				rs256,
			),
			"ES256 under the id of the RSA key": forgeToken(ada.token, { header: { kid } }, rs256),
			"ES256 signed by the RSA key": forgeToken(ada.token, {}, rs256),
		};
		for (const node of nodes) {
			for (const [what, token] of Object.entries(forged))
				assert.equal((await node.call("GET", "/api/v1/users/me", { token })).status, 401, what);
			assert.equal((await node.call("GET", "/api/v1/users/me", { token: ada.token })).status, 200);
		}
		assert.equal(decodeProtectedHeader(ada.token).alg, "ES256");
	});
});

describe("a rotation", () => {
	it("publishes the next RSA key ahead, and refuses no token", async () => {
		const [old] = await rsaKidsOf(first());
		const { tokens: before } = await tokensFrom(last());
		const { idTokenKid } = await rotateSigningKey(beside, { atOnce: false });
		assert.ok(idTokenKid);
		await assert.rejects(rotateSigningKey(beside, { atOnce: false }), /was already published/);
		// Nodes reload keys that they read too long ago before they sign.
		advance(MINUTE_MS);
		for (const node of nodes) {
			const { tokens } = await tokensFrom(node);
			assert.equal(kidOf(tokens.id_token), old);
			assert.deepEqual(await rsaKidsOf(node), [old, idTokenKid]);
		}
		advance(14 * MINUTE_MS);
		for (const node of nodes) {
			const { tokens } = await tokensFrom(node);
			assert.equal(kidOf(tokens.id_token), idTokenKid);
			for (const other of nodes) await assertProven(other, tokens.id_token);
			await assertProven(node, before.id_token);
		}
		const listed = (await listSigningKeys(beside)).map(({ alg, state }) => `${alg} ${state}`);
		assert.deepEqual(listed, ["ES256 signing", "ES256 retired", "RS256 signing", "RS256 retired"]);
	});

	it("with --now leaves only the new keys, on every node", async () => {
		const { tokens: before } = await tokensFrom(first());
		const { idTokenKid, withdrawn } = await rotateSigningKey(beside, { atOnce: true });
		assert.equal(withdrawn.includes(kidOf(before.id_token) ?? ""), true);
		advance(MINUTE_MS);
		for (const node of nodes) {
			const { tokens } = await tokensFrom(node);
			assert.equal(kidOf(tokens.id_token), idTokenKid);
			assert.deepEqual(await rsaKidsOf(node), [idTokenKid]);
			for (const other of nodes) await assertProven(other, tokens.id_token);
			await assert.rejects(assertProven(node, before.id_token), { code: "ERR_JWKS_NO_MATCHING_KEY" });
		}
	});

	it("leaves old keys that are deleted after a day", async () => {
		const [signing] = await rsaKidsOf(first());
		assert.equal((await beside.db.stores.idTokenKeys.listAll()).length, 3);
		advance(DAY_MS + 32 * MINUTE_MS);
		const log = { info: () => undefined } as never;
		await createSigningKeyJob({ db: beside.db, clock: beside.clock, log }).run();
		const kept = (await beside.db.stores.idTokenKeys.listAll()).map(({ kid }) => kid);
		assert.deepEqual(kept, [signing]);
	});
});
