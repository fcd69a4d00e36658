// Creates, fills, and grants groups through the admin API.

import type { TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";
import { APPLICATIONS } from "./applications.ts";

export const GROUPS = "/api/v1/groups";

let count = 0;

/** Creates a group with these members. @returns its record */
export async function addGroup(
	service: TestService,
	members: readonly string[] = [],
	fields: Readonly<Record<string, unknown>> = {},
): Promise<DataOf<"POST /api/v1/groups">> {
	const group = await service.asAdmin("POST", GROUPS, { name: `Group ${++count}`, ...fields });
	for (const userId of members) await addMember(service, group.id, userId);
	return group;
}

export async function addMember(service: TestService, groupId: string, userId: string): Promise<void> {
	await service.asAdmin("PUT", `${GROUPS}/${groupId}/members/${userId}`);
}

export async function removeMember(service: TestService, groupId: string, userId: string): Promise<void> {
	await service.asAdmin("DELETE", `${GROUPS}/${groupId}/members/${userId}`);
}

export function putGroupGrant(
	service: TestService,
	appId: string,
	groupId: string,
	roles: readonly string[] = [],
): Promise<DataOf<"PUT /api/v1/applications/{id}/grants/groups/{group_id}">> {
	return service.asAdmin("PUT", `${APPLICATIONS}/${appId}/grants/groups/${groupId}`, { roles });
}
