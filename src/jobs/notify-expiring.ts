// Looks now and then for API clients that expire soon, and has their owners told.

import { type NotifyExpiringDeps, notifyExpiring } from "../features/api-clients/notify-expiring.ts";
import { MINUTE_MS } from "../kernel/clock.ts";

/** For the list of jobs. */
export function createExpiryNoticeJob(deps: NotifyExpiringDeps) {
	return {
		name: "notify-expiring",
		everyMs: 10 * MINUTE_MS,
		run: async () => {
			await notifyExpiring(deps);
		},
	};
}
