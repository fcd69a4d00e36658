// The storage interface of the library, one adapter a model.

import type { Adapter, Payload } from "oidc-provider";
import { errors } from "oidc-provider";
import { POLL_SECONDS } from "../../domain/device-code.ts";
import { liveSecretDigests, type PresentedOAuthClient } from "../../domain/oauth-client.ts";
import type { OAuthRecord, OAuthRecordKind } from "../../domain/oauth-record.ts";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import { presentsAssertion } from "./client-assertions.ts";
import { clientMetadata } from "./client-metadata.ts";
import { DEVICE_CODE_KEPT_SECONDS } from "./devices.ts";
import { browserSession, theExchange } from "./exchange.ts";
import { grantPayload, insertGrant } from "./grants.ts";
import type { LibraryParts, ProviderParts } from "./parts.ts";
import { isRecordKind } from "./payloads.ts";
import type { Records } from "./records.ts";
import { sessionPayload } from "./session-payload.ts";

/** How long a person has to answer. */
export const INTERACTION_SECONDS = 3_600;

const nothing = (): Promise<undefined> => Promise.resolve(undefined);

/** For what a model does not do; the library calls none of these for it. */
const UNUSED: Adapter = {
	upsert: nothing,
	find: nothing,
	findByUid: nothing,
	findByUserCode: nothing,
	consume: nothing,
	destroy: nothing,
	revokeByGrantId: nothing,
};

export function createAdapters(parts: LibraryParts, records: Records): (model: string) => Adapter {
	const { db, clock } = parts;
	const special: Readonly<Record<string, Adapter>> = {
		Client: { ...UNUSED, find: async (id) => findClient(parts, id) },
		// Our session, never one of the library: it is not written, and ends where all sessions end.
		Session: {
			...UNUSED,
			find: async (id) => {
				const session = browserSession();
				return session?.id === id ? sessionPayload(session) : undefined;
			},
		},
		Grant: {
			...UNUSED,
			upsert: (id, payload, seconds) => addGrant(parts, id, payload, seconds),
			async find(id) {
				const grant = await db.stores.oauthGrants.findLive(id, clock());
				return grant && grantPayload(grant);
			},
			destroy: (id) => records.endGrant(id),
		},
		RefreshToken: refreshTokens(records),
		AuthorizationCode: codes(records),
		DeviceCode: deviceCodes(records, clock),
		PushedAuthorizationRequest: pushedRequests(records, clock),
	};
	return (model) => special[model] ?? (isRecordKind(model) ? plain(records, model) : UNUSED);
}

function plain(records: Records, kind: OAuthRecordKind): Adapter {
	return {
		...UNUSED,
		upsert: (id, payload, seconds) => records.put(kind, id, payload, seconds),
		async find(id) {
			const found = await records.find(kind, id);
			if (found === undefined) return undefined;
			const { payload, row } = found;
			return row.consumedAtMs === null ? payload : { ...payload, consumed: row.consumedAtMs };
		},
		consume: (id) => records.consume(kind, id),
		async destroy(id) {
			await records.remove(kind, id);
		},
	};
}

function codes(records: Records): Adapter {
	const adapter = plain(records, "AuthorizationCode");
	return {
		...adapter,
		async find(id) {
			const found = await records.find("AuthorizationCode", id);
			return found && { ...found.payload, ...usedOf(records, found.row) };
		},
	};
}

/** A code that comes back at once is refused; later, its grant ends (RFC 6749, section 4.1.2). */
function usedOf(records: Records, { consumedAtMs }: OAuthRecord): Payload {
	if (consumedAtMs === null) return {};
	if (records.isRecent(consumedAtMs)) throw new errors.InvalidGrant("the code was used");
	theExchange().noteReuse("code");
	return { consumed: consumedAtMs };
}

/**
 * Kept after its end, so that the device learns that it is over. A device that asks too often for an answer that is not there
 * is refused, and asks no sooner for that (RFC 8628, section 3.5).
 */
function deviceCodes(records: Records, clock: Clock): Adapter {
	const kind = "DeviceCode";
	return {
		...plain(records, kind),
		async upsert(id, payload, seconds) {
			if (!(await records.add(kind, id, payload, seconds + DEVICE_CODE_KEPT_SECONDS)))
				throw new errors.TemporarilyUnavailable("the user code is taken: ask for another one");
		},
		async find(id) {
			const found = await records.find(kind, id);
			if (found === undefined) return undefined;
			const { row, payload } = found;
			if (clock() >= row.expiresAtMs - DEVICE_CODE_KEPT_SECONDS * SECOND_MS) return { ...payload, exp: 0 };
			const isAnswered = row.userCodeDigest === null;
			// A second less than announced: timers and networks are not exact.
			if (!isAnswered && !(await records.poll(row, clock() - (POLL_SECONDS - 1) * SECOND_MS)))
				throw new errors.SlowDown();
			return { ...payload, ...usedOf(records, row) };
		},
	};
}

/**
 * A request is used when its person has answered, which may be after its end (RFC 9126, section 4): until then it can still be
 * used once, but no longer be begun with.
 */
function pushedRequests(records: Records, clock: Clock): Adapter {
	const kind = "PushedAuthorizationRequest";
	return {
		...UNUSED,
		upsert: (id, payload, seconds) => records.put(kind, id, payload, seconds + INTERACTION_SECONDS),
		async find(id) {
			const found = await records.find(kind, id);
			if (found === undefined) return undefined;
			const { expiresAtMs, consumedAtMs } = found.row;
			const isOver = clock() >= expiresAtMs - INTERACTION_SECONDS * SECOND_MS;
			return {
				...found.payload,
				...(isOver ? { exp: 0 } : {}),
				...(consumedAtMs === null ? {} : { consumed: consumedAtMs }),
			};
		},
		async consume(id) {
			if (!(await records.tryConsume(kind, id)))
				throw new errors.InvalidRequestUri("request_uri was already used");
		},
	};
}

/** A token used last, a moment ago, is answered again with the same successor; any other used one ends its grant. */
function refreshTokens(records: Records): Adapter {
	const adapter = plain(records, "RefreshToken");
	return {
		...adapter,
		async find(id) {
			const found = await records.find("RefreshToken", id);
			if (found === undefined) return undefined;
			const { consumedAtMs } = found.row;
			const isRepeated =
				consumedAtMs !== null && records.isRecent(consumedAtMs) && (await records.isSuccessorUnused(id));
			if (consumedAtMs === null || isRepeated) return found.payload;
			theExchange().noteReuse("refresh_token");
			return { ...found.payload, consumed: consumedAtMs };
		},
		/** The token is used in the transaction that writes its successor. */
		consume(id) {
			theExchange().rotate(id);
			return Promise.resolve();
		},
		upsert(id, payload, seconds) {
			const { rotating } = theExchange();
			if (rotating === undefined) return records.put("RefreshToken", id, payload, seconds);
			return records.rotate(rotating, id, payload, seconds);
		},
	};
}

/** A client of a disabled application is none. */
async function findClient(
	{ db, clock, publishedKeys }: LibraryParts,
	id: string,
): Promise<Payload | undefined> {
	const client = await db.stores.oauthClients.findPresented(id);
	if (client === undefined || client.application.status !== "active") return undefined;
	const { jwksUri } = client;
	const keys = jwksUri !== null && presentsAssertion() ? await publishedKeys(id, jwksUri) : { keys: [] };
	return clientMetadata(client, liveSecretDigests(client, clock()), keys);
}

/** @throws Error when the session and the client belong to different tenants, which the policy has ruled out before. */
async function addGrant(
	{ db, clock }: ProviderParts,
	id: string,
	payload: Payload,
	seconds: number,
): Promise<void> {
	const session = browserSession();
	const { accountId, clientId, jti: _, kind: __, iat: ___, exp: ____, ...granted } = payload;
	const client: PresentedOAuthClient | undefined = await db.stores.oauthClients.findPresented(
		String(clientId),
	);
	if (client === undefined || session?.tenantId !== client.tenantId || session.userId !== accountId)
		throw new Error("a grant needs the session of its person in the tenant of its client");
	const grant = { id, session, client, granted, nowMs: clock(), seconds };
	await db.transaction(async (stores) => {
		const refusal = await insertGrant(stores, grant);
		if (refusal !== undefined) throw new errors.AccessDenied(refusal);
	});
}
