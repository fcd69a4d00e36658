// Ends of grants and memberships.

import type { Db } from "../../../src/domain/stores.ts";
import { removeEnded } from "../../../src/features/access/applications/remove-ended.ts";
import { notifyEnds } from "../../../src/jobs/notify-ends.ts";
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

/** Runs the job that announces ends, as another node would. @returns the number of announced ends */
export async function runEndNotices(
	service: TestService,
	wrap: (db: Db) => Db = (db) => db,
): Promise<number> {
	const { db, clock, close } = await openBeside(service);
	try {
		const publicUrl = service.httpsUrl;
		return await notifyEnds({ db: wrap(db), clock, publicUrl, wakeMail: () => undefined });
	} finally {
		await close();
	}
}
