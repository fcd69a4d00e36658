// `@latchkey/client`: known answers, size, types, and calls of a running service.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { resolve } from "node:path";
import { before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { createClient, LatchkeyError, rotateSecret, sign } from "../../packages/client/src/index.ts";
import { ed25519 } from "../../packages/client/src/key.ts";
import type * as operations from "../../packages/client/src/operations.ts";
import { permits } from "../../packages/client/src/permits.ts";
import {
	addApiClient,
	addApplication,
	addRole,
	type CreatedClient,
	putGrant,
} from "../harness/access/applications.ts";
import { addKeyClient } from "../harness/access/partner-keys.ts";
import { addPerson, type Person } from "../harness/people/people.ts";
import { testService } from "../harness/runs/fixture.ts";
import type { DataOf } from "../harness/service/wire-body.ts";
import { KEYS, KNOWN_CLIENT, PERMITS, VECTORS } from "./vectors.ts";

const SOURCES = resolve(import.meta.dirname, "../../packages/client/src");

describe("known answers", () => {
	for (const { id, comment, method, target, timestamp, nonce, body_base64, signature } of VECTORS)
		test(`${id}: ${comment}`, async () => {
			const body = new Uint8Array(Buffer.from(body_base64, "base64"));
			const options = { now: () => Number(timestamp) * 1000, nonce: () => nonce };
			const headers = await sign(KNOWN_CLIENT, method, target, body, options);
			assert.equal(headers["x-signature"], signature);
			assert.equal(headers["x-timestamp"], timestamp);
			assert.equal(headers["x-nonce"], nonce);
		});

	test("of keys: the same requests, and RFC 8032", async () => {
		const { secret: _, ...client } = KNOWN_CLIENT;
		const byKey = { ...client, privateKey: KEYS.private_key_pem };
		for (const [index, { method, target, timestamp, nonce, body_base64 }] of VECTORS.entries()) {
			const body = new Uint8Array(Buffer.from(body_base64, "base64"));
			const options = { now: () => Number(timestamp) * 1000, nonce: () => nonce };
			const headers = await sign(byKey, method, target, body, options);
			assert.equal(headers["x-signature"], KEYS.vectors[index]?.signature);
		}
		assert.ok(KEYS.rfc8032.length >= 3);
		for (const { private_key_pem: privateKey, message_hex, signature } of KEYS.rfc8032) {
			const message = new Uint8Array(Buffer.from(message_hex, "hex"));
			for (const key of [privateKey, privateKey.replaceAll("\n", " ")])
				assert.equal(Buffer.from(await ed25519(key, message)).toString("hex"), signature);
		}
	});

	test("of permits", () => {
		assert.ok(PERMITS.length > 50);
		for (const { held, needed, permitted } of PERMITS) assert.equal(permits(held, needed), permitted);
		assert.equal(permits(undefined, "orders:read"), false);
	});
});

test("names the credential that is missing, and refuses a target that no request line can contain", async () => {
	for (const [name, header] of [
		["tenantId", "x-tenant-id"],
		["appId", "x-app-id"],
		["apiKey", "x-api-key"],
		["secret", "secret"],
	] as const)
		for (const value of ["", undefined as unknown as string, "a\nb", "a "])
			await assert.rejects(sign({ ...KNOWN_CLIENT, [name]: value }, "GET", "/"), {
				name: "TypeError",
				message: `${header} is missing or not visible ASCII`,
			});
	const { secret, ...client } = KNOWN_CLIENT;
	const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
	for (const privateKey of [
		"no key",
		"nokey",
		secret,
		KEYS.private_key_pem.slice(0, -40),
		rsa.export({ format: "pem", type: "pkcs8" }).toString(),
	])
		await assert.rejects(sign({ ...client, privateKey }, "GET", "/"), {
			name: "TypeError",
			message: "privateKey is not an Ed25519 key as PKCS#8 PEM",
		});
	await assert.rejects(sign({ ...KNOWN_CLIENT, privateKey: KEYS.private_key_pem }, "GET", "/"), {
		message: "secret and privateKey exclude each other",
	});
	for (const target of ["", "/a b", "/ü", "/a\n"])
		await assert.rejects(sign(KNOWN_CLIENT, "GET", target), {
			message: "target is missing or not visible ASCII",
		});
});

for (const [entry, bytes] of [
	["index.ts", 2_048],
	["admin.ts", 2_048],
	["gate.ts", 2_560],
] as const)
	test(`${entry} has at most ${bytes} bytes, bundled and compressed`, async () => {
		const { outputFiles } = await build({
			entryPoints: [resolve(SOURCES, entry)],
			bundle: true,
			minify: true,
			format: "esm",
			target: "es2022",
			write: false,
			splitting: true,
			outdir: SOURCES,
			chunkNames: "[name]",
		});
		const [loaded = 0, ...later] = outputFiles.map(({ contents }) => gzipSync(contents, { level: 9 }).length);
		assert.ok(loaded <= bytes, `${loaded}`);
		// Loaded by the first signature with a key.
		assert.ok(later.length <= 1 && later.every((length) => length <= 512), `${later}`);
	});

/** Compiles only if the responses of the service have the types that the package declares. */
type Declares<Declared, Served extends Declared> = [Declared, Served];
export type Declared = [
	Declares<operations.BasicUser, DataOf<"GET /api/v1/external/users/{id}">>,
	Declares<operations.AccessDecision, DataOf<"POST /api/v1/external/users/check-access">>,
	Declares<operations.UserWithThirdPartyAccount, DataOf<"POST /api/v1/external/third-party/find-user">>,
	Declares<operations.WhoAmI, DataOf<"GET /api/v1/external/whoami">>,
	Declares<operations.ApiClient & { secret: string }, DataOf<"POST /api/v1/external/secret/rotate">>,
];

describe("against a running service", () => {
	const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1/32,::1/128" } });
	let added: CreatedClient;
	let ada: Person;
	before(async () => {
		const { id } = await addApplication(service);
		added = await addApiClient(service, { app_id: id });
		ada = await addPerson(service, "ada");
		await addRole(service, id, "reader", ["orders:*"]);
		await putGrant(service, id, ada.id, ["reader"]);
	});

	/** A proxy terminates TLS. */
	const throughProxy: typeof fetch = (input, init) => {
		const headers = new Headers(init?.headers);
		headers.set("x-forwarded-proto", "https");
		return fetch(input, { ...init, headers });
	};
	const credentials = (secret = added.secret) => ({
		url: service.httpUrl,
		tenantId: added.tenant_id,
		appId: added.app_id,
		apiKey: added.api_key,
		secret,
	});
	const client = (options = {}) => createClient(credentials(), { fetch: throughProxy, ...options });

	test("calls every operation", async () => {
		const { client: calling, scheme } = await client().whoami();
		assert.deepEqual([calling.id, scheme], [added.id, "https"]);
		assert.equal((await client().getUser(ada.id)).username, "ada");
		const decision = await client().checkAccess({ user_id: ada.id, permission: "orders:read" });
		assert.deepEqual([decision.allowed, decision.permissions], [true, ["orders:*"]]);
		const denied = await client().checkAccess({ user_id: ada.id, permission: "users:read" });
		assert.deepEqual([denied.allowed, denied.reason], [false, "missing_permission"]);
		const refusals = await client().fetch("/api/v1/external/refusals?page=1&page_size=5");
		assert.equal(refusals.status, 200);
	});

	test("signs with a key", async () => {
		const keyed = await addKeyClient(service);
		const { secret: _, ...others } = credentials();
		const client = createClient(
			{
				...others,
				appId: keyed.app_id,
				apiKey: keyed.api_key,
				privateKey: keyed.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
			},
			{ fetch: throughProxy },
		);
		assert.equal((await client.whoami()).client.id, keyed.id);
	});

	test("throws a refusal with its code and the page that explains it", async () => {
		const missing = client().findUser({ provider: "wechat", provider_user_id: "none" });
		await assert.rejects(missing, (error) => {
			assert.ok(error instanceof LatchkeyError);
			assert.deepEqual([error.status, error.code], [404, "user.not_found"]);
			assert.match(error.docs, /\/docs\/errors#user\.not_found$/);
			assert.match(error.requestId, /^\S{8,}$/);
			assert.equal(error.message, "no user has this third-party account");
			return true;
		});
		await assert.rejects(client().getUser("../../users/me?a=b"), { code: "user.not_found" });
		const wrong = createClient(credentials("sk_wrong"), { fetch: throughProxy });
		await assert.rejects(wrong.whoami(), { name: "LatchkeyError", status: 401, code: "signature.invalid" });
	});

	test("throws a refusal of a proxy that sends no JSON", async () => {
		const answer = async () => new Response("<h1>Bad gateway</h1>", { status: 502 });
		await assert.rejects(client({ fetch: answer }).whoami(), { status: 502, code: "", message: "HTTP 502" });
	});

	test("corrects a clock that is an hour off, in either direction", async () => {
		for (const offMs of [-3_600_000, 3_600_000]) {
			const wrong = client({ now: () => Date.now() + offMs });
			assert.equal((await wrong.whoami()).client.id, added.id);
		}
	});

	test("rotates the Secret, and both are valid during the overlap", async () => {
		const rotated = await rotateSecret(credentials(), { overlap_seconds: 60 }, { fetch: throughProxy });
		assert.match(rotated.secret, /^sk_/);
		assert.notEqual(rotated.secret, added.secret);
		const renewed = createClient(credentials(rotated.secret), { fetch: throughProxy });
		assert.equal((await renewed.whoami()).client.secret_hint, rotated.secret.slice(-4));
		assert.equal((await client().whoami()).client.id, added.id);
		added = { ...added, secret: rotated.secret };
	});
});
