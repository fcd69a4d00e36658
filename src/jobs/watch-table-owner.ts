// Notices tables of the database that another role owns, before the first event of a month needs a new one.

import type { HealthCheck } from "../domain/health-check.ts";
import { MINUTE_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";

interface Needed {
	readonly log: Log;
	readonly findForeignTables: () => Promise<readonly string[]>;
}

export function createTableOwnerWatch({ log, findForeignTables }: Needed) {
	let foreign: readonly string[] = [];
	const healthCheck: HealthCheck = {
		name: "database_owner",
		required: false,
		async check() {
			if (foreign.length > 0) throw new Error("another role owns tables");
		},
		detail: () =>
			`another role owns ${foreign.length} of the tables: changes will be refused when a month begins`,
	};
	return {
		healthCheck,
		job: {
			name: "watch-table-owner",
			everyMs: MINUTE_MS,
			async run() {
				const found = await findForeignTables();
				if (found.length > 0 && foreign.length === 0)
					log.error(
						{},
						`another role owns ${found.join(", ")}: changes will be refused when a month begins whose table of audit events cannot be created`,
					);
				foreign = found;
			},
		},
	};
}
