// An admin removes an account for good.

import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	checkManages,
	isActiveAdmin,
	lastAdminError,
	type User,
	type UserStore,
	userNotFound,
} from "./model.ts";

export interface DeleteUserDeps {
	readonly db: Persistence<{ users: UserStore; audit: AuditLog }>;
}

/**
 * Removes a user of the actor's tenant; sessions, grants and third-party accounts go with the row.
 *
 * @throws AppError `user.not_found`, `role.required`, `user.last_admin`.
 */
export async function deleteUser(
	{ db }: DeleteUserDeps,
	userId: string,
	{ actor, origin }: { readonly actor: User; readonly origin: Origin },
): Promise<void> {
	const { tenantId } = actor;
	await db.transaction(async ({ users, audit }) => {
		// Counted before the row is read: it takes the lock under which admins stop being admins.
		const otherAdmins = await users.countOtherActiveAdmins(tenantId, userId);
		const user = await users.findById(tenantId, userId);
		if (user === undefined) throw userNotFound();
		checkManages(actor, user);
		if (isActiveAdmin(user) && otherAdmins === 0) throw lastAdminError();
		await users.remove(tenantId, userId);
		await audit.append({
			tenantId,
			actor: `user:${actor.id}`,
			action: "user.deleted",
			target: `user:${userId}`,
			origin,
			details: { username: user.username },
		});
	});
}
