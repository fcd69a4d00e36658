// Rows about one user in SQL, for the export of the user's data. Each list is short or has no index, and runs separately.

import type { JoinedProgramRequest, PersonalDataStore } from "../../domain/personal-data.ts";
import { Filter, listRows } from "../sql/page.ts";
import type { Queries } from "../sql/queries.ts";
import { knownDevices, recoveryLinks, userNames } from "../sql/tables/account-tables.ts";
import { oauthGrants } from "../sql/tables/oauth-tables.ts";
import { refusals } from "../sql/tables/record-tables.ts";
import { accessRequests } from "../sql/tables/request-tables.ts";
import { thirdPartyAliases } from "../sql/tables/third-party-tables.ts";

const NAMES = userNames.pick("name");
const DEVICES = knownDevices.pick("lastSeenAtMs");
const APPLICATION_SESSIONS = oauthGrants.pick("id", "clientId", "sessionId", "createdAtMs", "expiresAtMs");
const LINKS = recoveryLinks.pick("purpose", "email", "createdAtMs", "expiresAtMs");
const JOINED = {
	columns: `r.id, r.url, r.status, k.reason, r.review_note AS "reviewNote", r.reviewed_at AS "reviewedAtMs",
		k.created_at AS "createdAtMs"`,
	from: "program_askers k JOIN requests r ON r.id = k.request_id",
	order: "k.created_at DESC, r.id DESC",
};
const ALIAS = thirdPartyAliases.pick("provider", "providerUserId").as("s");
/** Aliases belong to an account, not to a user. */
const ALIASES = {
	columns: ALIAS.columns,
	from: "third_party_accounts a JOIN third_party_aliases s ON s.account_id = a.id",
	order: "s.provider ASC, s.provider_user_id ASC",
};

export function createPersonalDataStore(queries: Queries): PersonalDataStore {
	return {
		listUsernames(tenantId, userId, page) {
			// The expression keeps SQLite from the index over all names of the tenant.
			const filter = new Filter().add("user_id = ? AND (tenant_id || '') = ?", userId, tenantId).separately();
			return NAMES.list(queries, { filter, order: "name ASC" }, page);
		},
		listDevices(tenantId, userId, page) {
			const filter = DEVICES.matching({ tenantId, userId }).separately();
			return DEVICES.list(queries, { filter, order: "last_seen_at DESC, device_digest DESC" }, page);
		},
		listAliases(tenantId, userId, page) {
			const filter = new Filter().add("a.user_id = ? AND a.tenant_id = ?", userId, tenantId).separately();
			// Both columns are stored as text.
			return listRows<ReturnType<typeof ALIAS.read>>(queries, { ...ALIASES, filter }, page);
		},
		listApplicationSessions(tenantId, userId, page) {
			const filter = APPLICATION_SESSIONS.matching({ tenantId, userId }).separately();
			return APPLICATION_SESSIONS.list(queries, { filter }, page);
		},
		listProgramRequests(tenantId, userId, page) {
			const filter = new Filter().add("k.user_id = ? AND k.tenant_id = ?", userId, tenantId).separately();
			return listRows<JoinedProgramRequest>(queries, { ...JOINED, filter }, page);
		},
		listLinks(tenantId, userId, page) {
			const filter = LINKS.matching({ tenantId, userId }).separately();
			return LINKS.list(queries, { filter, order: "created_at DESC, digest DESC" }, page);
		},
		listRefusals(tenantId, userId, page) {
			const filter = refusals.matching({ tenantId, caller: `person:${userId}` }).separately();
			return refusals.list(queries, { filter, order: "at DESC, id DESC" }, page);
		},
		listAccessRequests(tenantId, email, page) {
			const filter = accessRequests.matching({ tenantId, email }).separately();
			return accessRequests.list(queries, { filter }, page);
		},
	};
}
