// Writes when and from which IP address credentials were used last.

import { type Queries, statement } from "../sql/queries.ts";

interface Use {
	readonly id: string;
	readonly atMs: number;
	readonly ip: string;
}

/** A later use stays. Uses are sorted, so that two nodes cannot deadlock. */
export function noteUsesIn(
	table: "admin_keys" | "api_clients",
): (queries: Queries, uses: readonly Use[]) => Promise<void> {
	const sql = statement(
		`UPDATE ${table} SET last_used_at = $2, last_used_ip = $3
		WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $2)`,
		{ leavesCache: true },
	);
	return async (queries, uses) => {
		for (const { id, atMs, ip } of uses.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
			await queries.run(sql, id, atMs, ip);
	};
}
