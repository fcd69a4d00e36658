// Groups for tests: made, filled and granted through the admin's API.

import assert from "node:assert/strict";
import type { WireGroup } from "../../src/features/access/groups/endpoints.ts";
import { APPLICATIONS } from "./applications.ts";
import type { Answer, Data, TestService } from "./service.ts";

export const GROUPS = "/api/v1/groups";

let count = 0;

/** The record of a new group with these members. */
export async function addGroup(
	service: TestService,
	members: readonly string[] = [],
	fields: Readonly<Record<string, unknown>> = {},
): Promise<WireGroup> {
	const token = await service.adminToken();
	const body = { name: `Group ${++count}`, ...fields };
	const answer = await service.call<Data<WireGroup>>("POST", GROUPS, { token, body });
	assert.equal(answer.status, 201, JSON.stringify(answer.body));
	for (const userId of members) await addMember(service, answer.body.data.id, userId);
	return answer.body.data;
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
): Promise<Answer["body"]> {
	const path = `${APPLICATIONS}/${appId}/grants/groups/${groupId}`;
	const answer = await service.call("PUT", path, { token: await service.adminToken(), body: { roles } });
	assert.equal(answer.status, 200, JSON.stringify(answer.body));
	return answer.body.data;
}
