// Who gets past the Bearer guard: tried on GET /api/v1/users/me, which does nothing but pass it.

import assert from "node:assert/strict";
import {
	createHmac,
	createPrivateKey,
	createPublicKey,
	generateKeyPairSync,
	type KeyObject,
	sign,
} from "node:crypto";
import net from "node:net";
import { after, before, describe, it } from "node:test";
import { createSigningKeyStore } from "../../../src/adapters/sql/signing-key-store.ts";
import { parseMasterKeys, SecretBox } from "../../../src/crypto/secret-box.ts";
import { signingKeyContext } from "../../../src/features/auth/model.ts";
import { MINUTE_MS } from "../../../src/kernel/clock.ts";
import { addPerson, type Person, signInAgain } from "../../harness/people.ts";
import { type Answer, startTestService, type TestService } from "../../harness/service.ts";

const ME = "/api/v1/users/me";

describe("Bearer tokens", () => {
	let service: TestService;
	let person: Person;
	before(async () => {
		service = await startTestService();
		person = await addPerson(service, "ada");
	});
	after(() => service.stop());

	const me = (authorization: string | string[]): Promise<Answer> =>
		service.call("GET", ME, { headers: { authorization } });
	const assertRefused = (answer: Answer, what = ""): void => {
		assert.equal(answer.status, 401, what);
		assert.equal(answer.headers["www-authenticate"], "Bearer", what);
		assert.deepEqual(Object.keys(answer.body), ["error"], what);
	};

	/** A token with these header and claim changes, signed by `key` the way `alg` says. */
	const forge = (
		changes: { readonly header?: object; readonly claims?: object },
		signer: (input: string) => Buffer,
	): string => {
		const [header = "", payload = ""] = person.token.split(".");
		const encode = (part: string, change: object = {}) =>
			Buffer.from(
				JSON.stringify({ ...JSON.parse(Buffer.from(part, "base64url").toString("utf8")), ...change }),
			).toString("base64url");
		const input = `${encode(header, changes.header)}.${encode(payload, changes.claims)}`;
		return `${input}.${signer(input).toString("base64url")}`;
	};
	const es256 = (key: KeyObject) => (input: string) =>
		sign("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" });

	it("takes the scheme in any case, and more than one space after it", async () => {
		for (const scheme of ["Bearer", "bearer", "BEARER"])
			assert.equal((await me(`${scheme} ${person.token}`)).status, 200);
		assert.equal((await me(`Bearer   ${person.token}`)).status, 200);
	});

	it("refuses a missing, empty or differently formed header", async () => {
		assertRefused(await service.call("GET", ME));
		for (const value of [
			"",
			"Bearer",
			"Bearer ",
			person.token,
			`Basic ${person.token}`,
			`Bearer ${person.token} ${person.token}`,
			`Bearer ${person.token},`,
			`Bearer: ${person.token}`,
			`Bearer\t${person.token}`,
			`Bearer "${person.token}"`,
		])
			assertRefused(await me(value), value.slice(0, 20));
	});

	it("refuses two Authorization headers, even two good ones", async () => {
		assertRefused(await me([`Bearer ${person.token}`, `Bearer ${person.token}`]));
		const raw = `GET ${ME} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${person.token}\r\nauthorization: Bearer x\r\nConnection: close\r\n\r\n`;
		assert.match(await exchange(service.httpPort, raw), /^HTTP\/1\.1 401 /);
	});

	it("refuses a token in the query or in a cookie", async () => {
		assertRefused(await service.call("GET", `${ME}?access_token=${person.token}`));
		assertRefused(await service.call("GET", ME, { headers: { cookie: `access_token=${person.token}` } }));
	});

	it("refuses every forgery", async () => {
		const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
		const [jwk] = (await service.call("GET", "/.well-known/jwks.json")).body.keys;
		const publicKey = createPublicKey({ key: jwk, format: "jwk" });
		const pem = publicKey.export({ type: "spki", format: "pem" });
		const der = publicKey.export({ type: "spki", format: "der" });
		const ownJwk = own.publicKey.export({ format: "jwk" });
		const admin = { roles: ["admin"], sub: "01a1fbb8-cd8c-7000-a430-a692e481d229" };
		const hmac = (secret: string | Buffer) => (input: string) =>
			createHmac("sha256", secret).update(input).digest();
		const forgeries: Record<string, string> = {
			"no signature at all": forge({ header: { alg: "none" }, claims: admin }, () => Buffer.alloc(0)),
			"alg None": forge({ header: { alg: "None" } }, () => Buffer.alloc(0)),
			"HS256 with the public key as PEM": forge({ header: { alg: "HS256" } }, hmac(pem)),
			"HS256 with the public key as DER": forge({ header: { alg: "HS256" } }, hmac(der)),
			"HS256 with the JWK": forge({ header: { alg: "HS256" } }, hmac(JSON.stringify(jwk))),
			"another key under our kid": forge({}, es256(own.privateKey)),
			"another key with its own kid": forge({ header: { kid: "mine" } }, es256(own.privateKey)),
			"an embedded key": forge({ header: { jwk: ownJwk } }, es256(own.privateKey)),
			"a key by URL": forge({ header: { jku: "https://evil.example/jwks" } }, es256(own.privateKey)),
			"a critical extension": forge({ header: { crit: ["b64"], b64: true } }, es256(own.privateKey)),
			"no kid": forge({ header: { kid: undefined } }, es256(own.privateKey)),
			"a zero signature": forge({}, () => Buffer.alloc(64)),
			"an empty signature": forge({}, () => Buffer.alloc(0)),
		};
		const [header, payload, signature = ""] = person.token.split(".");
		forgeries["claims of somebody else under a good signature"] =
			`${header}.${forge({ claims: admin }, () => Buffer.alloc(0)).split(".")[1]}.${signature}`;
		forgeries["one part missing"] = `${header}.${payload}`;
		forgeries["one part more"] = `${person.token}.x`;
		forgeries["the end cut off"] = person.token.slice(0, -1);
		forgeries["one character appended"] = `${person.token}A`;
		forgeries["very long"] = `${header}.${"A".repeat(9000)}.${signature}`;
		for (const [what, token] of Object.entries(forgeries)) assertRefused(await me(`Bearer ${token}`), what);
	});

	it("refuses what its own key signed for something else", async () => {
		// The key is the service's own, taken from its folder: only what the token says is wrong.
		const key = await signingKeyOf(service);
		const good = forge({}, es256(key));
		assert.equal((await me(`Bearer ${good}`)).status, 200);
		const { iat } = JSON.parse(
			Buffer.from(person.token.split(".")[1] as string, "base64url").toString("utf8"),
		);
		const wrong: Record<string, { header?: object; claims?: object }> = {
			"no type": { header: { typ: undefined } },
			"type JWT": { header: { typ: "JWT" } },
			"another issuer": { claims: { iss: "https://evil.example" } },
			"another audience": { claims: { aud: ["https://app.example"] } },
			"no audience": { claims: { aud: undefined } },
			expired: { claims: { exp: iat - 1 } },
			"no expiry": { claims: { exp: undefined } },
			"expiry as text": { claims: { exp: "4000000000" } },
			"no session": { claims: { sid: undefined } },
			"a session of nobody": { claims: { sid: "01a1fbb8-cd8c-7000-a430-a692e481d229" } },
			"an odd session": { claims: { sid: { $ne: "" } } },
			"no subject": { claims: { sub: undefined } },
		};
		for (const [what, changes] of Object.entries(wrong))
			assertRefused(await me(`Bearer ${forge(changes, es256(key))}`), what);
	});

	it("refuses a token at its fifteenth minute, also one it knows well", async () => {
		const token = await signInAgain(service, person);
		assert.equal((await me(`Bearer ${token}`)).status, 200);
		service.clock.advance(15 * MINUTE_MS - 5_000);
		assert.equal((await me(`Bearer ${token}`)).status, 200);
		service.clock.advance(5_000);
		assertRefused(await me(`Bearer ${token}`));
	});

	it("refuses the token of a disabled and of a deleted user at once", async () => {
		const admin = await service.tokenOf("admin", "correct horse battery staple");
		for (const [name, method, body] of [
			["disabled", "PATCH", { status: "disabled" }],
			["deleted", "DELETE", undefined],
		] as const) {
			const { id } = await addUserAs(admin, name);
			const token = await service.tokenOf(name, `the long password of ${name}`);
			assert.equal((await me(`Bearer ${token}`)).status, 200);
			await service.call(method, `/api/v1/users/${id}`, { token: admin, body });
			assertRefused(await me(`Bearer ${token}`), name);
		}
	});

	it("asks for a role of now, not of sign-in", async () => {
		const admin = await service.tokenOf("admin", "correct horse battery staple");
		const { id } = await addUserAs(admin, "rising");
		const token = await service.tokenOf("rising", "the long password of rising");
		const users = () => service.call("GET", "/api/v1/users", { token });
		const refused = await users();
		assert.equal(refused.status, 403);
		assert.equal(refused.headers["www-authenticate"], undefined);
		await service.call("PATCH", `/api/v1/users/${id}`, { token: admin, body: { roles: ["auditor"] } });
		assert.equal((await users()).status, 200);
		await service.call("PATCH", `/api/v1/users/${id}`, { token: admin, body: { roles: [] } });
		assert.equal((await users()).status, 403);
	});

	async function addUserAs(token: string, username: string): Promise<{ readonly id: string }> {
		const body = {
			username,
			email: `${username}@people.example`,
			password: `the long password of ${username}`,
		};
		const answer = await service.call("POST", "/api/v1/users", { token, body });
		assert.equal(answer.status, 201);
		return answer.body.data;
	}
});

/** The private key of a running service, opened the way the service does. */
async function signingKeyOf(service: TestService): Promise<KeyObject> {
	const box = new SecretBox(parseMasterKeys(service.masterKeys()));
	const engine = await service.openDatabase();
	const [key] = await createSigningKeyStore(engine.queries).listAll();
	await engine.close();
	assert.ok(key !== undefined);
	const jwk = JSON.parse(box.open(key.privateSealed, signingKeyContext(key.kid)));
	return createPrivateKey({ key: jwk, format: "jwk" });
}

/** One raw request and everything that comes back. */
function exchange(port: number, request: string): Promise<string> {
	return new Promise((resolve, reject) => {
		const socket = net.connect(port, "127.0.0.1", () => socket.write(request));
		let answer = "";
		socket.setEncoding("utf8");
		socket.on("data", (chunk) => {
			answer += chunk;
		});
		socket.on("end", () => resolve(answer));
		socket.on("error", reject);
	});
}
