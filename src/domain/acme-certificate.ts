// The certificate of the public host from an ACME server (RFC 8555), and the order that obtains it. One row per host: every
// node serves its certificate, and one node at a time orders.

/** Fields with `Sealed` open with `acmeAccountContext` and `acmeKeyContext`. */
export interface AcmeCertificate {
	/** The host of the public URL. */
	readonly domain: string;
	/** The URL of the directory that the account belongs to. */
	readonly directory: string;
	/** A private key in PEM. */
	readonly accountKeySealed: string;
	/** Null until the server has an account for this key. */
	readonly accountUrl: string | null;
	/** The certificate and its chain in PEM; null until the first is issued. `keySealed` belongs to it. */
	readonly certificate: string | null;
	readonly keySealed: string | null;
	readonly validFromMs: number | null;
	readonly validToMs: number | null;
	/** The pending challenge (RFC 8555, section 8): what the server asks for, and the response. */
	readonly challengeToken: string | null;
	readonly keyAuthorization: string | null;
	/** No other node orders before this time. */
	readonly leasedUntilMs: number;
	/** After failures, no node orders before this time. */
	readonly nextAttemptAtMs: number;
	/** Consecutive failures. */
	readonly failures: number;
	/** Of the last attempt; null after a success. */
	readonly lastError: string | null;
}

export function acmeAccountContext(domain: string): string {
	return `acme_account:${domain}`;
}

export function acmeKeyContext(domain: string): string {
	return `acme_key:${domain}`;
}

/** What an order stores: each of these calls does nothing once the lease belongs to another node, and returns false. */
export type AcmeChanges = Partial<Omit<AcmeCertificate, "domain" | "directory" | "accountKeySealed">>;

export interface AcmeCertificateStore {
	find(domain: string): Promise<AcmeCertificate | undefined>;
	/** Replaces a row of another directory, with its certificate. */
	insert(row: AcmeCertificate): Promise<void>;
	/**
	 * @param row as the node has read it
	 * @returns false when another node orders or has ordered since then, or the time of the next attempt has not come.
	 */
	lease(row: AcmeCertificate, nowMs: number, untilMs: number): Promise<boolean>;
	/** @returns false when the lease that ends at `leasedUntilMs` is over. */
	change(domain: string, leasedUntilMs: number, changes: AcmeChanges): Promise<boolean>;
	/** The response to a pending challenge. */
	findAuthorization(token: string): Promise<string | undefined>;
}

/** When a third of the life of the certificate is left; at once without one. */
export function renewalDueMs({ validFromMs, validToMs }: AcmeCertificate): number {
	if (validFromMs === null || validToMs === null) return Number.NEGATIVE_INFINITY;
	return validToMs - (validToMs - validFromMs) / 3;
}

/** `http-01` (RFC 8555, section 8.3) or `tls-alpn-01` (RFC 8737). */
export type ChallengeType = "http-01" | "tls-alpn-01";

export interface AcmeOrder {
	readonly domain: string;
	/** The URL of the directory. */
	readonly directory: string;
	/** The server warns this address. */
	readonly email: string;
	/** A private key in PEM. */
	readonly accountKey: string;
	readonly accountUrl: string | null;
	readonly challengeType: ChallengeType;
	/** Every node must respond to the challenge when this resolves; undefined: no longer. */
	onChallenge(challenge: PendingChallenge | undefined): Promise<void>;
}

export interface PendingChallenge {
	readonly accountUrl: string;
	readonly token: string;
	readonly keyAuthorization: string;
}

export interface IssuedCertificate {
	/** With its chain, and its private key, in PEM. */
	readonly certificate: string;
	readonly key: string;
	readonly accountUrl: string;
}

/** @throws Error whose message says what the server refused, or why it cannot be reached. */
export type OrderCertificate = (order: AcmeOrder) => Promise<IssuedCertificate>;
