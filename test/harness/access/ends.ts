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
	await using beside = await openBeside(service);
	return await removeEnded(beside);
}

/** Runs the job that announces ends, as another node would. @returns the number of announced ends */
export async function runEndNotices(
	service: TestService,
	wrap: (db: Db) => Db = (db) => db,
): Promise<number> {
	await using beside = await openBeside(service);
	const db = wrap(beside.db);
	return await notifyEnds({ ...beside, db, publicUrl: service.httpsUrl, wakeMail: () => undefined });
}
