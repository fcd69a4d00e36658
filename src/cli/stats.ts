// `latchkey stats`: counts sign-ins, signed calls, and refusals, with the service running or stopped.

import { countStats, STATISTICS_STEPS, type StatsRange } from "../ops/manage/count-stats.ts";
import { operate, parseChoice, type TenantOption } from "./daily-work.ts";
import { printList } from "./table.ts";

/** Prints one line per step, oldest first. Counts by code are `code=count`. */
export async function stats(options: TenantOption & StatsRange & { readonly step: string }): Promise<void> {
	const step = parseChoice("--step", options.step, STATISTICS_STEPS) ?? "hour";
	await operate(options, async (operation) => {
		const { steps } = await countStats(operation, step, options);
		printList({ items: steps, total: steps.length }, [
			"at",
			"sign_ins",
			"refused_sign_ins",
			"signed_calls",
			"refused_calls",
			"registrations",
			"pending_requests",
			"mails_waiting",
		]);
	});
}
