// Ends of grants and memberships that were not announced, in SQL.

import type { EndingAccess, EndNoticeStore } from "../../domain/end-notice.ts";
import { GRANT_KINDS } from "../../domain/grant.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import { columnOf, type Queries, type Statement, statement } from "../sql/queries.ts";
import { tenants } from "../sql/tables/platform-tables.ts";
import { PLACES } from "./grant-store.ts";

/** Shorter access needs no notice. */
const LIFE_MIN_MS = 14 * DAY_MS;

interface Source {
	readonly kind: EndingAccess["kind"];
	readonly table: string;
	readonly key: string;
	readonly subject: string;
	readonly place: string;
	readonly begin: string;
}

const SOURCES: readonly Source[] = [
	...GRANT_KINDS.map((kind) => {
		const { grants, subject } = PLACES[kind];
		return { kind, table: grants.name, key: "id, tenant_id", subject, place: "app_id", begin: "created_at" };
	}),
	{
		kind: "member",
		table: "group_members",
		key: "group_id, user_id",
		subject: "user_id",
		place: "group_id",
		begin: "added_at",
	},
];

/** Its parameters are the present time and the latest end. */
function due({ begin }: Source): string {
	return `expires_at > $1 AND expires_at <= $2 AND expires_at - ${begin} >= ${LIFE_MIN_MS}
		AND (noticed_end IS NULL OR noticed_end <> expires_at)`;
}

const TENANTS = statement(
	SOURCES.map((source) => `SELECT tenant_id FROM ${source.table} WHERE ${due(source)}`).join(" UNION "),
	{ reads: "separately" },
);

const CLAIMS = SOURCES.map((source): readonly [Source["kind"], Statement] => {
	const { kind, table, key, subject, place } = source;
	const claimed = `SELECT ${key} FROM ${table} WHERE tenant_id = $3 AND ${due(source)}
		ORDER BY ${subject} LIMIT $4 FOR UPDATE SKIP LOCKED`;
	const sql = `UPDATE ${table} SET noticed_end = expires_at WHERE (${key}) IN (${claimed})
		RETURNING ${subject} AS "subjectId", ${place} AS "placeId", expires_at AS "expiresAtMs"`;
	return [kind, statement(sql, { isWrite: true, leavesCache: true })];
});

export function createEndNoticeStore(queries: Queries): EndNoticeStore {
	return {
		listTenants: (nowMs, withinMs) => columnOf(queries, TENANTS, nowMs, nowMs + withinMs),
		async claim(tenantId, nowMs, withinMs, limit) {
			// Nodes claim one after the other: together they would split a digest.
			await tenants.lock(queries, { id: tenantId });
			const claimed: EndingAccess[] = [];
			for (const [kind, sql] of CLAIMS) {
				const left = limit - claimed.length;
				const rows = await queries.all<Omit<EndingAccess, "kind">>(
					sql,
					nowMs,
					nowMs + withinMs,
					tenantId,
					left,
				);
				claimed.push(...rows.map((row) => ({ kind, ...row })));
			}
			return claimed;
		},
	};
}
