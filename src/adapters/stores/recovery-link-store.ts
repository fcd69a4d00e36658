// Recovery links in SQL: a link is valid as long as its row exists.

import type { RecoveryLink, RecoveryLinkStore } from "../../domain/recovery-link.ts";
import type { Queries } from "../sql/queries.ts";
import { recoveryLinks } from "../sql/tables/account-tables.ts";

const links = recoveryLinks.pick("tenantId", "userId", "email", "createdAtMs");
/** A link without a user was requested for an email address without an account, and does nothing. */
const LIVE = "digest = $1 AND purpose = $2 AND expires_at > $3 AND user_id IS NOT NULL";

export function createRecoveryLinkStore(queries: Queries): RecoveryLinkStore {
	const endAll: RecoveryLinkStore["endAll"] = async (tenantId, userId, purpose, fromMs = 0) => {
		const condition = "user_id = $1 AND purpose = $2 AND tenant_id = $3 AND created_at >= $4";
		await recoveryLinks.delete(queries, condition, userId, purpose, tenantId, fromMs);
	};
	return {
		async put(link) {
			if (link.purpose !== "email_restore") await endAll(link.tenantId, link.userId ?? "", link.purpose);
			await recoveryLinks.insert(queries, link);
		},
		find: async (digest, purpose, nowMs) => toLink(await links.find(queries, LIVE, digest, purpose, nowMs)),
		async consume(digest, purpose, nowMs) {
			return toLink(await links.deleteReturning(queries, LIVE, digest, purpose, nowMs));
		},
		endAll,
		purge: (nowMs, limit) => recoveryLinks.purge(queries, "expires_at <= $1", nowMs, limit),
	};
}

/** `LIVE` selects only links with a user. */
function toLink(
	row: (Omit<RecoveryLink, "userId"> & { userId: string | null }) | undefined,
): RecoveryLink | undefined {
	if (row === undefined || row.userId === null) return undefined;
	return { ...row, userId: row.userId };
}
