// Orders a certificate from an ACME server with `acme-client`, which is loaded only for this.

import type { OrderCertificate } from "../../domain/acme-certificate.ts";
import { SECOND_MS } from "../../kernel/clock.ts";

/** A server that does not respond for this long is unreachable. */
const RESPONSE_MS = 15 * SECOND_MS;
/** The server validates the challenge meanwhile: about 80 seconds in all. */
const WAITING = { backoffAttempts: 12, backoffMin: SECOND_MS, backoffMax: 8 * SECOND_MS };

export const orderCertificate: OrderCertificate = async (order) => {
	await requireDirectory(order.directory);
	const { default: acme } = await import("acme-client");
	acme.axios.defaults.timeout = RESPONSE_MS;
	// The job repeats a failed order after a pause. Repeating each request as well would outlast the lease.
	Object.assign(acme.axios.defaults, {
		acmeSettings: { retryMaxAttempts: 0, tlsAlpnChallengePort: 443, httpChallengePort: 80 },
	});
	const { domain, directory, accountKey, accountUrl, email, challengeType } = order;
	const client = new acme.Client({
		directoryUrl: directory,
		accountKey,
		...(accountUrl !== null && { accountUrl }),
		...WAITING,
	});
	const [key, csr] = await acme.crypto.createCsr(
		{ commonName: domain, altNames: [domain] },
		await acme.crypto.createPrivateEcdsaKey(),
	);
	const certificate = await client.auto({
		csr,
		email,
		termsOfServiceAgreed: true,
		// The server asks from the internet: whether this node reaches itself says nothing.
		skipChallengeVerification: true,
		challengePriority: [challengeType],
		async challengeCreateFn(_authorization, { type, token }, keyAuthorization) {
			if (type !== challengeType) throw new Error(`the server offers no ${challengeType} challenge`);
			await order.onChallenge({ accountUrl: client.getAccountUrl(), token, keyAuthorization });
		},
		challengeRemoveFn: () => order.onChallenge(undefined),
	});
	return { certificate, key: key.toString(), accountUrl: client.getAccountUrl() };
};

/** The library reports a server that it cannot reach as a TypeError. @throws Error with the reason */
async function requireDirectory(url: string): Promise<void> {
	const response = await fetch(url, { signal: AbortSignal.timeout(RESPONSE_MS) }).catch((error: Error) => {
		const { message } = error.cause instanceof Error ? error.cause : error;
		throw new Error(`${url} cannot be reached: ${message}`, { cause: error });
	});
	await response.body?.cancel();
	if (!response.ok) throw new Error(`${url} returned status ${response.status}`);
}

/** The certificate that responds to a challenge of the type `tls-alpn-01` (RFC 8737). */
export async function challengeCertificate(
	domain: string,
	keyAuthorization: string,
): Promise<{ readonly cert: string; readonly key: string }> {
	const { default: acme } = await import("acme-client");
	const authorization = { identifier: { type: "dns", value: domain } };
	const [key, cert] = await acme.crypto.createAlpnCertificate(
		authorization as Parameters<typeof acme.crypto.createAlpnCertificate>[0],
		keyAuthorization,
		await acme.crypto.createPrivateEcdsaKey(),
	);
	return { cert: cert.toString(), key: key.toString() };
}
