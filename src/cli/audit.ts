// `latchkey audit verify` checks that the audit trail is unchanged; `latchkey audit prune` removes its oldest events.

import { openSigningKeys } from "../app/stored-keys.ts";
import { systemClock } from "../kernel/clock.ts";
import { pruneAudit, type TrailReport, verifyAudit } from "../ops/verify-audit.ts";
import { setExitStatus } from "./exit-status.ts";
import { withInstallation } from "./installation.ts";
import { printDone, printResult } from "./output.ts";
import { parsePastTime } from "./parse-time.ts";
import { printEverySecond } from "./progress.ts";

/** Prints one line per tenant. Exit status `damaged` when a link is broken. */
export async function auditVerify(): Promise<void> {
	await withInstallation(async ({ db, secretBox }) => {
		const keys = await openSigningKeys(db.stores.signingKeys, secretBox);
		for await (const report of verifyAudit({ db, keys }, createAuditProgress())) {
			printResult(trailJson(report), describeTrail(report));
			if (report.broken !== undefined) setExitStatus("damaged");
		}
	});
}

export function createAuditProgress() {
	return printEverySecond((tenant: string, events: number) => `${tenant}: ${events} events verified so far`);
}

export function trailJson({ tenant, events, prunedUpTo, lastHash, broken }: TrailReport) {
	return {
		tenant,
		ok: broken === undefined,
		events,
		pruned_up_to: prunedUpTo,
		last_hash: lastHash,
		broken: broken ?? null,
	};
}

export function describeTrail({ tenant, events, prunedUpTo, lastHash, broken }: TrailReport): string {
	if (broken !== undefined)
		return `${tenant}: BROKEN at event ${broken.sequence}, ${broken.kind}: ${broken.message}`;
	const pruned = prunedUpTo === 0 ? "" : ` after the checkpoint at event ${prunedUpTo}`;
	return `${tenant}: ok, ${events} events${pruned}, last hash ${lastHash || "none"}`;
}

interface PruneOptions {
	/** ISO 8601 with a zone, or a day (UTC). */
	readonly before: string;
}

/**
 * Prints one line per tenant.
 *
 * @throws StartError for a malformed or future time, and for a broken trail; then removes nothing.
 */
export async function auditPrune({ before }: PruneOptions): Promise<void> {
	const beforeMs = parsePastTime("--before", before, systemClock());
	await withInstallation(async ({ db, secretBox, clock }) => {
		const keys = await openSigningKeys(db.stores.signingKeys, secretBox);
		for await (const { tenant, events } of pruneAudit({ db, keys, clock }, beforeMs))
			printDone({ tenant, events }, `${tenant}: ${events} events removed`);
	});
}
