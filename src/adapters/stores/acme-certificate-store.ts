// Certificates from an ACME server in SQL. The condition on the lease keeps a node that was suspended from overwriting what
// another one has obtained.

import type { AcmeCertificateStore } from "../../domain/acme-certificate.ts";
import type { Queries } from "../sql/queries.ts";
import { acmeCertificates } from "../sql/tables/platform-tables.ts";

// Of the row that the node has read: another node may have stored a certificate, or replaced the row, since then.
const LEASE = `UPDATE acme_certificates SET leased_until = $3
	WHERE domain = $1 AND leased_until <= $2 AND next_attempt_at <= $2
		AND directory = $4 AND valid_to IS NOT DISTINCT FROM $5`;
const FIND_AUTHORIZATION = "SELECT key_authorization FROM acme_certificates WHERE challenge_token = $1";

export function createAcmeCertificateStore(queries: Queries): AcmeCertificateStore {
	return {
		find: (domain) => acmeCertificates.find(queries, { domain }),
		async insert(row) {
			await queries.run(
				"DELETE FROM acme_certificates WHERE domain = $1 AND directory <> $2",
				row.domain,
				row.directory,
			);
			await acmeCertificates.insertUnlessTaken(queries, row);
		},
		lease: async ({ domain, directory, validToMs }, nowMs, untilMs) =>
			(await queries.run(LEASE, domain, nowMs, untilMs, directory, validToMs)) === 1,
		change: (domain, leasedUntilMs, changes) =>
			acmeCertificates.updateOne(queries, changes, { domain, leasedUntilMs }),
		async findAuthorization(token) {
			const row = await queries.one<{ key_authorization: string | null }>(FIND_AUTHORIZATION, token);
			return row?.key_authorization ?? undefined;
		},
	};
}
