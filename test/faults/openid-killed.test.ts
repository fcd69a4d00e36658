// Kills the service while it redeems codes and refreshes tokens: no returned token is lost, and nothing is used twice.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as client from "openid-client";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import {
	type AuthorizationRequest,
	type ConnectedClient,
	connect,
	exchange,
	ISSUER,
	relyingParty,
	startAuthorization,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { freePorts, type ReadyProgram, startProgram } from "../harness/processes/program.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { type Calls, createCalls } from "../harness/service/calls.ts";
import { makePlace, type Place } from "../harness/service/installation.ts";

/** Rounds on each engine. */
const ROUNDS = atDepth({ quick: 2, all: 5, long: 50 });
const AT_ONCE = 4;
const GRACE_MS = 10_000;

type Tokens = Awaited<ReturnType<typeof exchange>>;
interface Code {
	readonly returned: URL;
	readonly asked: AuthorizationRequest;
}

describe("kill -9 between issue and use of a token", () => {
	let place: Place;
	let env: Record<string, string>;
	let program: ReadyProgram;
	let calls: Calls;
	let party: client.Configuration;
	let shop: ConnectedClient;
	let browser: TestBrowser;
	let cookie: string;
	before(async () => {
		place = await makePlace(TEST_ENGINE);
		const service = await place.serve({ env: { LATCHKEY_PUBLIC_URL: ISSUER } });
		const ada = await addPerson(service, "ada");
		shop = await connect(service, { firstParty: true });
		const first = new TestBrowser(service);
		await first.signIn(ada.username, ada.password);
		cookie = first.cookie("__Host-latchkey") ?? "";
		await service.stop();
		const [port, httpsPort] = await freePorts(2);
		env = {
			...place.env,
			LATCHKEY_PUBLIC_URL: ISSUER,
			LATCHKEY_PORT: String(port),
			LATCHKEY_HTTPS_PORT: String(httpsPort),
			LATCHKEY_RATE_LIMIT_PER_MINUTE: "0",
			LATCHKEY_CLIENT_LIMIT_PER_MINUTE: "0",
		};
		await start();
	});
	after(async () => {
		calls.close();
		await program.end();
		await place.remove();
	});

	async function start(): Promise<void> {
		program = await startProgram({ env });
		calls = createCalls({
			http: Number(env.LATCHKEY_PORT),
			https: Number(env.LATCHKEY_HTTPS_PORT),
		});
		party = await relyingParty(calls, shop);
		browser = new TestBrowser(calls);
		browser.setCookie("__Host-latchkey", cookie);
	}

	async function newCode(): Promise<Code> {
		const asked = await startAuthorization(party);
		const { headers } = await browser.go(asked.url.href);
		const returned = new URL(headers.location ?? "");
		assert.ok(returned.searchParams.has("code"), returned.href);
		return { returned, asked };
	}
	const redeem = ({ returned, asked }: Code): Promise<Tokens> => exchange(party, returned, asked);
	const refresh = ({ refresh_token: token = "" }: { refresh_token?: string | undefined }) =>
		client.refreshTokenGrant(party, token);
	const many = <T>(make: () => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, make));

	/** Kills after this many responses; missing responses are undefined. */
	async function killAfter<T>(
		responses: number,
		requests: readonly (() => Promise<T>)[],
	): Promise<(T | undefined)[]> {
		let answered = 0;
		let isKilled = false;
		const kill = (): void => {
			if (isKilled || answered < responses) return;
			isKilled = true;
			program.kill("SIGKILL");
		};
		const results = requests.map(async (request) => {
			try {
				const result = await request();
				answered += 1;
				kill();
				return result;
			} catch (error) {
				// An error from the service is not a broken connection.
				assert.equal(isKilled && !(error instanceof client.ResponseBodyError), true, String(error));
				return undefined;
			}
		});
		setImmediate(kill);
		const settled = await Promise.all(results);
		await program.end();
		calls.close();
		return settled;
	}

	const refusedWith = async (attempt: Promise<unknown>) =>
		assert.rejects(attempt, (error) => (error as { error?: string }).error === "invalid_grant");
	const fulfilled = <T>(all: readonly PromiseSettledResult<T>[]): T[] =>
		all.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));

	test(`${ROUNDS} times: returned tokens work, and codes and refresh tokens are used once`, async (t) => {
		const seen = { answered: 0, unanswered: 0, usedUnanswered: 0, late: 0 };
		for (let round = 0; round < ROUNDS; round++) {
			const codes = await many(newCode);
			const held = await many(async () => redeem(await newCode()));
			// A short run also covers both few and many responses.
			const killedAt = (3 * round) % (2 * AT_ONCE);
			const results = await killAfter(killedAt, [
				...codes.map((code) => () => redeem(code)),
				...held.map((tokens) => () => refresh(tokens)),
			]);
			const beganAt = performance.now();
			await start();
			for (const [index, response] of results.entries()) {
				const code = codes[index];
				const before = held[index - AT_ONCE];
				seen[response === undefined ? "unanswered" : "answered"] += 1;
				if (response !== undefined) {
					assert.equal(
						(await refresh(response)).token_type,
						"bearer",
						`round ${round}: a returned token is lost`,
					);
					await refusedWith(code === undefined ? refresh(before ?? {}) : redeem(code));
				} else if (code !== undefined) {
					const tries = fulfilled(await Promise.allSettled([redeem(code), redeem(code)]));
					assert.ok(tries.length <= 1, `round ${round}: a code was used twice`);
					if (tries.length === 0) seen.usedUnanswered += 1;
				} else {
					// Used without a response: the grace period returns the same successor again.
					const tries = fulfilled(await Promise.allSettled([refresh(before ?? {}), refresh(before ?? {})]));
					const isLate = performance.now() - beganAt > GRACE_MS - 1_000;
					if (isLate) seen.late += 1;
					else assert.equal(tries.length, 2, `round ${round}: a refresh token is lost`);
					assert.ok(new Set(tries.map((each) => each.refresh_token)).size <= 1);
				}
			}
		}
		t.diagnostic(JSON.stringify(seen));
		assert.ok(seen.answered > ROUNDS && seen.unanswered > ROUNDS, "there was hardly any load");
	});

	test("leaves at most one valid refresh token and one used code per sign-in", async () => {
		const engine = await place.open();
		const count = async (kind: string, more: string): Promise<number> => {
			const found = await engine.queries.all(
				`SELECT grant_id FROM oauth_records WHERE kind = $1 ${more} GROUP BY grant_id HAVING count(*) > 1`,
				kind,
			);
			return found.length;
		};
		assert.deepEqual(
			[await count("RefreshToken", "AND consumed_at IS NULL"), await count("AuthorizationCode", "")],
			[0, 0],
		);
		const [{ grants } = { grants: 0 }] = await engine.queries.all<{ grants: number }>(
			"SELECT count(DISTINCT grant_id) AS grants FROM oauth_records WHERE kind = 'RefreshToken'",
		);
		await engine.close();
		assert.ok(grants >= ROUNDS * AT_ONCE);
	});
});
