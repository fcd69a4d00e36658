// The storage interface of the library: one adapter per model.

import type { Adapter, Payload } from "oidc-provider";
import { errors } from "oidc-provider";
import { POLL_SECONDS } from "../../domain/device-code.ts";
import { liveSecretDigests } from "../../domain/oauth-client.ts";
import type { OAuthRecordKind } from "../../domain/oauth-record.ts";
import { type Clock, SECOND_MS } from "../../kernel/clock.ts";
import { ignoreOfflineAccess } from "./authorization-request.ts";
import { presentsAssertion } from "./client-assertions.ts";
import { clientMetadata } from "./client-metadata.ts";
import { DEVICE_CODE_KEPT_SECONDS } from "./devices.ts";
import { grantPayload, insertGrant } from "./grants.ts";
import { browserSession, currentRequest, theCall } from "./library-call.ts";
import type { LibraryParts, ProviderParts } from "./parts.ts";
import { isRecordKind } from "./payloads.ts";
import { mayAct } from "./programs.ts";
import type { Records } from "./records.ts";
import { ignoreUnknownScopes } from "./resource-scopes.ts";
import { sessionPayload } from "./session-payload.ts";

/** How long a user has to decide. */
export const INTERACTION_SECONDS = 3_600;

const nothing = (): Promise<undefined> => Promise.resolve(undefined);

/** Defaults of the methods that the library never calls for a model. */
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
		// Latchkey's session: the library reads it, and never writes or revokes it.
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
				const { grant } = theCall();
				const found = grant?.id === id ? grant : await db.stores.oauthGrants.findLive(id, clock());
				return found && grantPayload(found);
			},
			destroy: (id) => records.endGrant(id),
		},
		RefreshToken: refreshTokens(parts, records),
		AccessToken: { ...plain(records, "AccessToken"), upsert: issuing(records, "AccessToken") },
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

/** Records of access and refresh tokens, which `IssuingProvider` stores together. */
const issuing =
	(records: Records, kind: "AccessToken" | "RefreshToken"): Adapter["upsert"] =>
	(id, payload, seconds) => {
		theCall().issued.push(records.rowOf(kind, id, payload, seconds));
		return Promise.resolve();
	};

/** `IssuingProvider` uses the code. */
const exchanging =
	(kind: "AuthorizationCode" | "DeviceCode"): Adapter["consume"] =>
	(id) => {
		theCall().code = { kind, id, clientId: String(currentRequest().client?.clientId) };
		return Promise.resolve();
	};

function codes(records: Records): Adapter {
	return {
		...plain(records, "AuthorizationCode"),
		consume: exchanging("AuthorizationCode"),
		async find(id) {
			const found = await records.find("AuthorizationCode", id);
			if (found === undefined || found.row.consumedAtMs === null) return found?.payload;
			await records.refuseRepeat(found.payload, found.row.consumedAtMs);
			throw new errors.InvalidGrant("the code was used");
		},
	};
}

/**
 * Expired codes are kept, so that the device learns of the expiry. A device that polls too often before a decision is
 * refused with `slow_down`, which does not extend its wait (RFC 8628, section 3.5).
 */
function deviceCodes(records: Records, clock: Clock): Adapter {
	const kind = "DeviceCode";
	return {
		...plain(records, kind),
		consume: exchanging(kind),
		async upsert(id, payload, seconds) {
			if (!(await records.add(kind, id, payload, seconds + DEVICE_CODE_KEPT_SECONDS)))
				throw new errors.TemporarilyUnavailable("the user code is taken: request another one");
		},
		async find(id) {
			const found = await records.find(kind, id);
			if (found === undefined) return undefined;
			const { row, payload } = found;
			if (row.consumedAtMs !== null) {
				await records.refuseRepeat(payload, row.consumedAtMs);
				throw new errors.InvalidGrant("the code was used");
			}
			if (clock() >= row.expiresAtMs - DEVICE_CODE_KEPT_SECONDS * SECOND_MS) return { ...payload, exp: 0 };
			const isAnswered = row.userCodeDigest === null;
			// One second less than announced: timers and networks are not exact.
			if (!isAnswered && !(await records.poll(row, clock() - (POLL_SECONDS - 1) * SECOND_MS)))
				throw new errors.SlowDown();
			return payload;
		},
	};
}

/**
 * A request is consumed when its user has decided, which may be after it expired (RFC 9126, section 4). An expired
 * request can be consumed once, but cannot start a sign-in.
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

/** Reusing the latest token shortly after returns the same successor; reusing any other token revokes the grant. */
function refreshTokens(parts: ProviderParts, records: Records): Adapter {
	return {
		...plain(records, "RefreshToken"),
		async find(id) {
			const found = await records.find("RefreshToken", id);
			if (found === undefined) return undefined;
			const { consumedAtMs } = found.row;
			if (consumedAtMs === null || (await records.isRepeatable(id, consumedAtMs))) {
				ignoreOfflineAccess(found.payload);
				await ignoreUnknownScopes(parts, currentRequest(), found.payload);
				return found.payload;
			}
			theCall().recordReuse("refresh_token");
			return { ...found.payload, consumed: consumedAtMs };
		},
		/** `IssuingProvider` consumes the token and stores its successor. */
		consume(id) {
			theCall().rotate(id);
			return Promise.resolve();
		},
		upsert: issuing(records, "RefreshToken"),
	};
}

/** Undefined for a client of a disabled application. */
async function findClient(
	{ db, clock, publishedKeys, workloadKeys }: LibraryParts,
	id: string,
): Promise<Payload | undefined> {
	const client = await db.stores.oauthClients.findPresented(id);
	if (client === undefined || client.application.status !== "active") return undefined;
	if (client.application.kind === "program" && !(await mayAct({ db, clock }, client.tenantId, id)))
		return undefined;
	const { jwksUri } = client;
	if (client.authMethod === "workload") return clientMetadata(client, [], await workloadKeys());
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
	const client = await db.stores.oauthClients.findPresented(String(clientId));
	if (client === undefined || session?.tenantId !== client.tenantId || session.userId !== accountId)
		throw new Error("a grant requires a session of its user in the tenant of its client");
	const grant = { id, session, client, granted, nowMs: clock(), seconds };
	await db.transaction(async (stores) => {
		const refusal = await insertGrant(stores, grant);
		if (refusal !== undefined) throw new errors.AccessDenied(refusal);
	});
}
