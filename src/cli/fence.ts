// `latchkey fence`: voids what the database may have forgotten, after a recovery to a point in time or a lossy failover.

import { isoTime, systemClock } from "../kernel/clock.ts";
import { fence as fenceInstallation } from "../ops/fence.ts";
import { withInstallation } from "./installation.ts";
import { printDone } from "./output.ts";
import { parsePastTime } from "./parse-time.ts";

interface FenceCommand {
	/** ISO 8601 with a zone, or a day (UTC). */
	readonly since?: string;
	readonly acceptServer?: boolean;
}

/** With the service running or stopped. */
export async function fence({ since, acceptServer = false }: FenceCommand): Promise<void> {
	const sinceMs = since === undefined ? undefined : parsePastTime("--since", since, systemClock());
	await withInstallation(async (installation) => {
		const { voided, closedUntilMs } = await fenceInstallation(installation, {
			sinceMs,
			acceptServer,
			clock: systemClock,
		});
		const closedUntil = isoTime(closedUntilMs);
		printDone(
			{ voided: Object.fromEntries(voided), signed_calls_refused_until: closedUntil },
			...voided.map(([description, count]) => `${count} ${description}`),
			`requests signed up to ${closedUntil} are refused`,
		);
	});
}
