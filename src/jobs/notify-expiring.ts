// Notifies the owners of API clients that expire soon.

import { notifyExpiring } from "../features/partners/api-clients/notify-expiring.ts";
import { MINUTE_MS } from "../kernel/clock.ts";

/** For the list of jobs. */
export function createExpiryNoticeJob(needed: Parameters<typeof notifyExpiring>[0]) {
	return {
		name: "notify-expiring",
		everyMs: 10 * MINUTE_MS,
		run: async () => {
			await notifyExpiring(needed);
		},
	};
}
