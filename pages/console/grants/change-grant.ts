// Creates, changes and removes the grants of an application.

import { call } from "../../api/client.ts";
import { forgetQueries } from "../../api/query.ts";
import { session } from "../../api/session.ts";

export interface Subject {
	readonly kind: "user" | "group" | "api_client" | "program";
	readonly id: string;
	readonly name: string;
}

const PLACES = {
	user: "users/{user_id}",
	group: "groups/{group_id}",
	api_client: "api-clients/{client_id}",
	program: "programs/{application_id}",
} as const;

/** The path has the parameters of every kind; a route reads its own. */
function placeOf(appId: string, { kind, id }: Subject) {
	const path = { id: appId, user_id: id, group_id: id, client_id: id, application_id: id };
	return { route: `/applications/{id}/grants/${PLACES[kind]}` as const, path };
}

export async function putGrant(
	appId: string,
	subject: Subject,
	roles: readonly string[],
	/** Null for none; undefined: the present end stays. */
	end?: string | null,
): Promise<void> {
	const { route, path } = placeOf(appId, subject);
	const body = { roles: [...roles], ...(end !== undefined && { expires_at: end }) };
	await call(`PUT ${route}`, { path, body });
	forgetGrants();
}

/** Gives the administrator who uses the console access without roles. */
export async function giveMyself(appId: string): Promise<void> {
	const { user } = session.value;
	if (user !== undefined) await putGrant(appId, { kind: "user", id: user.id, name: user.username }, []);
}

export async function removeGrant(appId: string, subject: Subject): Promise<void> {
	const { route, path } = placeOf(appId, subject);
	await call(`DELETE ${route}`, { path });
	forgetGrants();
}

function forgetGrants(): void {
	for (const place of ["GET /applications/{id}/grants", "GET /groups/{id}/grants", "GET /users"])
		forgetQueries(place);
}
