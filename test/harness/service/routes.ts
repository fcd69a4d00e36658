// The map without a running service, for tests that compare documents and responses with it. Its rows can be read, not called.

import { NO_RECORDERS, UNUSED } from "../../../src/app/described-routes.ts";
import { createMap } from "../../../src/app/map.ts";
import type { GateOptions } from "../../../src/features/partners/gate/ask-endpoints.ts";
import type { Route } from "../../../src/http/describe/guard.ts";
import type { Mount } from "../../../src/http/run/mount.ts";
import { loadBuiltPages } from "../../../src/pages/built-pages.ts";

let map: ReturnType<typeof createMap> | undefined;

export function describeMap(): ReturnType<typeof createMap> {
	const installed = { built: loadBuiltPages({ isWatched: false }), certificate: new Map() };
	map ??= createMap(UNUSED, NO_RECORDERS, UNUSED as unknown as GateOptions, installed);
	return map;
}

/** Every row of the API. */
export async function mapOfRoutes(): Promise<readonly Route[]> {
	return describeMap().api;
}

/** Every row below `/gate`. */
export async function gatePaths(): Promise<readonly Pick<Mount, "method" | "path">[]> {
	return describeMap().gate;
}
