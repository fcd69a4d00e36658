// Adds and removes the managers of an application or a group.

import { userTarget } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import type { Managed } from "../../../domain/manager.ts";
import type { Stores } from "../../../domain/stores.ts";
import { getUser, userNotFound } from "../../../domain/user.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { getApplication } from "../applications/manage-application.ts";
import { getGroup } from "../groups/manage-group.ts";

type Needed = Needs<"applications" | "audit" | "groups" | "managers" | "users", "clock">;

/**
 * Idempotent.
 *
 * @throws AppError `application.not_found`, `group.not_found`, `user.not_found`.
 */
export async function addManager(
	{ db, clock }: Needed,
	managed: Managed,
	userId: string,
	caller: Caller,
): Promise<void> {
	const nowMs = clock();
	const { tenantId } = caller;
	await db.transaction(async (stores) => {
		const details = await detailsOf(stores, tenantId, managed);
		const user = found(await stores.users.findById(tenantId, userId), userNotFound);
		const row = { id: newId(nowMs), tenantId, userId, managed, addedAtMs: nowMs };
		if (await stores.managers.add(row))
			await stores.audit.append(caller, "manager.added", userTarget(user), details);
	});
}

/** @throws AppError `application.not_found`, `group.not_found`, `manager.not_found` (also for an unknown user). */
export async function removeManager(
	{ db }: Needed,
	managed: Managed,
	userId: string,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async (stores) => {
		const details = await detailsOf(stores, tenantId, managed);
		if (!(await stores.managers.remove(tenantId, userId, managed)))
			throw new AppError("manager.not_found", `this user does not manage the ${managed.kind}`);
		const user = await getUser(stores.users, tenantId, userId);
		await stores.audit.append(caller, "manager.removed", userTarget(user), details);
	});
}

/** @throws AppError `application.not_found`, `group.not_found`. */
export async function detailsOf(
	{ applications, groups }: Stores<"applications" | "groups">,
	tenantId: string,
	{ kind, id }: Managed,
) {
	if (kind === "group") return { group_id: id, name: (await getGroup(groups, tenantId, id)).name };
	return { app_id: id, name: (await getApplication(applications, tenantId, id)).name };
}
