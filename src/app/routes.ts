// THE MAP: every endpoint of the service, one row each: method, path, who may call it, its own limit, what it does.

import { publicGuard, type Route, route } from "../http/guard.ts";
import type { Endpoints, Guards } from "./features.ts";

export function createRoutes(e: Endpoints, g: Guards): Route[] {
	return [route("GET", "/health", publicGuard, "service", e.health.get, "Health")];
}
