// Backup, restore, and a new master key: a restore keeps clients, but no grants and consents of users.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import * as client from "openid-client";
import { randomBytes32 } from "../../src/crypto/random.ts";
import { SIGNATURE_WINDOW_SECONDS } from "../../src/domain/nonce.ts";
import { SECOND_MS } from "../../src/kernel/clock.ts";
import { rows } from "../harness/access/access-requests.ts";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import {
	assertionOf,
	type ClientKey,
	keySettings,
	makeClientKey,
	sendAssertion,
} from "../harness/openid/client-assertion.ts";
import { makeProofKey, proofOf } from "../harness/openid/dpop-proof.ts";
import {
	basicAuth,
	type ConnectedClient,
	completeAuthorization,
	connect,
	exchange,
	ISSUER,
	obtainTokens,
	postForm,
	relyingParty,
	signedInBrowser,
	startAuthorization,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { MASTER_KEY, makePlace, type Place } from "../harness/service/installation.ts";
import type { TestService } from "../harness/service/service.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const API = "https://orders.example/api";
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const REFUSED = { error: "invalid_grant" };

describe("an installation with OAuth clients", () => {
	const folder = temporaryFolder();
	let place: Place;
	let service: TestService;
	let ada: Person;
	let shop: ConnectedClient;
	let worker: ConnectedClient;
	let signer: ConnectedClient;
	let signerKey: ClientKey;
	let tv: ConnectedClient;
	before(async () => {
		place = await makePlace(TEST_ENGINE);
		service = await serve();
		ada = await addPerson(service, "ada");
		shop = await connect(service, { idTokenAlg: "RS256" });
		await connect(service, { resource: API });
		worker = await connect(service, { type: "service", allowedResources: [API] });
		signerKey = await makeClientKey();
		signer = await connect(service, {
			type: "service",
			...keySettings(signerKey.publicJwk),
			allowedResources: [API],
		});
		tv = await connect(service, { type: "native", authMethod: "none", firstParty: true });
	});
	after(async () => {
		await service.stop();
		await place.remove();
		folder[Symbol.dispose]();
	});

	const serve = (env: Readonly<Record<string, string>> = {}): Promise<TestService> =>
		place.serve({ env: { LATCHKEY_PUBLIC_URL: ISSUER, ...env } });
	const partyOf = (connected: ConnectedClient, alg = "RS256") =>
		relyingParty(service, connected, undefined, { id_token_signed_response_alg: alg });
	async function tokenOfWorker(): Promise<string> {
		const party = await partyOf(worker);
		return (await client.clientCredentialsGrant(party, { resource: API })).access_token;
	}

	const deviceParty = () => relyingParty(service, tv, client.None());
	const beginDevice = async () =>
		client.initiateDeviceAuthorization(await deviceParty(), { scope: "openid" });
	const pollDevice = async (device_code: string) =>
		client.genericGrantRequest(await deviceParty(), DEVICE_GRANT, { device_code });
	async function approveDevice(token: string, user_code: string): Promise<void> {
		const path = "/api/v1/auth/device-codes/approve";
		assert.equal((await service.call("POST", path, { token, body: { user_code } })).status, 204);
	}

	async function errorWithProof(proof: string): Promise<string | undefined> {
		const fields = { grant_type: "client_credentials", resource: API };
		const headers = { authorization: basicAuth(worker), dpop: proof };
		return (await postForm(service, "/oauth/token", fields, headers)).body.error;
	}

	const errorWithAssertion = async (assertion: string) =>
		(await sendAssertion(service, assertion, { resource: API })).body.error;

	it("keeps every token when the master key changes", async () => {
		const { browser, token } = await signedInBrowser(service, ada);
		const party = await partyOf(shop);
		const tokens = await obtainTokens(party, browser, token);
		const asked = await startAuthorization(party);
		const returned = await completeAuthorization(browser, asked.url, token);
		const [waiting, approved] = [await beginDevice(), await beginDevice()];
		await approveDevice(token, approved.user_code);
		await service.stop();
		const newKey = randomBytes32().toString("base64");
		service = await serve({ LATCHKEY_MASTER_KEY: `${newKey},${MASTER_KEY}` });
		const rekeyed = await place.run(["rekey"], {
			env: { LATCHKEY_MASTER_KEY: `${newKey},${MASTER_KEY}`, LATCHKEY_PUBLIC_URL: ISSUER },
		});
		assert.equal(rekeyed.code, 0, rekeyed.stdout + rekeyed.stderr);
		await service.stop();
		service = await serve({ LATCHKEY_MASTER_KEY: newKey });
		const same = await partyOf(shop);
		assert.equal((await exchange(same, returned, asked)).claims()?.sub, ada.id);
		assert.equal((await client.fetchUserInfo(same, tokens.access_token, ada.id)).sub, ada.id);
		assert.equal((await client.refreshTokenGrant(same, tokens.refresh_token ?? "")).claims()?.sub, ada.id);
		assert.equal((await pollDevice(approved.device_code)).claims()?.sub, ada.id);
		await approveDevice(await service.tokenOf(ada.username, ada.password), waiting.user_code);
		assert.equal((await pollDevice(waiting.device_code)).claims()?.sub, ada.id);
		// Back to the key of the place.
		await service.stop();
		const both = { LATCHKEY_MASTER_KEY: `${MASTER_KEY},${newKey}`, LATCHKEY_PUBLIC_URL: ISSUER };
		assert.equal((await place.run(["rekey"], { env: both })).code, 0);
		service = await serve();
	});

	it("restores clients, but no session, code, token, or consent", async () => {
		const { browser, token } = await signedInBrowser(service, ada);
		const party = await partyOf(shop);
		const tokens = await obtainTokens(party, browser, token);
		const asked = await startAuthorization(party);
		const returned = await completeAuthorization(browser, asked.url, token);
		const pending = await startAuthorization(party);
		const [waiting, approved] = [await beginDevice(), await beginDevice()];
		await approveDevice(token, approved.user_code);
		const key = await makeProofKey();
		const early = Math.floor(Date.now() / SECOND_MS) + SIGNATURE_WINDOW_SECONDS - 1;
		const [proof, earlyProof] = [
			await proofOf(key, "/oauth/token"),
			await proofOf(key, "/oauth/token", { claims: { iat: early } }),
		];
		for (const used of [proof, earlyProof]) assert.equal(await errorWithProof(used), undefined);
		const now = Math.floor(Date.now() / SECOND_MS);
		const signed: Record<string, unknown>[] = [
			{ exp: now + 3_600 },
			{ exp: now + 3_600, iat: early },
			{ exp: now + 3_600, iat: undefined },
			{ iat: undefined },
		];
		const assertions = await Promise.all(signed.map((changes) => assertionOf(signer, signerKey, changes)));
		for (const used of assertions) assert.equal(await errorWithAssertion(used), undefined);
		const file = join(folder.path, "backup.gz");
		const backup = await place.run(["backup", file]);
		assert.equal(backup.code, 0, backup.stderr);
		await service.stop();
		const restored = await place.run(["restore", "--replace", file]);
		assert.equal(restored.code, 0, restored.stderr);
		service = await serve();
		for (const { device_code } of [waiting, approved]) await assert.rejects(pollDevice(device_code), REFUSED);
		const body = { user_code: waiting.user_code };
		const path = "/api/v1/auth/device-codes/preview";
		const own = await service.tokenOf(ada.username, ada.password);
		assert.equal((await service.call("POST", path, { token: own, body })).status, 404);

		const same = await partyOf(shop);
		await assert.rejects(exchange(same, returned, asked), REFUSED);
		await assert.rejects(client.refreshTokenGrant(same, tokens.refresh_token ?? ""), REFUSED);
		await assert.rejects(client.fetchUserInfo(same, tokens.access_token, ada.id));
		assert.deepEqual(await client.tokenIntrospection(same, tokens.access_token), { active: false });
		const stale = new TestBrowser(service);
		stale.setCookie("__Host-latchkey", browser.cookie("__Host-latchkey") ?? "");
		const sent = await stale.go(pending.url.href);
		assert.match(sent.headers.location ?? "", /\/sign-in\?interaction=/);
		for (const table of ["oauth_grants", "oauth_consents", "oauth_records"])
			assert.deepEqual(
				await rows(
					service,
					`SELECT * FROM ${table} ${table === "oauth_records" ? "WHERE kind <> 'Interaction'" : ""}`,
				),
				[],
				table,
			);

		assert.match(await tokenOfWorker(), /^ey/);
		// The restored service does not know the used proofs.
		for (const used of [proof, earlyProof, await proofOf(key, "/oauth/token")])
			assert.equal(await errorWithProof(used), "invalid_dpop_proof");
		// Nor the used assertions.
		for (const used of [...assertions, await assertionOf(signer, signerKey)])
			assert.equal(await errorWithAssertion(used), "invalid_client");
		// Some seconds have passed: proofs and assertions signed after the floor are accepted again.
		const raised = await rows<{ value: string }>(
			service,
			"SELECT value FROM meta WHERE key = 'nonce_floor_seconds'",
		);
		const iat = Number(raised[0]?.value) + 1;
		await eventually(
			async () => await errorWithAssertion(await assertionOf(signer, signerKey, { iat })),
			(error) => error === undefined,
		);
		const again = new TestBrowser(service);
		const fresh = await obtainTokens(same, again, await again.signIn(ada.username, ada.password));
		assert.equal(fresh.claims()?.sub, ada.id);
	});
});
