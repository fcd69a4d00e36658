// Admin keys for tests.

import assert from "node:assert/strict";
import { DAY_MS } from "../../src/kernel/clock.ts";
import type { TestService } from "./service.ts";
import type { DataOf } from "./wire-body.ts";

export const ADMIN_KEYS = "/api/v1/admin-keys";

export type CreatedKey = DataOf<"POST /api/v1/admin-keys">;

/** A valid body: a key of an admin for a day. */
export function keyBody(service: TestService, fields: object = {}) {
	const expires_at = new Date(service.clock.now() + DAY_MS).toISOString();
	return { name: "Deployment", roles: ["admin"], expires_at, ...fields };
}

/** The record with its `key`. @param token of its creator; default: the first admin's. */
export async function addAdminKey(
	service: TestService,
	fields: object = {},
	token?: string,
): Promise<CreatedKey> {
	const answer = await service.call("POST", ADMIN_KEYS, {
		token: token ?? (await service.adminToken()),
		body: keyBody(service, fields),
	});
	assert.equal(answer.status, 201, JSON.stringify(answer.body));
	return answer.body.data;
}

/** The status that a request with the key gets. */
export async function statusWith(service: TestService, { key }: Pick<CreatedKey, "key">): Promise<number> {
	return (await service.call("GET", "/api/v1/users", { token: key })).status;
}
