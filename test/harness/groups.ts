// Creates, fills, and grants groups through the admin API.

import assert from "node:assert/strict";
import { APPLICATIONS } from "./applications.ts";
import type { TestService } from "./service.ts";
import type { DataOf } from "./wire-body.ts";

export const GROUPS = "/api/v1/groups";

let count = 0;

/** Creates a group with these members. @returns its record */
export async function addGroup(
	service: TestService,
	members: readonly string[] = [],
	fields: Readonly<Record<string, unknown>> = {},
): Promise<DataOf<"POST /api/v1/groups">> {
	const token = await service.adminToken();
	const body = { name: `Group ${++count}`, ...fields };
	const response = await service.call("POST", GROUPS, { token, body });
	assert.equal(response.status, 201, JSON.stringify(response.body));
	for (const userId of members) await addMember(service, response.body.data.id, userId);
	return response.body.data;
}

export async function addMember(service: TestService, groupId: string, userId: string): Promise<void> {
	const token = await service.adminToken();
	const { status } = await service.call("PUT", `${GROUPS}/${groupId}/members/${userId}`, { token });
	assert.equal(status, 204);
}

export async function removeMember(service: TestService, groupId: string, userId: string): Promise<void> {
	const token = await service.adminToken();
	const { status } = await service.call("DELETE", `${GROUPS}/${groupId}/members/${userId}`, { token });
	assert.equal(status, 204);
}

export async function putGroupGrant(
	service: TestService,
	appId: string,
	groupId: string,
	roles: readonly string[] = [],
): Promise<DataOf<"PUT /api/v1/applications/{id}/grants/groups/{group_id}">> {
	const path = `${APPLICATIONS}/${appId}/grants/groups/${groupId}` as const;
	const response = await service.call("PUT", path, { token: await service.adminToken(), body: { roles } });
	assert.equal(response.status, 200, JSON.stringify(response.body));
	return response.body.data;
}
