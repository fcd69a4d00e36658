// Sign-ins that providers have authenticated and that the browser has not finished, in SQL.

import type { ThirdPartySignInStore } from "../../domain/third-party-sign-in.ts";
import type { Queries } from "../sql/queries.ts";
import { users } from "../sql/tables/account-tables.ts";
import { thirdPartySignIns } from "../sql/tables/third-party-tables.ts";

const put = thirdPartySignIns.insertWith({
	onConflict: `(browser_digest) DO UPDATE SET tenant_id = excluded.tenant_id, account_id = excluded.account_id,
		expires_at = excluded.expires_at`,
});
const FIND = `SELECT ${users.as("u").columns}, s.account_id AS "accountId", a.provider
	FROM third_party_sign_ins s
	JOIN third_party_accounts a ON a.id = s.account_id AND a.tenant_id = s.tenant_id
	JOIN identity_providers p ON p.tenant_id = a.tenant_id AND p.provider = a.provider AND p.enabled = 1 AND p.uses LIKE '%,sign_in,%'
	JOIN users u ON u.id = a.user_id AND u.tenant_id = a.tenant_id
	WHERE s.browser_digest = $1 AND s.expires_at > $2`;
const LINKED = `browser_digest = $1 AND account_id = $2 AND expires_at > $3
	AND EXISTS (SELECT 1 FROM third_party_accounts a
		JOIN identity_providers p ON p.tenant_id = a.tenant_id AND p.provider = a.provider AND p.enabled = 1 AND p.uses LIKE '%,sign_in,%'
		WHERE a.id = account_id)`;

export function createThirdPartySignInStore(queries: Queries): ThirdPartySignInStore {
	return {
		async put(signIn) {
			await put(queries, signIn);
		},
		async find(browserDigest, nowMs) {
			const row = await queries.one<{ accountId: string; provider: string }>(FIND, browserDigest, nowMs);
			return row && { accountId: row.accountId, provider: row.provider, user: users.read(row) };
		},
		consume: (browserDigest, accountId, nowMs) =>
			thirdPartySignIns.deleteOne(queries, LINKED, browserDigest, accountId, nowMs),
		purge: (nowMs, limit) =>
			thirdPartySignIns.purge(queries, "expires_at <= $1 ORDER BY expires_at", nowMs, limit),
	};
}
