// Obtains the certificate of the public host from an ACME server and renews it, on one node at a time. Every node reads
// what it stored.

import { inspectCertificate } from "../crypto/certificate.ts";
import type { SecretBox } from "../crypto/secret-box.ts";
import {
	type AcmeCertificate,
	acmeAccountContext,
	acmeKeyContext,
	type ChallengeType,
	type OrderCertificate,
	renewalDueMs,
} from "../domain/acme-certificate.ts";
import type { Needs } from "../features/platform.ts";
import { HOUR_MS, MINUTE_MS } from "../kernel/clock.ts";

/** Longer than an order takes: an order of a node that died is repeated after it. */
const LEASE_MS = 3 * MINUTE_MS;
/** Pauses after failures: one minute, two, four … and six hours at most, within the limits of public servers. */
const FIRST_PAUSE_MS = MINUTE_MS;
const LONGEST_PAUSE_MS = 6 * HOUR_MS;
const MESSAGE_MAX = 500;

export interface ObtainOptions extends Needs<"acmeCertificates", "clock" | "log"> {
	readonly secretBox: SecretBox;
	readonly domain: string;
	readonly directory: string;
	readonly email: string;
	readonly challengeType: ChallengeType;
	readonly order: OrderCertificate;
	/** A new private key in PEM. */
	readonly newKey: () => Promise<string>;
	/** 0 to 1, for pauses that differ between installations. */
	readonly random: () => number;
}

const NOTHING_DUE = { leasedUntilMs: 0, nextAttemptAtMs: 0, failures: 0, lastError: null };
const NO_CHALLENGE = { challengeToken: null, keyAuthorization: null };

/** The row of this host; created with a new account if there is none for this directory. */
export async function ensureAcmeRow(options: ObtainOptions): Promise<AcmeCertificate> {
	const { db, domain, directory, secretBox, newKey } = options;
	const { acmeCertificates } = db.stores;
	for (;;) {
		const row = await acmeCertificates.find(domain);
		if (row?.directory === directory) return row;
		const accountKeySealed = secretBox.seal(await newKey(), acmeAccountContext(domain));
		const added = {
			domain,
			directory,
			accountKeySealed,
			accountUrl: null,
			certificate: null,
			keySealed: null,
			validFromMs: null,
			validToMs: null,
			...NO_CHALLENGE,
			...NOTHING_DUE,
		};
		// In one transaction: a node of the other directory that finds no row in between would add its own again.
		await db.transaction((stores) => stores.acmeCertificates.insert(added));
	}
}

/** Orders if a certificate is due and no other node orders. A failure is stored and logged, and the next pause is longer. */
export async function obtainCertificate(row: AcmeCertificate, options: ObtainOptions): Promise<void> {
	const { db, clock, log, domain, secretBox } = options;
	const { acmeCertificates } = db.stores;
	const nowMs = clock();
	if (nowMs < renewalDueMs(row)) return;
	const leasedUntilMs = nowMs + LEASE_MS;
	if (!(await acmeCertificates.lease(row, nowMs, leasedUntilMs))) return;
	const change = async (changes: Parameters<typeof acmeCertificates.change>[2]): Promise<void> => {
		if (!(await acmeCertificates.change(domain, leasedUntilMs, changes)))
			throw new Error("the order took too long: another node continues");
	};
	try {
		const issued = await options.order({
			domain,
			directory: row.directory,
			email: options.email,
			accountKey: secretBox.open(row.accountKeySealed, acmeAccountContext(domain)),
			accountUrl: row.accountUrl,
			challengeType: options.challengeType,
			onChallenge: (challenge) =>
				change({
					challengeToken: challenge?.token ?? null,
					keyAuthorization: challenge?.keyAuthorization ?? null,
					...(challenge && { accountUrl: challenge.accountUrl }),
				}),
		});
		const { validFromMs, validToMs, covers, belongsTo } = inspectCertificate(issued.certificate);
		if (!covers(domain) || !belongsTo(issued.key))
			throw new Error(`the server issued a certificate that is not for ${domain}`);
		await change({
			accountUrl: issued.accountUrl,
			certificate: issued.certificate,
			keySealed: secretBox.seal(issued.key, acmeKeyContext(domain)),
			validFromMs,
			validToMs,
			...NOTHING_DUE,
		});
		log.info({ valid_to: new Date(validToMs).toISOString() }, "certificate issued");
	} catch (error) {
		const failures = row.failures + 1;
		const pauseMs =
			Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS) * (1 + options.random() / 4);
		const message = (error instanceof Error ? error.message : String(error)).slice(0, MESSAGE_MAX);
		const nextAttemptAtMs = Math.round(clock() + pauseMs);
		log.error(
			{ error: message, retry_in_ms: nextAttemptAtMs - clock() },
			"certificate not issued, the current one stays in use",
		);
		await acmeCertificates.change(domain, leasedUntilMs, {
			leasedUntilMs: 0,
			nextAttemptAtMs,
			failures,
			lastError: message,
			...NO_CHALLENGE,
		});
	}
}
