import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { NOW, testDatabase } from "../../../../test/harness/databases/database.ts";
import { storeApplication, storeTenant } from "../../../../test/harness/databases/stores.ts";
import { randomBytes32 } from "../../../crypto/random.ts";
import { SecretBox } from "../../../crypto/secret-box.ts";
import type { Caller } from "../../../domain/caller.ts";
import { newId } from "../../../kernel/id.ts";
import { SYSTEM_ORIGIN } from "../../../kernel/origin.ts";
import { createApiClient } from "./manage-api-client.ts";
import { regenerateSecret } from "./renew-secret.ts";
import { type CredentialsValidator, createCredentialsValidator } from "./validate-credentials.ts";

/** Counts opened Secrets: the work whose time could reveal known keys. */
class CountingBox extends SecretBox {
	opened = 0;

	override open(sealed: string, context: string): string {
		this.opened++;
		return super.open(sealed, context);
	}
}

describe("API client credentials", () => {
	const secretBox = new CountingBox([randomBytes32()]);
	const clock = () => NOW;
	const stores = testDatabase();
	let context: Caller;
	let appId: string;
	let validate: CredentialsValidator;
	before(async () => {
		context = {
			tenantId: await storeTenant(stores),
			userId: null,
			actor: "system",
			actorName: "",
			origin: SYSTEM_ORIGIN,
		};
		appId = await storeApplication(stores, context.tenantId);
		validate = createCredentialsValidator({ db: stores.db, secretBox, clock });
	});

	const create = async () => {
		const wanted = {
			appId,
			name: "Partner",
			scopes: undefined,
			ipAllowlist: [],
			ipAllowlistMode: "enforce",
			expiresAtMs: null,
		} as const;
		const { client, secretPlain } = await createApiClient(
			{ db: stores.db, secretBox, clock },
			wanted,
			context,
		);
		assert.ok(secretPlain !== undefined);
		return { client, secretPlain };
	};

	it("cost the same work for known, foreign, unclaimed and unknown keys", async () => {
		const { client, secretPlain } = await create();
		const overlapping = await create();
		const deps = { db: stores.db, secretBox, clock };
		await regenerateSecret(deps, overlapping.client.id, 60, context);
		const unclaimedKey = "ak_unclaimed0000000000";
		await stores.db.stores.apiClients.insert({
			...client,
			id: newId(NOW),
			apiKey: unclaimedKey,
			status: "unclaimed",
			secretSealed: null,
			previousSecretSealed: null,
		});
		const foreign = await storeTenant(stores);
		const { tenantId } = context;
		for (const [tenant, apiKey, given, valid] of [
			[tenantId, client.apiKey, secretPlain, true],
			[tenantId, client.apiKey, "sk_wrong", false],
			[tenantId, overlapping.client.apiKey, overlapping.secretPlain, true],
			[tenantId, overlapping.client.apiKey, "sk_wrong", false],
			[tenantId, unclaimedKey, "sk_wrong", false],
			[tenantId, "ak_unknown000000000000", secretPlain, false],
			[foreign, client.apiKey, secretPlain, false],
		] as const) {
			secretBox.opened = 0;
			assert.equal((await validate(tenant, { apiKey, secretPlain: given })).valid, valid, apiKey);
			assert.equal(secretBox.opened, 2, apiKey);
		}
	});

	it("are regenerated one after the other by concurrent calls: the last two Secrets are valid", async () => {
		const { client, secretPlain: first } = await create();
		const needed = { db: stores.db, secretBox, clock };
		const calls = Array.from({ length: 20 }, () => regenerateSecret(needed, client.id, 60, context));
		const secrets = [first, ...(await Promise.all(calls)).map(({ secretPlain }) => secretPlain)];
		assert.equal(new Set(secrets).size, 21);
		const results = await Promise.all(
			secrets.map((secretPlain) => validate(context.tenantId, { apiKey: client.apiKey, secretPlain })),
		);
		assert.equal(results.filter(({ valid }) => valid).length, 2);
		assert.equal(results[0]?.valid, false);
	});
});
