// ID tokens signed with RSA (RS256 and PS256): the first keys, what it must not sign, its rotation; on PostgreSQL with a second node.

import assert from "node:assert/strict";
import { constants, createPrivateKey, sign } from "node:crypto";
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
	signedInBrowser,
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
let pss: ConnectedClient;
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
const kidsOf = async (node: TestService, wanted = "RS256"): Promise<string[]> =>
	(await keySet(node)).keys.flatMap(({ alg, kid }) => (alg === wanted ? [kid ?? ""] : []));
const ALGORITHMS = ["RS256", "PS256"] as const;
const appOf = (alg: string): ConnectedClient => (alg === "PS256" ? pss : app);

/** Tokens of a user who signed in at the first node; the application calls `node`. */
async function tokensFrom(node: TestService, alg = "RS256", connected = appOf(alg)) {
	const metadata = { id_token_signed_response_alg: alg };
	const party = await relyingParty(node, connected, undefined, metadata);
	const { browser, token } = await signedInBrowser(first(), ada);
	return { party, tokens: await obtainTokens(party, browser, token) };
}

/** Verifies with the keys that `node` publishes, like any relying party. */
async function assertProven(node: TestService, idToken: string | undefined, alg = "RS256"): Promise<void> {
	await jwtVerify(idToken ?? "", createLocalJWKSet(await keySet(node)), {
		algorithms: [alg],
		issuer: ISSUER,
		audience: appOf(alg).id,
	});
}

const kidOf = (idToken: string | undefined): string | undefined => decodeProtectedHeader(idToken ?? "").kid;

describe("the RSA keys", () => {
	it("do not exist before the provider is first used", async () => {
		for (const node of nodes) assert.equal((await keySet(node)).keys.length, 1);
		assert.deepEqual(await beside.db.stores.idTokenKeys.listAll(), []);
	});

	it("are created once for each algorithm under concurrent first requests on any node", async () => {
		app = await connect(first(), { idTokenAlg: "RS256", firstParty: true });
		pss = await connect(first(), { idTokenAlg: "PS256", firstParty: true });
		const responses = await Promise.all(
			Array.from({ length: 12 }, (_, index) =>
				(nodes[index % nodes.length] as TestService).call("GET", index % 3 === 0 ? JWKS : DISCOVERY, {
					https: true,
				}),
			),
		);
		assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
		const stored = await beside.db.stores.idTokenKeys.listAll();
		assert.deepEqual(stored.map(({ alg }) => alg).sort(), [...ALGORITHMS].sort());
		for (const { kid, alg } of stored) {
			for (const node of nodes) assert.deepEqual(await kidsOf(node, alg), [kid]);
			const events = await auditOf(first(), `signing_key:${kid}`);
			assert.deepEqual(
				events.map(({ action }) => action),
				["signing_key.published"],
			);
		}
		for (const row of await beside.engine.queries.all<object>("SELECT * FROM id_token_keys"))
			assert.doesNotMatch(Object.values(row).join(" "), /"(d|p|q|dp|dq|qi)":/);
	});

	it("show only public members", async () => {
		for (const node of nodes)
			for (const wanted of ALGORITHMS) {
				const key = (await keySet(node)).keys.find(({ alg }) => alg === wanted);
				assert.deepEqual(Object.keys(key ?? {}).sort(), ["alg", "e", "kid", "kty", "n", "use"]);
				assert.deepEqual([key?.alg, key?.use], [wanted, "sig"]);
				assert.equal(Buffer.from(key?.n ?? "", "base64url").length, 256);
			}
	});
});

describe("an ID token with RSA", () => {
	it("is returned for code and refresh token by every node, and verifies with the keys of every node", async () => {
		for (const wanted of ALGORITHMS)
			for (const node of nodes) {
				const { party, tokens } = await tokensFrom(node, wanted);
				const refreshed = await client.refreshTokenGrant(party, tokens.refresh_token ?? "");
				for (const { id_token } of [tokens, refreshed]) {
					const { alg, kid } = decodeProtectedHeader(id_token ?? "");
					assert.deepEqual([alg, kid], [wanted, (await kidsOf(node, wanted))[0]]);
					for (const other of nodes) await assertProven(other, id_token, wanted);
				}
			}
	});

	it("verifies with the key of its own algorithm only", async () => {
		for (const [signed, other] of [ALGORITHMS, ALGORITHMS.toReversed()]) {
			const { tokens } = await tokensFrom(last(), signed);
			const [header = "", ...rest] = (tokens.id_token ?? "").split(".");
			const claimed = { ...JSON.parse(Buffer.from(header, "base64url").toString()), alg: other };
			const relabelled = [Buffer.from(JSON.stringify(claimed)).toString("base64url"), ...rest].join(".");
			for (const token of [tokens.id_token, relabelled])
				await assert.rejects(
					jwtVerify(token ?? "", createLocalJWKSet(await keySet(last())), { algorithms: [other ?? ""] }),
				);
		}
	});

	it("is refused by a relying party that expects the other algorithm", async () => {
		for (const [signed, expected] of [ALGORITHMS, ALGORITHMS.toReversed()])
			await assert.rejects(tokensFrom(first(), expected, appOf(signed ?? "")), {
				code: "OAUTH_INVALID_RESPONSE",
			});
	});

	it("is never signed with another algorithm than the one sealed with its key", async () => {
		const [stored] = await beside.db.stores.idTokenKeys.listAll();
		assert.ok(stored);
		const other = stored.alg === "RS256" ? "PS256" : "RS256";
		const { alg, privateJwk } = openIdTokenKey({ ...stored, alg: other }, beside.secretBox);
		assert.deepEqual([alg, privateJwk.alg], [stored.alg, stored.alg]);
	});

	it("is issued to clients that request it; others get ES256", async () => {
		const other = await connect(first(), { firstParty: true });
		const { tokens } = await tokensFrom(last(), "ES256", other);
		assert.equal(decodeProtectedHeader(tokens.id_token ?? "").alg, "ES256");
	});

	it("is refused as an access token, like any token of its key", async () => {
		const stored = (await beside.db.stores.idTokenKeys.listAll()).find(({ alg }) => alg === "PS256");
		assert.ok(stored);
		const { kid, privateJwk } = openIdTokenKey(stored, beside.secretBox);
		const key = createPrivateKey({ key: { ...privateJwk }, format: "jwk" });
		const rs256: Signer = (input) => sign("sha256", Buffer.from(input), key);
		const padding = constants.RSA_PKCS1_PSS_PADDING;
		const ps256: Signer = (input) =>
			sign("sha256", Buffer.from(input), { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });
		const { tokens } = await tokensFrom(first(), "PS256");
		const idToken = tokens.id_token ?? "";
		const own = String(decodeProtectedHeader(ada.token).kid);
		const forged: Record<string, string> = {
			"an ID token": idToken,
			"an ID token with the type of access tokens": forgeToken(idToken, { header: { typ: "at+jwt" } }, ps256),
			"PS256 with the RSA key": forgeToken(ada.token, { header: { alg: "PS256", kid } }, ps256),
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
		const [old] = await kidsOf(first());
		const { tokens: before } = await tokensFrom(last());
		const { tokens: beforePss } = await tokensFrom(last(), "PS256");
		const { idTokenKeys } = await rotateSigningKey(beside, { atOnce: false });
		const [idTokenKid, pssKid] = idTokenKeys.map(({ kid }) => kid);
		assert.ok(idTokenKid);
		assert.ok(pssKid);
		await assert.rejects(rotateSigningKey(beside, { atOnce: false }), /was already published/);
		// Nodes reload keys that they read too long ago before they sign.
		advance(MINUTE_MS);
		for (const node of nodes) {
			const { tokens } = await tokensFrom(node);
			assert.equal(kidOf(tokens.id_token), old);
			assert.deepEqual(await kidsOf(node), [old, idTokenKid]);
			assert.deepEqual(await kidsOf(node, "PS256"), [kidOf(beforePss.id_token), pssKid]);
		}
		advance(14 * MINUTE_MS);
		for (const node of nodes) {
			const { tokens } = await tokensFrom(node);
			assert.equal(kidOf(tokens.id_token), idTokenKid);
			for (const other of nodes) await assertProven(other, tokens.id_token);
			await assertProven(node, before.id_token);
			const { tokens: afterPss } = await tokensFrom(node, "PS256");
			assert.equal(kidOf(afterPss.id_token), pssKid);
			for (const { id_token } of [beforePss, afterPss]) await assertProven(node, id_token, "PS256");
		}
		const listed = (await listSigningKeys(beside)).map(({ alg, state }) => `${alg} ${state}`);
		assert.deepEqual(
			listed.sort(),
			["ES256", "PS256", "RS256"].flatMap((alg) => [`${alg} retired`, `${alg} signing`]),
		);
	});

	it("with --now leaves only the new keys, on every node", async () => {
		const { tokens: before } = await tokensFrom(first());
		const { tokens: beforePss } = await tokensFrom(first(), "PS256");
		const { idTokenKeys, withdrawn } = await rotateSigningKey(beside, { atOnce: true });
		const [idTokenKid, pssKid] = idTokenKeys.map(({ kid }) => kid);
		assert.equal(withdrawn.includes(kidOf(beforePss.id_token) ?? ""), true);
		assert.equal(withdrawn.includes(kidOf(before.id_token) ?? ""), true);
		advance(MINUTE_MS);
		for (const node of nodes) {
			const { tokens } = await tokensFrom(node);
			assert.equal(kidOf(tokens.id_token), idTokenKid);
			assert.deepEqual(await kidsOf(node), [idTokenKid]);
			assert.deepEqual(await kidsOf(node, "PS256"), [pssKid]);
			for (const other of nodes) await assertProven(other, tokens.id_token);
			await assert.rejects(assertProven(node, before.id_token), { code: "ERR_JWKS_NO_MATCHING_KEY" });
			await assert.rejects(assertProven(node, beforePss.id_token, "PS256"));
		}
	});

	it("leaves old keys that are deleted after a day", async () => {
		const signing = [...(await kidsOf(first())), ...(await kidsOf(first(), "PS256"))];
		assert.equal((await beside.db.stores.idTokenKeys.listAll()).length, 6);
		advance(DAY_MS + 32 * MINUTE_MS);
		const log = { info: () => undefined } as never;
		await createSigningKeyJob({ db: beside.db, clock: beside.clock, log }).run();
		const kept = (await beside.db.stores.idTokenKeys.listAll()).map(({ kid }) => kid);
		assert.deepEqual(kept.sort(), signing.sort());
	});
});
