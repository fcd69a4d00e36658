// Rotates the signing key while tokens are issued and verified on every node, and by an external verifier that honors
// the Cache-Control of the JWK set. No token may be refused.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { randomBytes32 } from "../../src/crypto/random.ts";
import { usableKeys } from "../../src/features/identity/auth/signing-key-life.ts";
import { createSigningKeyJob } from "../../src/jobs/remove-signing-keys.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../src/kernel/clock.ts";
import { rotateSigningKey } from "../../src/ops/keys/rotate-signing-key.ts";
import { until } from "../harness/databases/ledger.ts";
import { createPostgresDatabase, type OwnDatabase, TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { type BesideService, openBeside } from "../harness/service/beside-service.ts";
import { ADMIN, startTestService, type TestService } from "../harness/service/service.ts";
import type { DataOf } from "../harness/service/wire-body.ts";

const JWKS = "/.well-known/jwks.json";
const ME = "/api/v1/users/me";
/** The service's clock advances in steps; in each step every caller uses its token once. */
const STEP_MS = atDepth({ quick: 30, all: 30, long: 10 }) * SECOND_MS;
const CALLERS = atDepth({ quick: 2, all: 2, long: 4 });
/** Tokens are used until shortly before they expire, which covers the last ones of the old key. */
const TOKEN_USED_MS = 14 * MINUTE_MS;

let database: OwnDatabase | undefined;
let nodes: TestService[];
let beside: BesideService;
const first = (): TestService => nodes[0] as TestService;

before(async () => {
	if (TEST_ENGINE === "postgres") {
		database = await createPostgresDatabase({ migrated: true });
		const env = {
			LATCHKEY_DATABASE_URL: `${database.url}?pool_size=8`,
			LATCHKEY_MASTER_KEY: randomBytes32().toString("base64"),
		};
		nodes = [await startTestService({ env }), await startTestService({ env })];
	} else nodes = [await startTestService()];
	beside = await openBeside(first());
});
after(async () => {
	await beside.close();
	for (const node of nodes) await node.stop();
	await database?.drop();
});

function advance(milliseconds: number): void {
	for (const node of nodes) node.clock.advance(milliseconds);
}

const login = (node: TestService) => node.call("POST", "/api/v1/auth/login", { body: ADMIN });
const me = (node: TestService, token: string) => node.call("GET", ME, { token });
const kidOf = (token: string): string =>
	JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString("utf8")).kid;
const publishedBy = async (node: TestService): Promise<string[]> =>
	(await node.call("GET", JWKS)).body.keys.map(({ kid }) => kid);

/** Verifies with only the JWK set, fetched again when its max-age has passed by the service's clock. */
function outsideVerifier(node: TestService) {
	let set: ReturnType<typeof createRemoteJWKSet> | undefined;
	let untilMs = 0;
	let fetches = 0;
	return {
		fetches: () => fetches,
		async verify(token: string): Promise<void> {
			const now = node.clock.now();
			if (set === undefined || now >= untilMs) {
				fetches++;
				const response = await node.call("GET", JWKS);
				const maxAge = /max-age=(\d+)/.exec(response.headers["cache-control"] ?? "")?.[1];
				untilMs = now + Number(maxAge) * SECOND_MS;
				const endless = { cacheMaxAge: Number.POSITIVE_INFINITY, cooldownDuration: Number.POSITIVE_INFINITY };
				set = createRemoteJWKSet(new URL(JWKS, node.httpUrl), endless);
			}
			const issuer = "https://localhost:8443";
			const currentDate = new Date(node.clock.now() - STEP_MS);
			await jwtVerify(token, set, {
				algorithms: ["ES256"],
				typ: "at+jwt",
				issuer,
				audience: issuer,
				currentDate,
			});
		},
	};
}

interface Ledger {
	readonly accepted: Map<string, number>;
	readonly refused: string[];
}

/** One caller with its own session. The returned function uses its token once on every node and outside. */
async function startCaller(home: TestService, ledger: Ledger): Promise<() => Promise<void>> {
	const verifiers = nodes.map(outsideVerifier);
	let session: DataOf<"POST /api/v1/auth/refresh"> = (await login(home)).body.data;
	let issuedAtMs = home.clock.now();
	return async () => {
		if (home.clock.now() - issuedAtMs >= TOKEN_USED_MS) {
			const body = { refresh_token: session.refresh_token };
			const response = await home.call("POST", "/api/v1/auth/refresh", { body });
			if (response.status !== 200) ledger.refused.push(`refresh ${response.status}`);
			session = response.body.data;
			issuedAtMs = home.clock.now();
		}
		const token: string = session.access_token;
		for (const [index, node] of nodes.entries()) {
			const { status } = await me(node, token);
			if (status !== 200) ledger.refused.push(`node ${index}: ${status}`);
			await verifiers[index]?.verify(token).catch((error) => ledger.refused.push(`outside: ${error}`));
		}
		ledger.accepted.set(kidOf(token), (ledger.accepted.get(kidOf(token)) ?? 0) + 1);
	};
}

describe("keys rotate under load", () => {
	it("refuses no token, neither on a node nor in an application that verifies it", async (t) => {
		const [old = ""] = await publishedBy(first());
		const ledger: Ledger = { accepted: new Map(), refused: [] };
		const callers = await Promise.all(
			Array.from({ length: CALLERS }, (_, index) =>
				startCaller(nodes[index % nodes.length] as TestService, ledger),
			),
		);
		const letPass = async (milliseconds: number): Promise<void> => {
			for (let passed = 0; passed < milliseconds; passed += STEP_MS) {
				await Promise.all(callers.map((useToken) => useToken()));
				advance(STEP_MS);
			}
		};
		await letPass(2 * MINUTE_MS);
		const { kid, signsFromMs } = await rotateSigningKey(beside, { atOnce: false });
		assert.equal(signsFromMs - first().clock.now() > 14 * MINUTE_MS, true);
		// Nodes read the keys every two seconds, far less than a key is published ahead.
		for (const node of nodes)
			await until("every node publishes the new key", async () => (await publishedBy(node)).includes(kid));
		await letPass(33 * MINUTE_MS);
		t.diagnostic(
			`${nodes.length} node(s): ${ledger.accepted.get(old)} rounds with the old key, ${ledger.accepted.get(kid)} with the new, ${ledger.refused.length} refused`,
		);
		assert.deepEqual(ledger.refused, []);
		assert.deepEqual([...ledger.accepted.keys()].sort(), [old, kid].sort());
		for (const count of ledger.accepted.values()) assert.ok(count > 20, "there was hardly any load");
		for (const node of nodes) assert.deepEqual(await publishedBy(node), [kid], "the old key is published on");
	});

	it("refuses a second key while one waits to sign, and records the rotation", async () => {
		const { kid } = await rotateSigningKey(beside, { atOnce: false });
		await assert.rejects(
			rotateSigningKey(beside, { atOnce: false }),
			new RegExp(`${kid} was already published`),
		);
		const token = await first().tokenOf(ADMIN.username, ADMIN.password);
		const events = await first().call("GET", "/api/v1/audit-events?action=signing_key.published", { token });
		assert.equal(events.body.total, 2);
		assert.equal(events.body.data[0]?.target, `signing_key:${kid}`);
	});
});

describe("keys rotate --now", () => {
	it("invalidates every earlier token on every node, but no session", async () => {
		const session = (await login(first())).body.data;
		for (const node of nodes) assert.equal((await me(node, session.access_token)).status, 200);
		const before = usableKeys(await beside.db.stores.signingKeys.listAll(), beside.clock());
		const { kid, withdrawn } = await rotateSigningKey(beside, { atOnce: true });
		assert.deepEqual([...withdrawn].sort(), before.map((key) => key.kid).sort());
		for (const node of nodes)
			await until(
				"the old token is refused",
				async () => (await me(node, session.access_token)).status === 401,
			);
		const body = { refresh_token: session.refresh_token };
		const renewed = await first().call("POST", "/api/v1/auth/refresh", { body });
		assert.equal(renewed.status, 200);
		assert.equal(kidOf(renewed.body.data.access_token), kid);
		for (const node of nodes) {
			assert.equal((await me(node, renewed.body.data.access_token)).status, 200);
			assert.deepEqual(await publishedBy(node), [kid]);
		}
	});

	it("leads each node to load the key with the first token that names it", async () => {
		const last = nodes.at(-1) as TestService;
		const { kid } = await rotateSigningKey(beside, { atOnce: true });
		// Keys are read before signing if the clock has advanced.
		advance(MINUTE_MS);
		const { access_token } = (await login(first())).body.data;
		assert.equal(kidOf(access_token), kid);
		assert.equal((await me(last, access_token)).status, 200);
	});
});

describe("a retired key", () => {
	const kidsStored = async () => (await beside.db.stores.signingKeys.listAll()).map(({ kid }) => kid);
	const log = { info: () => undefined } as never;

	it("is deleted after a day, unless the newest checkpoint of a trail needs it", async () => {
		const [signing = ""] = await publishedBy(first());
		const tenant = await beside.db.stores.tenants.findBySlug("default");
		assert.ok(tenant !== undefined);
		const [needed = ""] = (await kidsStored()).filter((kid) => kid !== signing);
		const header = Buffer.from(JSON.stringify({ alg: "ES256", kid: needed })).toString("base64url");
		// Only the key id matters here; the tests of audit prune verify checkpoints with such keys.
		await beside.db.transaction(({ checkpoints }) =>
			checkpoints.prune({
				tenantId: tenant.id,
				sequence: 1,
				hash: "0".repeat(64),
				statement: `${header}.e30.AA`,
				createdAtMs: beside.clock(),
			}),
		);
		const job = createSigningKeyJob({ db: beside.db, clock: beside.clock, log });
		const all = await kidsStored();
		await job.run();
		assert.deepEqual(await kidsStored(), all, "too early");
		advance(DAY_MS + MINUTE_MS);
		await job.run();
		assert.deepEqual((await kidsStored()).sort(), [signing, needed].sort());
	});
});
