// Builds the features: hands each what it needs, and nothing else. Guards and endpoints come out.

import { bearerGuard } from "../features/auth/bearer-guard.ts";
import { healthEndpoints } from "../features/health/endpoints.ts";
import { visitorGuard } from "../features/tenants/visitor-guard.ts";
import type { Platform } from "./platform.ts";

export type Guards = ReturnType<typeof createGuards>;
export type Endpoints = ReturnType<typeof createEndpoints>;

export function createGuards(platform: Platform) {
	return {
		visitor: visitorGuard(platform.db),
		signedIn: bearerGuard(platform),
		admin: bearerGuard(platform, ["admin"]),
		adminOrAuditor: bearerGuard(platform, ["admin", "auditor"]),
		reviewer: bearerGuard(platform, ["reviewer", "admin"]),
		reviewReader: bearerGuard(platform, ["reviewer", "admin", "auditor"]),
	};
}

export function createEndpoints(platform: Platform) {
	return {
		health: healthEndpoints({ version: platform.version, checks: platform.checks }),
	};
}
