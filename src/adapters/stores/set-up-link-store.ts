// Links with which organizations set up their sign-in, in SQL.

import type { PresentedSetUpLink, SetUpLinkStore } from "../../domain/set-up-link.ts";
import type { Queries } from "../sql/queries.ts";
import { tenants } from "../sql/tables/platform-tables.ts";
import { setUpLinks, setUpLinksWithDigest } from "../sql/tables/third-party-tables.ts";

const READ = setUpLinks.as("l");
const FROM = `SELECT ${READ.columns}, d.domain FROM set_up_links l JOIN domains d ON d.id = l.domain_id AND d.tenant_id = l.tenant_id`;
const PRESENTED = `${FROM} WHERE l.token_digest = $1 AND l.finished_at IS NULL AND l.expires_at > $2
	AND (d.issuer_id IS NULL OR d.issuer_id = l.issuer_id)`;
const OF_TENANT = `${FROM} WHERE d.tenant_id = $1 ORDER BY d.domain`;
const OPEN = "tenant_id = $2 AND finished_at IS NULL AND expires_at > $3";
const OF_DOMAIN =
	"tenant_id = $1 AND domain_id IN (SELECT id FROM domains WHERE tenant_id = $1 AND domain = $2)";
const OF_ISSUER = `${FROM} WHERE l.issuer_id = $1 AND (l.tenant_id || '') = $2`;

export function createSetUpLinkStore(queries: Queries): SetUpLinkStore {
	const read = (row: object): PresentedSetUpLink =>
		setUpLinks.readJoined<Pick<PresentedSetUpLink, "domain">>(row);
	const one = async (
		sql: string,
		...parameters: (string | number)[]
	): Promise<PresentedSetUpLink | undefined> => {
		const row = await queries.one<object>(sql, ...parameters);
		return row && read(row);
	};
	return {
		async hold(tenantId, domain) {
			await tenants.lock(queries, { id: tenantId });
			await setUpLinks.lock(queries, OF_DOMAIN, tenantId, domain);
		},
		async put(link) {
			await setUpLinks.delete(queries, { tenantId: link.tenantId, domainId: link.domainId });
			await setUpLinksWithDigest.insert(queries, link);
		},
		findPresented: (tokenDigest, nowMs) => one(PRESENTED, tokenDigest, nowMs),
		findByIssuer: (tenantId, issuerId) => one(OF_ISSUER, issuerId, tenantId),
		async listAll(tenantId) {
			return (await queries.all<object>(OF_TENANT, tenantId)).map(read);
		},
		async change(tenantId, id, changes, nowMs) {
			const isOpen = await setUpLinks.lock(queries, `id = $1 AND ${OPEN}`, id, tenantId, nowMs);
			if (isOpen === 0) return false;
			return (
				Object.keys(changes).length === 0 || (await setUpLinks.updateOne(queries, changes, { id, tenantId }))
			);
		},
		async revoke(tenantId, domainId, tokenDigest, expiresAtMs) {
			await setUpLinksWithDigest.update(queries, { tokenDigest }, { domainId, tenantId, finishedAtMs: null });
			const ofDomain = `domain_id = $1 AND ${OPEN}`;
			return await setUpLinks.updateOne(queries, { expiresAtMs }, ofDomain, domainId, tenantId, expiresAtMs);
		},
		finish: (tenantId, id, finishedAtMs) =>
			setUpLinks.updateOne(
				queries,
				{ finishedAtMs },
				`id = $1 AND ${OPEN} AND tested_at IS NOT NULL`,
				id,
				tenantId,
				finishedAtMs,
			),
	};
}
