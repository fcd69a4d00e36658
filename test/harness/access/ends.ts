// Ends of grants and memberships.

import { removeEnded } from "../../../src/features/access/applications/remove-ended.ts";
import { openBeside } from "../service/beside-service.ts";
import type { TestService } from "../service/service.ts";

/** A time from now on, by the clock of the service. */
export function inMs(service: TestService, ms: number): string {
	return new Date(service.clock.now() + ms).toISOString();
}

/** Runs the job that removes what is over. @returns the number of removed rows */
export async function runRemoval(service: TestService): Promise<number> {
	const { db, clock, close } = await openBeside(service);
	try {
		return await removeEnded({ db, clock });
	} finally {
		await close();
	}
}
