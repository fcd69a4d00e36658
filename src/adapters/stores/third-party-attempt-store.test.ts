import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import type { NewThirdPartyAttempt } from "../../domain/third-party-attempt.ts";
import type { NewUser } from "../../domain/user.ts";
import { newId } from "../../kernel/id.ts";

const LIFE_MS = 600_000;
let made = 0;

onEachEngine("attempts and sign-ins of third-party login", (database) => {
	let ada: NewUser;
	const corpId = newId(0);
	before(async () => {
		ada = await database.addUser({ username: "ada" });
		const { tenantId } = ada;
		const fields = {
			provider: "corp",
			kind: "oidc",
			displayName: "Corp",
			clientId: "c",
			issuer: null,
		} as const;
		const times = { clientSecretSetAtMs: 0, createdAtMs: 0, updatedAtMs: 0 };
		const row = {
			id: corpId,
			tenantId,
			...fields,
			...times,
			clientSecretSealed: "",
			lastTest: null,
			createdBy: null,
			managedBy: null,
		};
		const issuer = {
			uses: ["sign_in"],
			jwksUri: null,
			jwks: null,
			jwksSetAtMs: null,
			audience: null,
			subjectClaim: "sub",
			mfaAcr: [],
			emailDomains: "any",
		} as const;
		const corp = { ...row, ...issuer, enabled: true, signUp: false };
		await database.db.transaction((stores) => stores.identityProviders.insert(corp, 1));
	});

	const attempts = () => database.db.stores.thirdPartyAttempts;
	const begin = async (fields: Partial<NewThirdPartyAttempt> = {}): Promise<NewThirdPartyAttempt> => {
		const now = database.clock.now();
		const stateDigest = `state-${++made}`;
		const attempt: NewThirdPartyAttempt = {
			id: newId(now),
			tenantId: ada.tenantId,
			providerId: newId(now),
			returnTo: "/sign-in?a=b",
			linkTo: null,
			isTest: false,
			browserDigest: "mine",
			stateDigest,
			protocolSealed: `sealed for ${stateDigest}`,
			expiresAtMs: now + LIFE_MS,
			...fields,
		};
		await attempts().insert(attempt);
		return attempt;
	};
	const take = (state: string, browser: string, atMs = database.clock.now()) =>
		database.db.transaction((stores) => stores.thirdPartyAttempts.take(state, browser, atMs));

	it("are taken unchanged by the browser that began them, until they expire", async () => {
		const linkTo = { userId: ada.id, sessionId: newId(0) };
		for (const fields of [{ linkTo }, {}, { isTest: true }] as Partial<NewThirdPartyAttempt>[]) {
			const { stateDigest, browserDigest, ...attempt } = await begin(fields);
			assert.equal(await take(stateDigest, "theirs"), undefined);
			assert.equal(await take("none", browserDigest), undefined);
			assert.equal(await take(stateDigest, browserDigest, attempt.expiresAtMs), undefined);
			assert.deepEqual(await take(stateDigest, browserDigest), attempt);
		}
	});

	it("are taken by one of many concurrent callers", async () => {
		const { id, stateDigest } = await begin();
		const taken = await Promise.all(Array.from({ length: 8 }, () => take(stateDigest, "mine")));
		assert.deepEqual(
			taken.filter((attempt) => attempt !== undefined).map((attempt) => attempt.id),
			[id],
		);
	});

	it("are purged when they have expired", async () => {
		const { expiresAtMs } = await begin();
		assert.equal(await attempts().purge(expiresAtMs - 1, 10), 0);
		assert.equal(await attempts().purge(expiresAtMs, 10), 1);
	});

	describe("sign-ins", () => {
		const signIns = () => database.db.stores.thirdPartySignIns;
		const link = async (providerUserId: string): Promise<string> => {
			const now = database.clock.now();
			const id = newId(now);
			const account = { id, tenantId: ada.tenantId, userId: ada.id, provider: "corp", providerUserId };
			await database.db.stores.thirdPartyAccounts.insert({ ...account, linkedAtMs: now });
			return id;
		};
		const put = async (browserDigest: string, accountId: string): Promise<number> => {
			const expiresAtMs = database.clock.now() + 60_000;
			await signIns().put({ browserDigest, tenantId: ada.tenantId, accountId, expiresAtMs });
			return expiresAtMs;
		};

		it("are found until they expire, and consumed once", async () => {
			const accountId = await link("1");
			const expiresAtMs = await put("one", accountId);
			const found = await signIns().find("one", expiresAtMs - 1);
			assert.deepEqual([found?.accountId, found?.user.id], [accountId, ada.id]);
			assert.equal(await signIns().find("one", expiresAtMs), undefined);
			assert.equal(await signIns().consume("one", accountId, expiresAtMs), false);
			const consume = () => signIns().consume("one", accountId, expiresAtMs - 1);
			const consumed = await Promise.all(Array.from({ length: 8 }, consume));
			assert.equal(consumed.filter(Boolean).length, 1);
		});

		it("replace an earlier one of the same browser, which can no longer be consumed", async () => {
			const [first, second] = [await link("2"), await link("3")];
			await put("two", first);
			const expiresAtMs = await put("two", second);
			assert.equal((await signIns().find("two", expiresAtMs - 1))?.accountId, second);
			assert.equal(await signIns().consume("two", first, expiresAtMs - 1), false);
			assert.equal(await signIns().consume("two", second, expiresAtMs - 1), true);
		});

		it("wait while their provider is disabled", async () => {
			const accountId = await link("5");
			const expiresAtMs = await put("four", accountId);
			const enable = (enabled: boolean) =>
				database.db.stores.identityProviders.update(ada.tenantId, corpId, { enabled }, 0);
			await enable(false);
			assert.equal(await signIns().find("four", expiresAtMs - 1), undefined);
			assert.equal(await signIns().consume("four", accountId, expiresAtMs - 1), false);
			await enable(true);
			assert.equal(await signIns().consume("four", accountId, expiresAtMs - 1), true);
		});

		it("end with the link of their account, and are purged when they have expired", async () => {
			const accountId = await link("4");
			const expiresAtMs = await put("three", accountId);
			await database.db.stores.thirdPartyAccounts.remove(ada.tenantId, ada.id, accountId);
			assert.equal(await signIns().find("three", expiresAtMs - 1), undefined);
			assert.equal(await signIns().consume("three", accountId, expiresAtMs - 1), false);
			assert.equal(await signIns().purge(expiresAtMs - 1, 10), 0);
			assert.equal(await signIns().purge(expiresAtMs, 10), 1);
		});
	});
});
