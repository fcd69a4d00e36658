// Admin keys for tests.

import assert from "node:assert/strict";
import { DAY_MS } from "../../../src/kernel/clock.ts";
import type { TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";

export const ADMIN_KEYS = "/api/v1/admin-keys";

export type CreatedKey = DataOf<"POST /api/v1/admin-keys">;

/** A valid body: a key with the role admin, valid for one day. */
export function keyBody(service: TestService, fields: object = {}) {
	const expires_at = new Date(service.clock.now() + DAY_MS).toISOString();
	return { name: "Deployment", roles: ["admin"], expires_at, ...fields };
}

/** @param token of the creator; default: the first admin. @returns the record with its `key` */
export async function addAdminKey(
	service: TestService,
	fields: object = {},
	token?: string,
): Promise<CreatedKey> {
	const response = await service.call("POST", ADMIN_KEYS, {
		token: token ?? (await service.adminToken()),
		body: keyBody(service, fields),
	});
	assert.equal(response.status, 201, JSON.stringify(response.body));
	return response.body.data;
}

/** The status of a request with the key. */
export async function statusWith(service: TestService, { key }: Pick<CreatedKey, "key">): Promise<number> {
	return (await service.call("GET", "/api/v1/users", { token: key })).status;
}
