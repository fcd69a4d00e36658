// What the OpenID provider stores: grants, their codes and tokens, and sign-ins under way.

/** Kinds of records: the models of the provider library, sign-outs to be confirmed, and requests of unknown programs. */
export const OAUTH_RECORD_KINDS = [
	"Interaction",
	"AuthorizationCode",
	"AccessToken",
	"RefreshToken",
	"ClientCredentials",
	"PushedAuthorizationRequest",
	"ReplayDetection",
	"DeviceCode",
	"SignOut",
	"AskedProgram",
] as const;
export type OAuthRecordKind = (typeof OAUTH_RECORD_KINDS)[number];

/** Granted scopes and resources, in the form of the provider library. */
export type GrantPayload = Readonly<Record<string, unknown>>;

/** One sign-in of a user to a client. It is revoked with its session, and its codes and tokens with it. */
export interface OAuthGrant {
	/** Random; not a credential. */
	readonly id: string;
	readonly tenantId: string;
	readonly clientId: string;
	readonly userId: string;
	readonly sessionId: string;
	readonly payload: GrantPayload;
	readonly createdAtMs: number;
	readonly expiresAtMs: number;
}

export interface OAuthRecord {
	/** Of kind and value. */
	readonly digest: string;
	readonly kind: OAuthRecordKind;
	readonly clientId: string | null;
	readonly grantId: string | null;
	/** Digest of the code that a user types for a device; unique, and null once the user has decided. */
	readonly userCodeDigest: string | null;
	/** Opens with `oauthRecordContext(digest)` to JSON without the value itself. */
	readonly payloadSealed: string;
	readonly consumedAtMs: number | null;
	readonly createdAtMs: number;
	readonly expiresAtMs: number;
	/** When the device last polled for the decision; refused polls do not count. */
	readonly polledAtMs: number | null;
}

/** A record with the grant that it belongs to, which lives. */
export interface LiveOAuthRecord extends OAuthRecord {
	readonly grant: OAuthGrant | undefined;
}

export function oauthRecordContext(digest: string): string {
	return `oauth_record:${digest}`;
}

/** Whose assertion signs a user in, and where. There is one live grant of each. */
export interface AssertedSignIn {
	readonly issuerId: string;
	readonly userId: string;
	readonly clientId: string;
}

export interface OAuthGrantStore {
	insert(grant: OAuthGrant): Promise<void>;
	/** Inside a transaction that holds the issuer. Replaces an expired one. */
	insertAsserted(grant: OAuthGrant, issuerId: string): Promise<void>;
	/**
	 * Inside a transaction: extends the live grant of the sign-in, with its session, if it ends before `neededMs`.
	 *
	 * @returns its id; undefined when there is none.
	 */
	extendAsserted(
		signIn: AssertedSignIn,
		nowMs: number,
		end: { readonly neededMs: number; readonly expiresAtMs: number },
	): Promise<string | undefined>;
	/** The names of up to five applications at which users are signed in by assertions of the issuer. */
	namesAsserted(issuerId: string, nowMs: number): Promise<string[]>;
	/** Undefined when the grant or its session has expired. */
	findLive(id: string, nowMs: number): Promise<OAuthGrant | undefined>;
	/** Whether the session has a grant to the client that has not expired. */
	isAnyLive(sessionId: string, clientId: string, nowMs: number): Promise<boolean>;
	/** Inside a transaction: locks the grant until its end. @returns the grant; undefined when it has ended. */
	hold(id: string): Promise<OAuthGrant | undefined>;
	/** @returns the removed grant; undefined for all but one of concurrent callers. */
	end(id: string): Promise<OAuthGrant | undefined>;
	/** Ends every grant of the user to the client. @returns how many ended. */
	endAll(userId: string, clientId: string): Promise<number>;
	/** Deletes expired ones, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}

export interface OAuthRecordStore {
	/** @returns false when a record with this digest or user code exists, which remains. */
	insert(record: OAuthRecord): Promise<boolean>;
	/** Inserts the records that do not exist yet. */
	insertAll(records: readonly OAuthRecord[]): Promise<void>;
	/** Includes used ones; none whose grant or session has expired. */
	findLive(digest: string, nowMs: number): Promise<LiveOAuthRecord | undefined>;
	findByUserCode(userCodeDigest: string, nowMs: number): Promise<LiveOAuthRecord | undefined>;
	/**
	 * Consumes the user code and stores the decision. A null `grantId` denies the device.
	 * @returns true for exactly one of several concurrent callers, while the record lives.
	 */
	decide(
		digest: string,
		decision: Pick<OAuthRecord, "payloadSealed" | "grantId">,
		nowMs: number,
	): Promise<boolean>;
	/** Records a poll before the decision. @returns false, without recording, if the device polled after `sinceMs`. */
	poll(digest: string, sinceMs: number, nowMs: number): Promise<boolean>;
	/** @returns false when the record has ended or was used. */
	replace(
		digest: string,
		changes: Pick<OAuthRecord, "payloadSealed" | "grantId" | "expiresAtMs">,
	): Promise<boolean>;
	/** @returns true for one of concurrent callers. */
	consume(digest: string, nowMs: number): Promise<boolean>;
	/**
	 * `consume` inside a transaction, which locks the grant of the record first.
	 *
	 * @returns false also when the grant has ended.
	 */
	consumeOfGrant(digest: string, grantId: string, nowMs: number): Promise<boolean>;
	remove(digest: string): Promise<boolean>;
	/** Deletes expired ones, at most `limit`. */
	purge(nowMs: number, limit: number): Promise<number>;
}
