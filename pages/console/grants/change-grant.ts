// Creates, changes and removes the grants of users and groups.

import { call } from "../../api/client.ts";
import { forgetQueries } from "../../api/query.ts";

export interface Subject {
	readonly kind: "user" | "group";
	readonly id: string;
	readonly name: string;
}

export async function putGrant(
	appId: string,
	{ kind, id }: Subject,
	roles: readonly string[],
): Promise<void> {
	const body = { roles: [...roles] };
	await (kind === "user"
		? call("PUT /applications/{id}/grants/users/{user_id}", { path: { id: appId, user_id: id }, body })
		: call("PUT /applications/{id}/grants/groups/{group_id}", { path: { id: appId, group_id: id }, body }));
	forgetGrants();
}

export async function removeGrant(appId: string, { kind, id }: Subject): Promise<void> {
	await (kind === "user"
		? call("DELETE /applications/{id}/grants/users/{user_id}", { path: { id: appId, user_id: id } })
		: call("DELETE /applications/{id}/grants/groups/{group_id}", { path: { id: appId, group_id: id } }));
	forgetGrants();
}

function forgetGrants(): void {
	for (const place of ["GET /applications/{id}/grants", "GET /groups/{id}/grants", "GET /users"])
		forgetQueries(place);
}
