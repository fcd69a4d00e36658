// The route map without an installation, for documents and the command line.

import type { Platform } from "../features/platform.ts";
import type { Route } from "../http/describe/guard.ts";
import { systemClock } from "../kernel/clock.ts";
import { createEndpoints, createGuards, type Recorders } from "./features.ts";
import { createRoutes } from "./routes.ts";

const nothing = (): void => undefined;

/** Record nothing: no request is signed or sent with an admin key. */
export const NO_RECORDERS: Recorders = {
	uses: { record: nothing },
	keyUses: { note: nothing },
	testCalls: { limit: () => Promise.resolve(), record: nothing },
	directoryEvents: { record: nothing },
};

/**
 * A platform whose parts endpoints may hold and not use: every member, at any depth, is another such part. Only the clock is
 * real, for examples.
 */
export const UNUSED: Platform = new Proxy({} as Platform, {
	get: (_, member) => (member === "clock" ? systemClock : member === Symbol.toPrimitive ? () => "" : PART),
});
const PART: unknown = new Proxy(() => PART, {
	get: (_, member) => (member === Symbol.toPrimitive ? () => "" : PART),
});

/** Every row of the map, to be read and not called. */
export function describeRoutes(): readonly Route[] {
	return createRoutes(createEndpoints(UNUSED), createGuards(UNUSED, NO_RECORDERS));
}
