import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenDigest } from "../../../crypto/digest.ts";
import { isClaimable } from "../../../domain/access-request.ts";
import { issueClaimLink } from "./claim-api-client.ts";

const NOW = Date.UTC(2026, 10, 20, 8);

test("only an unclaimed client that has not expired can be claimed", () => {
	assert.ok(isClaimable({ status: "unclaimed", expiresAtMs: null }, NOW));
	assert.ok(isClaimable({ status: "unclaimed", expiresAtMs: NOW + 1 }, NOW));
	assert.ok(!isClaimable({ status: "unclaimed", expiresAtMs: NOW }, NOW));
	assert.ok(!isClaimable({ status: "active", expiresAtMs: null }, NOW));
	assert.ok(!isClaimable({ status: "disabled", expiresAtMs: null }, NOW));
});

test("a claim link carries a new token in its fragment, valid for seven days", () => {
	const link = issueClaimLink("https://id.example.com", NOW);
	const token = /^https:\/\/id\.example\.com\/claim#([A-Za-z0-9_-]{43})$/.exec(link.url)?.[1] ?? "";
	assert.deepEqual(link.stored, {
		claimDigest: tokenDigest(token),
		claimExpiresAtMs: Date.UTC(2026, 10, 27, 8),
	});
	assert.notEqual(issueClaimLink("https://id.example.com", NOW).url, link.url);
});
