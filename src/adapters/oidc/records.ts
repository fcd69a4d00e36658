// Stores the records of the library: found by digest, sealed, consumed by one conditional statement.

import { errors, type Payload } from "oidc-provider";
import {
	type LiveOAuthRecord,
	type OAuthGrant,
	type OAuthRecord,
	type OAuthRecordKind,
	oauthRecordContext,
} from "../../domain/oauth-record.ts";
import { REFRESH_GRACE_SECONDS } from "../../domain/session.ts";
import type { Stores } from "../../domain/stores.ts";
import { SECOND_MS } from "../../kernel/clock.ts";
import { isMembers, oneOf } from "../../kernel/shape.ts";
import { currentRequest, findOnce, noteGrant, theCall } from "./library-call.ts";
import type { ProviderParts } from "./parts.ts";
import { decodePayload, type Payloads } from "./payloads.ts";

export type Records = ReturnType<typeof createRecords>;

const TOKEN_KINDS = ["AccessToken", "RefreshToken", "ClientCredentials"] as const;
const isTokenKind = oneOf(TOKEN_KINDS);

interface Found<Kind extends OAuthRecordKind> {
	readonly payload: Payloads[Kind];
	readonly row: LiveOAuthRecord;
}

export function createRecords(parts: ProviderParts) {
	const { db, clock, seal, open, digest } = parts;
	const { oauthRecords } = db.stores;
	/** Introspection and revocation find a token by one digest, of any kind. */
	const digestOf = (kind: OAuthRecordKind, id: string): string =>
		digest(`${isTokenKind(kind) ? "Token" : kind} ${id}`);

	function rowOf(kind: OAuthRecordKind, id: string, payload: Payload, seconds: number): OAuthRecord {
		const key = digestOf(kind, id);
		const now = clock();
		const { jti: _, userCode, ...stored } = payload;
		return {
			digest: key,
			kind,
			clientId: clientOf(kind, payload),
			// The grant of an interaction is not stored yet.
			grantId: kind === "Interaction" ? null : (textOf(payload.grantId) ?? null),
			userCodeDigest: typeof userCode === "string" ? parts.userCodeDigest(userCode) : null,
			payloadSealed: sealedOf(key, stored),
			consumedAtMs: null,
			createdAtMs: now,
			expiresAtMs: now + seconds * SECOND_MS,
			polledAtMs: null,
		};
	}

	const sealedOf = (key: string, payload: Payload): string =>
		seal(JSON.stringify(payload), oauthRecordContext(key));
	const openedOf = <Kind extends OAuthRecordKind>(kind: Kind, row: OAuthRecord): Payloads[Kind] =>
		decodePayload(kind, open(row.payloadSealed, oauthRecordContext(row.digest)));

	/**
	 * Inside a transaction, locks the grant, so that it cannot be revoked before the record is stored.
	 *
	 * @throws InvalidGrant
	 */
	async function holdGrant(stores: Stores<"oauthGrants">, { grantId }: OAuthRecord) {
		if (grantId === null) return undefined;
		const grant = await stores.oauthGrants.hold(grantId);
		if (grant === undefined) throw new errors.InvalidGrant("the grant has ended");
		return grant;
	}

	/** S256 (RFC 7636, section 4.2). */
	const challengeOf = (verifier: string | undefined) =>
		verifier === undefined ? undefined : parts.sha256Base64url(verifier);

	const isRecent = (usedAtMs: number): boolean => clock() - usedAtMs <= REFRESH_GRACE_SECONDS * SECOND_MS;

	return {
		rowOf,
		/** A token of a user, of either kind. */
		async findToken(id: string): Promise<Found<"AccessToken" | "RefreshToken"> | undefined> {
			const row = await oauthRecords.findLive(digestOf("AccessToken", id), clock());
			if (row?.kind !== "AccessToken" && row?.kind !== "RefreshToken") return undefined;
			return { payload: openedOf(row.kind, row), row };
		},
		async find<Kind extends OAuthRecordKind>(
			kind: Kind,
			id: string,
			stores: Stores<"oauthRecords"> = db.stores,
		): Promise<Found<Kind> | undefined> {
			const find = () => stores.oauthRecords.findLive(digestOf(kind, id), clock());
			const row = await (isTokenKind(kind) && stores === db.stores ? findOnce(id, find) : find());
			if (row?.kind !== kind) return undefined;
			noteGrant(row.grant);
			return { payload: { ...openedOf(kind, row), jti: id }, row };
		},
		/** A device code without a decision. @param secondsLeft the remaining life that its record must have. */
		async findUserCode(userCode: string, secondsLeft: number): Promise<Found<"DeviceCode"> | undefined> {
			const until = clock() + secondsLeft * SECOND_MS;
			const row = await oauthRecords.findByUserCode(parts.userCodeDigest(userCode), until);
			return row && { payload: openedOf("DeviceCode", row), row };
		},
		/** Stores the decision on a device code. @returns true for one of simultaneous callers. */
		decide(
			stores: Stores<"oauthRecords">,
			row: OAuthRecord,
			payload: Payload,
			secondsLeft: number,
		): Promise<boolean> {
			const decision = {
				payloadSealed: sealedOf(row.digest, payload),
				grantId: textOf(payload.grantId) ?? null,
			};
			return stores.oauthRecords.decide(row.digest, decision, clock() + secondsLeft * SECOND_MS);
		},
		/** Records a poll for the decision. @returns false when the device polled after `sinceMs`. */
		poll: ({ digest }: OAuthRecord, sinceMs: number): Promise<boolean> =>
			oauthRecords.poll(digest, sinceMs, clock()),
		/** @returns false when the value, or the user code, is taken. */
		add: (kind: OAuthRecordKind, id: string, payload: Payload, seconds: number): Promise<boolean> =>
			oauthRecords.insert(rowOf(kind, id, payload, seconds)),
		/** Inserts a record, or replaces one that was not consumed. */
		async put(kind: OAuthRecordKind, id: string, payload: Payload, seconds: number): Promise<void> {
			const row = rowOf(kind, id, payload, seconds);
			await db.transaction(async (stores) => {
				await holdGrant(stores, row);
				if (await stores.oauthRecords.insert(row)) return;
				const { payloadSealed, grantId, expiresAtMs } = row;
				const isReplaced = await stores.oauthRecords.replace(row.digest, {
					payloadSealed,
					grantId,
					expiresAtMs,
				});
				if (!isReplaced) throw new errors.InvalidGrant(`this ${kind} was used`);
			});
		},
		/** @throws InvalidGrant for all but one of simultaneous callers. */
		async consume(kind: OAuthRecordKind, id: string): Promise<void> {
			if (!(await this.tryConsume(kind, id))) throw new errors.InvalidGrant(`this ${kind} was used`);
		},
		/** @returns true for one of simultaneous callers. */
		tryConsume: (kind: OAuthRecordKind, id: string): Promise<boolean> =>
			oauthRecords.consume(digestOf(kind, id), clock()),
		/** Inside a transaction. @returns true for one of simultaneous callers, while the grant lives. */
		consumeOfGrant: (
			stores: Stores<"oauthRecords">,
			kind: OAuthRecordKind,
			id: string,
			grant: OAuthGrant,
		): Promise<boolean> => stores.oauthRecords.consumeOfGrant(digestOf(kind, id), grant.id, clock()),
		/** Stores a used proof. @returns true for one of simultaneous callers. */
		remember: (proof: string, seconds: number): Promise<boolean> =>
			oauthRecords.insert(rowOf("ReplayDetection", proof, {}, seconds)),
		remove: (kind: OAuthRecordKind, id: string) => oauthRecords.remove(digestOf(kind, id)),
		/** Whether a used refresh token may be sent again: just used, and its successor has not been. */
		async isRepeatable(
			refreshToken: string,
			usedAtMs: number,
			stores: Stores<"oauthRecords"> = db.stores,
		): Promise<boolean> {
			if (!isRecent(usedAtMs)) return false;
			const digestOfSuccessor = digestOf("RefreshToken", parts.successor(refreshToken));
			const row = await stores.oauthRecords.findLive(digestOfSuccessor, clock());
			return row !== undefined && row.consumedAtMs === null;
		},
		/**
		 * Revokes the grant of a used code, unless its client repeats the request at once with the same verifier: then the
		 * response may have been lost. Both are recorded (RFC 6749, section 4.1.2). A device code has no verifier, and no
		 * grant if the user denied it.
		 */
		async refuseRepeat(
			code: Payloads["AuthorizationCode"] | Payloads["DeviceCode"],
			usedAtMs: number,
		): Promise<void> {
			const { client, params } = currentRequest();
			const { origin } = theCall();
			const grantId = textOf(code.grantId);
			if (grantId === undefined) return;
			const isSameVerifier =
				code.deviceInfo !== undefined || challengeOf(params.code_verifier) === code.codeChallenge;
			const isRetry = isRecent(usedAtMs) && client?.clientId === code.clientId && isSameVerifier;
			if (isRetry) await parts.rules.recordRetry(grantId, origin);
			else await parts.rules.endGrant(grantId, "code", origin);
		},
		/** Revokes a grant with all its codes and tokens. */
		async endGrant(grantId: string): Promise<void> {
			const { reuse, origin } = theCall();
			await parts.rules.endGrant(grantId, reuse, origin);
		},
	};
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function clientOf(kind: OAuthRecordKind, payload: Payload): string | null {
	if (kind !== "Interaction") return textOf(payload.clientId) ?? null;
	return isMembers(payload.params) ? (textOf(payload.params.client_id) ?? null) : null;
}
