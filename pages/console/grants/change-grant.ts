// Creates, changes and removes the grants of an application.

import { call } from "../../api/client.ts";
import { forgetQueries } from "../../api/query.ts";
import { session } from "../../api/session.ts";

export interface Subject {
	readonly kind: "user" | "group" | "api_client" | "program";
	readonly id: string;
	readonly name: string;
}

export async function putGrant(
	appId: string,
	{ kind, id }: Subject,
	roles: readonly string[],
	/** Null for none; undefined: the present end stays. */
	end?: string | null,
): Promise<void> {
	const body = { roles: [...roles], ...(end !== undefined && { expires_at: end }) };
	switch (kind) {
		case "user":
			await call("PUT /applications/{id}/grants/users/{user_id}", { path: { id: appId, user_id: id }, body });
			break;
		case "group":
			await call("PUT /applications/{id}/grants/groups/{group_id}", {
				path: { id: appId, group_id: id },
				body,
			});
			break;
		case "api_client": {
			const path = { id: appId, client_id: id };
			await call("PUT /applications/{id}/grants/api-clients/{client_id}", { path, body });
			break;
		}
		case "program": {
			const path = { id: appId, application_id: id };
			await call("PUT /applications/{id}/grants/programs/{application_id}", { path, body });
		}
	}
	forgetGrants();
}

/** Gives the administrator who uses the console access without roles. */
export async function giveMyself(appId: string): Promise<void> {
	const { user } = session.value;
	if (user !== undefined) await putGrant(appId, { kind: "user", id: user.id, name: user.username }, []);
}

export async function removeGrant(appId: string, { kind, id }: Subject): Promise<void> {
	switch (kind) {
		case "user":
			await call("DELETE /applications/{id}/grants/users/{user_id}", { path: { id: appId, user_id: id } });
			break;
		case "group":
			await call("DELETE /applications/{id}/grants/groups/{group_id}", { path: { id: appId, group_id: id } });
			break;
		case "api_client": {
			const path = { id: appId, client_id: id };
			await call("DELETE /applications/{id}/grants/api-clients/{client_id}", { path });
			break;
		}
		case "program": {
			const path = { id: appId, application_id: id };
			await call("DELETE /applications/{id}/grants/programs/{application_id}", { path });
		}
	}
	forgetGrants();
}

function forgetGrants(): void {
	for (const place of ["GET /applications/{id}/grants", "GET /groups/{id}/grants", "GET /users"])
		forgetQueries(place);
}
