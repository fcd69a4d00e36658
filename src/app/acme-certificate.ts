// The certificate of the public host from an ACME server, as this node serves it: the self-signed pair until the first is
// issued, and then what any node has stored.

import { challengeCertificate, orderCertificate } from "../adapters/acme/order-certificate.ts";
import { ensureCertificate } from "../adapters/files/serving-certificate.ts";
import type { AcmeSettings, Config } from "../config/config.ts";
import { generatePrivateKey, inspectCertificate } from "../crypto/certificate.ts";
import { type AcmeCertificate, acmeKeyContext } from "../domain/acme-certificate.ts";
import type { Tls } from "../http/serve/listeners.ts";
import { ensureAcmeRow, type ObtainOptions, obtainCertificate } from "../jobs/obtain-certificate.ts";
import type { Clock } from "../kernel/clock.ts";
import { isoTime, SECOND_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Installation } from "./open-installation.ts";
import type { ServedCertificate } from "./served-certificate.ts";

/** A node serves a certificate that another one has obtained after at most this time. */
const READ_MS = 5 * SECOND_MS;

type Parts = Pick<Installation, "db" | "engine" | "secretBox"> & { readonly clock: Clock; readonly log: Log };

/** @throws StartError as `ensureCertificate`. */
export async function openAcmeCertificate(
	config: Config,
	acme: AcmeSettings,
	{ db, engine, secretBox, clock, log }: Parts,
): Promise<ServedCertificate> {
	const { dataDir, publicUrl } = config;
	const { domain, challengeType } = acme;
	const options: ObtainOptions = {
		...acme,
		db,
		secretBox,
		clock,
		log,
		order: orderCertificate,
		newKey: generatePrivateKey,
		random: Math.random,
	};
	const { acmeCertificates } = db.stores;
	const selfSigned = await ensureCertificate(
		{ files: null, dataDir, publicUrl },
		inspectCertificate,
		clock(),
	);
	let served = { certPem: selfSigned.certPem, keyPem: selfSigned.keyPem, validToMs: selfSigned.validToMs };
	let isOrdering = false;
	/** Whether the row has another certificate than the one in use. */
	const take = ({ certificate, keySealed, validToMs }: AcmeCertificate): boolean => {
		if (certificate === null || keySealed === null || certificate === served.certPem) return false;
		const keyPem = secretBox.open(keySealed, acmeKeyContext(domain));
		served = { certPem: certificate, keyPem, validToMs: validToMs ?? 0 };
		return true;
	};
	const tls = (): Tls => ({ cert: served.certPem, key: served.keyPem });
	const read = async (replace: (tls: Tls) => void): Promise<AcmeCertificate> => {
		// A node that started later may have replaced the row by one of another directory. Replacing it again would repeat both orders.
		const row = (await acmeCertificates.find(domain)) ?? (await ensureAcmeRow(options));
		failures = row.failures;
		if (take(row)) {
			replace(tls());
			log.info({ valid_to: new Date(served.validToMs).toISOString() }, "certificate reloaded");
		}
		return row;
	};
	const row = await ensureAcmeRow(options);
	let { failures } = row;
	take(row);
	// No other process uses an embedded database: the lease is of one that died.
	if (engine.name === "sqlite" && row.leasedUntilMs > 0)
		await acmeCertificates.change(domain, row.leasedUntilMs, { leasedUntilMs: 0 });
	return {
		tls: tls(),
		validToMs: () => served.validToMs,
		pages: new Map(),
		checks: [
			{
				name: "certificate",
				required: false,
				async check() {
					if (failures > 0) throw new Error("the last order failed");
				},
				detail: () =>
					`orders of a certificate failed: ${failures}; the one in use is valid to ${isoTime(served.validToMs)}`,
			},
		],
		reload: async (replace) => void (await read(replace)),
		watch: (replace) => ({
			name: "obtain-certificate",
			everyMs: READ_MS,
			async run() {
				const current = await read(replace);
				// An order takes up to two minutes: a stop does not wait for it.
				if (isOrdering || current.directory !== acme.directory) return;
				isOrdering = true;
				obtainCertificate(current, options)
					.catch((err: unknown) => log.error({ err }, "certificate not ordered"))
					.finally(() => {
						isOrdering = false;
					});
			},
		}),
		...(challengeType === "tls-alpn-01" && {
			async challenge(servername: string): Promise<Tls | undefined> {
				const pending = servername === domain ? await acmeCertificates.find(domain) : undefined;
				if (pending?.keyAuthorization == null) return undefined;
				return await challengeCertificate(domain, pending.keyAuthorization);
			},
		}),
	};
}
