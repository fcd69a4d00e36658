// Gives access to an application. Roles that a user or a group already has are kept.

import { call } from "../../api/client.ts";
import { everyRow } from "../../api/every-row.ts";
import type { Steps } from "../bulk/task.ts";
import { putGrant, removeGrant, type Subject } from "./change-grant.ts";

export function accessTo(appId: string, roles: readonly string[]): Steps<Subject> {
	/** By ID; undefined: without access of their own. */
	const before = new Map<string, readonly string[] | undefined>();
	return {
		async run(subject) {
			const { id } = subject;
			// Not after a lost response: the grant may be the one made here.
			if (!before.has(id)) before.set(id, await rolesOf(appId, subject));
			const held = before.get(id);
			if (held === undefined || !roles.every((role) => held.includes(role)))
				await putGrant(appId, subject, [...new Set([...(held ?? []), ...roles])]);
		},
		undo(subject) {
			const held = before.get(subject.id);
			return held === undefined ? removeGrant(appId, subject) : putGrant(appId, subject, held);
		},
	};
}

/** Of the own grant, not those of groups. */
async function rolesOf(appId: string, { kind, id }: Subject): Promise<readonly string[] | undefined> {
	const path = { id };
	const grants =
		kind === "group"
			? everyRow((query) => call("GET /groups/{id}/grants", { path, query }))
			: everyRow((query) => call("GET /users/{id}/grants", { path, query }));
	for await (const grant of grants) {
		const isOwn = !("group_id" in grant) || grant.group_id === null;
		if (grant.app_id === appId && isOwn) return grant.roles;
	}
	return undefined;
}
