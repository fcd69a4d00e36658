// Which refusals are in the audit trail already, in SQL.

import type { RefusalNoteStore } from "../../domain/sign-in-attempt.ts";
import { rateLimitKey } from "../../kernel/ip.ts";
import type { Queries } from "../sql/engine.ts";
import { refusalNotes } from "../sql/tables/sign-in-tables.ts";

const note = refusalNotes.insertWith({
	onConflict: `(tenant_id, subject, ip) DO UPDATE SET noted_until = excluded.noted_until
		WHERE refusal_notes.noted_until <= {0}`,
});

export function createRefusalNoteStore(queries: Queries): RefusalNoteStore {
	return {
		note: async (of, notedUntilMs, nowMs) =>
			(await note(queries, { ...of, ip: rateLimitKey(of.ip), notedUntilMs }, nowMs)) === 1,
		purge: (nowMs, limit) => refusalNotes.purge(queries, "noted_until <= $1", nowMs, limit),
	};
}
