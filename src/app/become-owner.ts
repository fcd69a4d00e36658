// The service becomes the owner of its embedded database, and notices what happened to the files before and since.

import { systemCaller } from "../domain/caller.ts";
import { type Clock, isoTime, SECOND_MS } from "../kernel/clock.ts";
import { newId } from "../kernel/id.ts";
import type { Log } from "../kernel/log.ts";
import type { Job } from "./background.ts";
import type { Installation } from "./open-installation.ts";
import { voidForgotten } from "./void-forgotten.ts";

interface Owning {
	readonly clock: Clock;
	readonly log: Log;
	/** Ends the process. */
	readonly end: () => void;
}

/** Before the service accepts connections: voids what the database may have forgotten if it lacks commits, and then becomes the owner. */
export async function becomeOwner(installation: Installation, { clock, log, end }: Owning): Promise<void> {
	const { ownership } = installation.engine;
	if (ownership === undefined) return;
	const loss = ownership.findLoss();
	if (loss !== undefined) {
		const nowMs = clock();
		const { closedUntilMs } = await voidForgotten(installation, {
			sinceMs: undefined,
			nowMs,
			callerOf: systemCaller,
		});
		log.error(
			{},
			`the database lacks commits up to ${isoTime(loss.lastAtMs)}: an old copy was put back, or its log was cut short; all sessions ended, and what was signed up to ${isoTime(closedUntilMs)} is refused`,
		);
	}
	await ownership.take(newId(clock()), clock, (reason) => {
		log.error({}, `${reason}: the service stops`);
		end();
	});
}

/** Looks every two seconds whether the files in the data directory are still the open ones. */
export function watchFiles({ ownership }: Installation["engine"]): Job[] {
	if (ownership === undefined) return [];
	return [{ name: "watch-files", everyMs: 2 * SECOND_MS, run: async () => ownership.check() }];
}
