// Creates tenants over HTTP.

import assert from "node:assert/strict";
import type { TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";

export const TENANTS = "/api/v1/tenants";
export const TENANT_ADMIN_PASSWORD = "the first admin of a tenant";

let created = 0;

/** A valid body with unique values. */
export function newTenant(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
	const slug = `tenant-${++created}`;
	const admin = { username: "admin", email: `admin@${slug}.example`, password: TENANT_ADMIN_PASSWORD };
	return { name: `Tenant ${created}`, slug, admin, ...fields };
}

export function addTenant(
	service: TestService,
	fields: Readonly<Record<string, unknown>> = {},
): Promise<DataOf<"POST /api/v1/tenants">> {
	return service.asAdmin("POST", TENANTS, newTenant(fields));
}

/** The access token of a tenant's first admin. */
export async function tenantAdminToken(service: TestService, tenantId: string): Promise<string> {
	const response = await service.call("POST", "/api/v1/auth/login", {
		body: { username: "admin", password: TENANT_ADMIN_PASSWORD },
		headers: { "x-tenant-id": tenantId },
	});
	assert.equal(response.status, 200, JSON.stringify(response.body));
	return response.body.data.access_token;
}
