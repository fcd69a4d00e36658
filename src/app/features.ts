// Builds the features: hands each what it needs, and nothing else. Guards and endpoints come out.

import { apiClientsEndpoints } from "../features/api-clients/endpoints.ts";
import { applicationsEndpoints } from "../features/applications/endpoints.ts";
import { grantsEndpoints } from "../features/applications/grant-endpoints.ts";
import { rolesEndpoints } from "../features/applications/role-endpoints.ts";
import { createAuthKeys } from "../features/auth/auth-keys.ts";
import { bearerGuard } from "../features/auth/bearer-guard.ts";
import { PasswordAttempts } from "../features/auth/password-attempts.ts";
import { registrationEndpoints } from "../features/auth/registration-endpoints.ts";
import { sessionEndpoints } from "../features/auth/session-endpoints.ts";
import { healthEndpoints } from "../features/health/endpoints.ts";
import { visitorGuard } from "../features/tenants/visitor-guard.ts";
import { thirdPartyEndpoints } from "../features/third-party/endpoints.ts";
import { usersEndpoints } from "../features/users/endpoints.ts";
import { meEndpoints } from "../features/users/me-endpoints.ts";
import { toWireUser, userSchema } from "../features/users/user-wire.ts";
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
	const attempts = new PasswordAttempts(platform);
	const keys = createAuthKeys(platform.secretBox);
	const userWire = { schema: userSchema, toWire: toWireUser };
	return {
		apiClients: apiClientsEndpoints(platform),
		applications: applicationsEndpoints(platform),
		grants: grantsEndpoints(platform),
		roles: rolesEndpoints(platform),
		registration: registrationEndpoints({ ...platform, keys, userWire }),
		sessions: sessionEndpoints({ ...platform, keys, attempts, userWire }),
		health: healthEndpoints({ version: platform.version, checks: platform.checks }),
		me: meEndpoints({ ...platform, attempts }),
		thirdParty: thirdPartyEndpoints(platform),
		users: usersEndpoints(platform),
	};
}
