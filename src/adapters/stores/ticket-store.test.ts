import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openTestDatabase, type TestDatabase } from "../../../test/harness/database.ts";
import { NO_OAUTH_SECRET } from "../../domain/oauth-client.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";

const APPLICATION = {
	...{ name: "Shop", description: "", homepageUrl: "", logoUrl: "", redirectUris: [] },
	...({ accessPolicy: "open", status: "active" } as const),
};
const CLIENT = {
	...({
		authMethod: "none",
		idTokenAlg: "ES256",
		pkce: "required",
		deviceFlow: false,
		responseModes: ["query"],
		...NO_OAUTH_SECRET,
	} as const),
	...{ postLogoutRedirectUris: [], backchannelLogoutUri: null, firstParty: false },
	...{ jwks: null, jwksUri: null, resource: null, allowedResources: [] },
};

describe("session ticket store", () => {
	let database: TestDatabase;
	before(async () => {
		database = await openTestDatabase();
	});
	after(() => database.close());

	const openSession = async (): Promise<{ id: string; userId: string }> => {
		const now = database.clock.now();
		const id = newId(now);
		const { id: userId } = await database.addUser({ username: `person-${id.slice(-8)}` });
		await database.db.stores.sessions.insert({
			id,
			tenantId: database.tenantId,
			userId,
			appId: null,
			refreshDigest: `digest of ${id}`,
			refreshExpiresAtMs: now + 7 * DAY_MS,
			absoluteExpiresAtMs: now + 30 * DAY_MS,
			authenticatedAtMs: now,
			amr: ["pwd"],
			ip: "192.0.2.1",
			userAgent: "Firefox",
			createdAtMs: now,
			lastUsedAtMs: now,
		});
		return { id, userId };
	};
	const ticketOf = (sessionId: string, digest: string) => ({
		digest,
		tenantId: database.tenantId,
		sessionId,
		appId: newId(database.clock.now()),
		codeChallenge: "challenge",
		browser: { ip: "192.0.2.1", userAgent: "Firefox", acceptLanguage: "en" },
		expiresAtMs: database.clock.now() + 60_000,
	});

	it("finds a ticket as it was inserted, until it expires, and consumes it once", async () => {
		const { sessionTickets } = database.db.stores;
		const ticket = ticketOf((await openSession()).id, "one");
		await sessionTickets.insert(ticket);
		const now = database.clock.now();
		assert.deepEqual(await sessionTickets.find("one", now), ticket);
		assert.equal(await sessionTickets.find("one", now + 60_000), undefined);
		assert.equal(await sessionTickets.consume("one", now + 60_000), false);
		const consumed = await Promise.all(Array.from({ length: 8 }, () => sessionTickets.consume("one", now)));
		assert.equal(consumed.filter(Boolean).length, 1);
	});

	it("ignores a ticket once its application has an OAuth client that signs users in", async () => {
		const { sessionTickets, oauthClients, applications } = database.db.stores;
		const now = database.clock.now();
		const times = { createdAtMs: now, updatedAtMs: now };
		const { tenantId } = database;
		for (const [type, isFound] of [
			["service", true],
			["native", false],
		] as const) {
			const ticket = ticketOf((await openSession()).id, `for ${type}`);
			const { appId: applicationId } = ticket;
			await applications.insert({ ...APPLICATION, ...times, id: applicationId, tenantId, slug: type });
			await sessionTickets.insert(ticket);
			await oauthClients.insert({ ...CLIENT, ...times, type, applicationId, tenantId });
			assert.equal((await sessionTickets.find(ticket.digest, now)) !== undefined, isFound, type);
			assert.equal(await sessionTickets.consume(ticket.digest, now), isFound, type);
			await sessionTickets.purge(ticket.expiresAtMs, 1);
		}
	});

	it("removes a ticket with its session, and purges expired ones", async () => {
		const { sessionTickets, sessions } = database.db.stores;
		const [ended, kept] = [await openSession(), await openSession()];
		await sessionTickets.insert(ticketOf(ended.id, "of the ended"));
		await sessionTickets.insert(ticketOf(kept.id, "of the other"));
		await sessions.end(database.tenantId, ended.userId, ended.id, 1);
		const now = database.clock.now();
		assert.equal(await sessionTickets.find("of the ended", now), undefined);
		assert.equal(await sessionTickets.purge(now + 59_999, 10), 0);
		assert.equal(await sessionTickets.purge(now + 60_000, 10), 1);
	});
});
