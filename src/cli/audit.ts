// `latchkey audit verify` proves that nobody touched the audit trail; `latchkey audit prune` lets its oldest events go.

import { openBesideService } from "../app/open-installation.ts";
import { openSigningKeys } from "../app/signing-keys.ts";
import { pruneAudit, verifyAudit } from "../app/verify-audit.ts";
import { loadConfig } from "../config/load.ts";
import { SECOND_MS, systemClock } from "../kernel/clock.ts";
import { StartError } from "../kernel/start-error.ts";

/** One line a tenant on standard output; progress on standard error; exit status 1 when a link is broken. */
export async function auditVerify(): Promise<void> {
	const config = loadConfig(process.env);
	const installation = await openBesideService(config, { clock: systemClock });
	try {
		const { db, secretBox } = installation;
		const keys = await openSigningKeys(db.stores.signingKeys, secretBox);
		for await (const { tenant, events, prunedUpTo, lastHash, broken } of verifyAudit(
			{ db, keys },
			createProgress(),
		)) {
			if (broken === undefined) {
				const pruned = prunedUpTo === 0 ? "" : ` after the checkpoint at event ${prunedUpTo}`;
				console.log(`${tenant}: ok, ${events} events${pruned}, last hash ${lastHash || "none"}`);
			} else {
				console.log(`${tenant}: BROKEN at event ${broken.sequence}, ${broken.kind}: ${broken.message}`);
				process.exitCode = 1;
			}
		}
	} finally {
		await installation.close();
	}
}

export interface PruneOptions {
	/** ISO 8601 with a zone, or a day (UTC). */
	readonly before: string;
}

const BEFORE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Whether the calendar has it: to the parser the 31st of February is a day in March. */
function isDay(day: string): boolean {
	const ms = Date.parse(day);
	return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

/**
 * One line a tenant on standard output.
 *
 * @throws StartError for a time that is none or still to come, and for a broken trail: nothing was removed then.
 */
export async function auditPrune({ before }: PruneOptions): Promise<void> {
	const beforeMs = BEFORE.test(before) && isDay(before.slice(0, 10)) ? Date.parse(before) : Number.NaN;
	if (Number.isNaN(beforeMs))
		throw new StartError(`--before ${before} must be a day or a time with a zone, e.g. 2026-01-01`);
	if (beforeMs > systemClock()) throw new StartError(`--before ${before} is still to come`);
	const config = loadConfig(process.env);
	const installation = await openBesideService(config, { clock: systemClock });
	try {
		const { db, secretBox } = installation;
		const keys = await openSigningKeys(db.stores.signingKeys, secretBox);
		for await (const { tenant, events } of pruneAudit({ db, keys, clock: systemClock }, beforeMs))
			console.log(`${tenant}: ${events} events removed`);
	} finally {
		await installation.close();
	}
}

/** At most a line a second. */
function createProgress(): (tenant: string, events: number) => void {
	let printedAtMs = Number.NEGATIVE_INFINITY;
	return (tenant, events) => {
		const now = systemClock();
		if (now - printedAtMs < SECOND_MS) return;
		printedAtMs = now;
		console.error(`${tenant}: ${events} events hold so far`);
	};
}
