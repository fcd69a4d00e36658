import assert from "node:assert/strict";
import { it } from "node:test";
import { sha256Hex } from "../../crypto/digest.ts";
import { AppError } from "../../kernel/error.ts";
import type { Queries } from "../sql/queries.ts";
import { groupedNonces } from "./grouped-nonces.ts";

it("nonces that wait behind a group fail with it, instead of asking an absent database in turn", async () => {
	let asked = 0;
	const absent = async (): Promise<never> => {
		asked++;
		throw new AppError("service.unavailable", "the database does not respond", { retryAfterSeconds: 1 });
	};
	const queries: Queries = { all: absent, one: absent, run: absent };
	const engine = { queries, transaction: absent, serverIdentity: undefined };
	const nonces = groupedNonces(engine, { digestOf: sha256Hex })(queries);
	const claims = Array.from({ length: 1_000 }, (_, index) => nonces.claim("client", `nonce-${index}`, 1_800));
	for (const claim of await Promise.allSettled(claims))
		assert.equal(claim.status === "rejected" && claim.reason.code, "service.unavailable");
	assert.equal(asked, 1);
	await assert.rejects(nonces.claim("client", "next", 1_800), { code: "service.unavailable" });
	assert.equal(asked, 2);
});
