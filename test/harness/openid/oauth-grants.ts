// Stores an OAuth grant of a session without a browser, for tests of its revocation.

import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { randomToken } from "../../../src/crypto/random.ts";
import { DAY_MS } from "../../../src/kernel/clock.ts";
import { openBeside } from "../service/beside-service.ts";
import type { TestService } from "../service/service.ts";

/** Gives the client a grant in the session of this access token. */
export async function grantTo(service: TestService, clientId: string, token: string): Promise<void> {
	const sessionId = String(decodeJwt(token).sid);
	await using beside = await openBeside(service);
	const session = await beside.db.stores.sessions.findById(sessionId);
	assert.ok(session);
	const now = service.clock.now();
	await beside.db.stores.oauthGrants.insert({
		id: randomToken(),
		tenantId: session.tenantId,
		clientId,
		userId: session.userId,
		sessionId,
		payload: {},
		createdAtMs: now,
		expiresAtMs: now + DAY_MS,
	});
}
