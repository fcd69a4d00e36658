// `latchkey audit verify`: proves that nobody touched the audit trail.

import { openBesideService } from "../app/open-installation.ts";
import { verifyAudit } from "../app/verify-audit.ts";
import { loadConfig } from "../config/load.ts";
import { SECOND_MS, systemClock } from "../kernel/clock.ts";

/** One line a tenant on standard output; progress on standard error; exit status 1 when a link is broken. */
export async function auditVerify(): Promise<void> {
	const config = loadConfig(process.env);
	const installation = await openBesideService(config, { clock: systemClock });
	try {
		for await (const { tenant, events, lastHash, broken } of verifyAudit(
			installation.db.stores,
			createProgress(),
		)) {
			if (broken === undefined) {
				console.log(`${tenant}: ok, ${events} events, last hash ${lastHash || "none"}`);
			} else {
				console.log(`${tenant}: BROKEN at event ${broken.sequence}, ${broken.kind}: ${broken.message}`);
				process.exitCode = 1;
			}
		}
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
