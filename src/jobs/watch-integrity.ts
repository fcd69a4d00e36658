// Checks the integrity of an embedded database once a day, and reports damage that a check or a query has found.

import type { HealthCheck } from "../domain/health-check.ts";
import type { InstallationCheck } from "../domain/installation-check.ts";
import { type Clock, DAY_MS, HOUR_MS } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";

interface Needed {
	readonly clock: Clock;
	readonly log: Log;
	/** Reads the whole database, in its own thread. */
	readonly check: () => Promise<InstallationCheck>;
	/** Queries that found damage. */
	readonly damagedQueries: () => number;
}

/** The first check runs an hour after the start. Damage stays reported until a restart. */
export function createIntegrityJob({ clock, log, check, damagedQueries }: Needed) {
	let checkedAtMs = Number.NEGATIVE_INFINITY;
	let isFound = false;
	const isDamaged = (): boolean => isFound || damagedQueries() > 0;
	const healthCheck: HealthCheck = {
		name: "database_integrity",
		required: false,
		async check() {
			if (isDamaged()) throw new Error("the database is damaged");
		},
	};
	return {
		isDamaged,
		healthCheck,
		job: {
			name: "check-integrity",
			everyMs: HOUR_MS,
			async run() {
				if (clock() - checkedAtMs < DAY_MS) return;
				checkedAtMs = clock();
				const { status, detail } = await check();
				if (status !== "fail") return;
				isFound = true;
				log.error({}, detail);
			},
		},
	};
}
