// Gives access to an application. Roles that a user or a group already has are kept.

import { call } from "../../api/client.ts";
import { everyRow } from "../../api/every-row.ts";
import type { Schemas } from "../../api/routes.ts";
import type { Steps } from "../bulk/task.ts";
import { putGrant, removeGrant, type Subject } from "./change-grant.ts";

type Held = Pick<Schemas["UserGrant"], "roles" | "expires_at">;

/** @param end when new access ends; undefined: an existing grant keeps its end, and a new one has none */
export function accessTo(appId: string, roles: readonly string[], end?: string): Steps<Subject> {
	/** By ID; undefined: without access of their own. */
	const before = new Map<string, Held | undefined>();
	return {
		async run(subject) {
			const { id } = subject;
			// Not after a lost response: the grant may be the one made here.
			if (!before.has(id)) before.set(id, await grantOf(appId, subject));
			const held = before.get(id);
			if (held === undefined || end !== undefined || !roles.every((role) => held.roles.includes(role)))
				await putGrant(appId, subject, [...new Set([...(held?.roles ?? []), ...roles])], end);
		},
		undo(subject) {
			const held = before.get(subject.id);
			if (held === undefined) return removeGrant(appId, subject);
			return putGrant(appId, subject, held.roles, held.expires_at);
		},
	};
}

/** Of the own grant, not those of groups. */
async function grantOf(appId: string, { kind, id }: Subject): Promise<Held | undefined> {
	const path = { id };
	const grants =
		kind === "group"
			? everyRow((query) => call("GET /groups/{id}/grants", { path, query }))
			: everyRow((query) => call("GET /users/{id}/grants", { path, query }));
	for await (const grant of grants) {
		const isOwn = !("group_id" in grant) || grant.group_id === null;
		if (grant.app_id === appId && isOwn) return grant;
	}
	return undefined;
}
