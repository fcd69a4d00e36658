// THE MAP: every endpoint of the service, one row each: method, path, who may call it, its own limit, what it does.

import { publicGuard, type Route, route } from "../http/guard.ts";
import type { Endpoints, Guards } from "./features.ts";

export function createRoutes(e: Endpoints, g: Guards): Route[] {
	const routes: Route[] = [
		route("GET", "/health", publicGuard, "probe", e.health.get, "Health"),

		route("POST", "/api/v1/access-requests", g.visitor, "service", e.accessRequests.submit, "Access requests"),
		route("GET", "/api/v1/access-requests", g.reviewReader, "service", e.accessRequests.list, "Access requests"),
		route("GET", "/api/v1/access-requests/{id}", g.reviewReader, "service", e.accessRequests.get, "Access requests"),
		route("POST", "/api/v1/access-requests/{id}/approve", g.reviewer, "service", e.accessRequests.approve, "Access requests"),
		route("POST", "/api/v1/access-requests/{id}/reject", g.reviewer, "service", e.accessRequests.reject, "Access requests"),
		route("POST", "/api/v1/access-requests/{id}/resend", g.reviewer, "service", e.accessRequests.resend, "Access requests"),
		route("POST", "/api/v1/access-requests/claim", publicGuard, "service", e.accessRequests.claim, "Access requests"),
		route("POST", "/api/v1/access-requests/withdraw", publicGuard, "service", e.accessRequests.withdraw, "Access requests"),

		route("GET", "/.well-known/jwks.json", publicGuard, "service", e.sessions.jwks, "Authentication"),
		route("POST", "/api/v1/auth/register/send-code", g.visitor, "service", e.registration.sendCode, "Authentication"),
		route("POST", "/api/v1/auth/register", g.visitor, "service", e.registration.register, "Authentication"),
		route("POST", "/api/v1/auth/login", g.visitor, "service", e.sessions.login, "Authentication"),
		route("POST", "/api/v1/auth/refresh", publicGuard, "service", e.sessions.refresh, "Authentication"),
		route("POST", "/api/v1/auth/logout", g.signedIn, "service", e.sessions.logout, "Authentication"),

		route("GET", "/api/v1/users/me", g.signedIn, "service", e.me.get, "Users"),
		route("PUT", "/api/v1/users/me", g.nobody, "service", e.me.put, "Users"),
		route("PUT", "/api/v1/users/me/password", g.signedIn, "service", e.me.changePassword, "Users"),
		route("GET", "/api/v1/users/me/sessions", g.signedIn, "service", e.me.listSessions, "Users"),
		route("DELETE", "/api/v1/users/me/sessions/{id}", g.signedIn, "service", e.me.endSession, "Users"),
		route("GET", "/api/v1/users/me/third-party-accounts", g.signedIn, "service", e.thirdParty.listMine, "Users"),
		route("DELETE", "/api/v1/users/me/third-party-accounts/{id}", g.signedIn, "service", e.thirdParty.unlinkMine, "Users"),
		route("GET", "/api/v1/users", g.adminOrAuditor, "service", e.users.list, "Users"),
		route("POST", "/api/v1/users", g.admin, "service", e.users.create, "Users"),
		route("GET", "/api/v1/users/{id}", g.adminOrAuditor, "service", e.users.get, "Users"),
		route("PATCH", "/api/v1/users/{id}", g.admin, "service", e.users.update, "Users"),
		route("DELETE", "/api/v1/users/{id}", g.admin, "service", e.users.remove, "Users"),
		route("POST", "/api/v1/users/{id}/sessions/revoke", g.admin, "service", e.users.revokeSessions, "Users"),
		route("GET", "/api/v1/users/{id}/third-party-accounts", g.adminOrAuditor, "service", e.thirdParty.list, "Users"),
		route("POST", "/api/v1/users/{id}/third-party-accounts", g.admin, "service", e.thirdParty.link, "Users"),
		route("DELETE", "/api/v1/users/{id}/third-party-accounts/{account_id}", g.admin, "service", e.thirdParty.unlink, "Users"),

		route("GET", "/api/v1/applications", g.signedIn, "service", e.applications.list, "Applications"),
		route("POST", "/api/v1/applications", g.admin, "service", e.applications.create, "Applications"),
		route("GET", "/api/v1/applications/{id}", g.adminOrAuditor, "service", e.applications.get, "Applications"),
		route("PATCH", "/api/v1/applications/{id}", g.admin, "service", e.applications.update, "Applications"),
		route("DELETE", "/api/v1/applications/{id}", g.admin, "service", e.applications.remove, "Applications"),
		route("GET", "/api/v1/applications/{id}/roles", g.adminOrAuditor, "service", e.roles.list, "Applications"),
		route("POST", "/api/v1/applications/{id}/roles", g.admin, "service", e.roles.create, "Applications"),
		route("PATCH", "/api/v1/applications/{id}/roles/{role_id}", g.admin, "service", e.roles.update, "Applications"),
		route("DELETE", "/api/v1/applications/{id}/roles/{role_id}", g.admin, "service", e.roles.remove, "Applications"),
		route("GET", "/api/v1/applications/{id}/grants", g.adminOrAuditor, "service", e.grants.list, "Applications"),
		route("PUT", "/api/v1/applications/{id}/grants/users/{user_id}", g.admin, "service", e.grants.put, "Applications"),
		route("DELETE", "/api/v1/applications/{id}/grants/users/{user_id}", g.admin, "service", e.grants.remove, "Applications"),
		route("PUT", "/api/v1/applications/{id}/grants/groups/{group_id}", g.admin, "service", e.grants.putGroup, "Applications"),
		route("DELETE", "/api/v1/applications/{id}/grants/groups/{group_id}", g.admin, "service", e.grants.removeGroup, "Applications"),

		route("GET", "/api/v1/groups", g.adminOrAuditor, "service", e.groups.list, "Groups"),
		route("POST", "/api/v1/groups", g.admin, "service", e.groups.create, "Groups"),
		route("GET", "/api/v1/groups/{id}", g.adminOrAuditor, "service", e.groups.get, "Groups"),
		route("PATCH", "/api/v1/groups/{id}", g.admin, "service", e.groups.update, "Groups"),
		route("DELETE", "/api/v1/groups/{id}", g.admin, "service", e.groups.remove, "Groups"),
		route("GET", "/api/v1/groups/{id}/members", g.adminOrAuditor, "service", e.groups.listMembers, "Groups"),
		route("PUT", "/api/v1/groups/{id}/members/{user_id}", g.admin, "service", e.groups.addMember, "Groups"),
		route("DELETE", "/api/v1/groups/{id}/members/{user_id}", g.admin, "service", e.groups.removeMember, "Groups"),

		route("POST", "/api/v1/access/explain", g.admin, "service", e.access.explain, "Access decisions"),

		route("GET", "/api/v1/api-clients", g.adminOrAuditor, "service", e.apiClients.list, "API clients"),
		route("POST", "/api/v1/api-clients", g.admin, "service", e.apiClients.create, "API clients"),
		route("POST", "/api/v1/api-clients/validate", g.admin, { perMinute: 10 }, e.secrets.validate, "API clients"),
		route("GET", "/api/v1/api-clients/{id}", g.adminOrAuditor, "service", e.apiClients.get, "API clients"),
		route("PATCH", "/api/v1/api-clients/{id}", g.admin, "service", e.apiClients.update, "API clients"),
		route("DELETE", "/api/v1/api-clients/{id}", g.admin, "service", e.apiClients.remove, "API clients"),
		route("POST", "/api/v1/api-clients/{id}/regenerate-secret", g.admin, "service", e.secrets.regenerate, "API clients"),
		route("GET", "/api/v1/api-clients/{id}/allowlist-report", g.adminOrAuditor, "service", e.allowlists.report, "API clients"),
		route("POST", "/api/v1/api-clients/{id}/explain-signature", g.admin, "service", e.explanation(() => routes).explain, "API clients"),

		route("GET", "/api/v1/external/whoami", g.client, "service", e.external.whoami, "Open APIs"),
		route("GET", "/api/v1/external/users/{id}", g.usersRead, "service", e.external.getUser, "Open APIs"),
		route("POST", "/api/v1/external/users/check-access", g.accessCheck, "service", e.external.checkAccess, "Open APIs"),
		route("POST", "/api/v1/external/users/check-access/batch", g.accessCheck, "service", e.external.checkAccessBatch, "Open APIs"),
		route("POST", "/api/v1/external/third-party/find-user", g.thirdPartyRead, "service", e.external.findUser, "Open APIs"),
		route("GET", "/.well-known/authzen-configuration", publicGuard, "service", e.authzen.metadata, "Open APIs"),
		route("POST", "/access/v1/evaluation", g.accessCheck, "service", e.authzen.evaluation, "Open APIs"),
		route("POST", "/access/v1/evaluations", g.accessCheck, "service", e.authzen.evaluations, "Open APIs"),
		route("POST", "/api/v1/external/secret/rotate", g.client, "service", e.rotation.rotate, "Open APIs"),

		route("GET", "/api/v1/webhooks", g.adminOrAuditor, "service", e.webhooks.list, "Webhooks"),
		route("POST", "/api/v1/webhooks", g.admin, "service", e.webhooks.create, "Webhooks"),
		route("GET", "/api/v1/webhooks/{id}", g.adminOrAuditor, "service", e.webhooks.get, "Webhooks"),
		route("PATCH", "/api/v1/webhooks/{id}", g.admin, "service", e.webhooks.update, "Webhooks"),
		route("DELETE", "/api/v1/webhooks/{id}", g.admin, "service", e.webhooks.remove, "Webhooks"),
		route("POST", "/api/v1/webhooks/{id}/rotate-secret", g.admin, "service", e.webhooks.rotateSecret, "Webhooks"),
		route("GET", "/api/v1/webhooks/{id}/deliveries", g.adminOrAuditor, "service", e.webhookDeliveries.list, "Webhooks"),
		route("POST", "/api/v1/webhooks/{id}/deliveries/{delivery_id}/replay", g.admin, "service", e.webhookDeliveries.replay, "Webhooks"),

		route("GET", "/api/v1/tenants", g.platformAdmin, "service", e.tenants.list, "Tenants"),
		route("POST", "/api/v1/tenants", g.platformAdmin, "service", e.tenants.create, "Tenants"),
		route("GET", "/api/v1/tenants/{id}", g.platformAdmin, "service", e.tenants.get, "Tenants"),
		route("PATCH", "/api/v1/tenants/{id}", g.platformAdmin, "service", e.tenants.update, "Tenants"),

		route("GET", "/api/v1/audit-events", g.adminOrAuditor, "service", e.audit.list, "Audit"),
		route("GET", "/api/v1/audit-events/export", g.adminOrAuditor, "service", e.audit.export, "Audit"),
	];
	return routes;
}
