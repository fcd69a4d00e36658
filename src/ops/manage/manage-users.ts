// Lists and changes users. Objects have the shape of the API.

import { SYSTEM_ROLES } from "../../domain/system-role.ts";
import { getUser, USER_STATUSES, type User, type UserQuery } from "../../domain/user.ts";
import { sendReset } from "../../features/identity/recovery/mail-reset-link.ts";
import { unlockUser as unlock } from "../../features/identity/users/manage-users.ts";
import { toWireSession } from "../../features/identity/users/session-wire.ts";
import { updateUser } from "../../features/identity/users/update-user.ts";
import { toWireUser } from "../../features/identity/users/user-wire.ts";
import { parseId } from "../../kernel/id.ts";
import { mapPage } from "../../kernel/page.ts";
import { StartError } from "../../kernel/start-error.ts";
import { type Operation, takeFirst } from "./operation.ts";

export { SYSTEM_ROLES, USER_STATUSES };

/** By username, email, or id. @throws StartError (`not_found`). */
export async function findUser({ db, caller }: Operation, name: string): Promise<User> {
	const { users } = db.stores;
	const id = parseId(name);
	const user =
		id === undefined
			? await users.findByLogin(caller.tenantId, name)
			: await users.findById(caller.tenantId, id);
	if (user === undefined)
		throw new StartError(`there is no user ${JSON.stringify(name)}`, { kind: "not_found" });
	return user;
}

export function listUsers({ db, caller }: Operation, query: Omit<UserQuery, "tenantId">, limit: number) {
	const { tenantId } = caller;
	return takeFirst(
		async (page) => mapPage(await db.stores.users.list({ ...query, tenantId }, page), toWireUser),
		limit,
	);
}

export async function showUser(operation: Operation, name: string) {
	return toWireUser(await findUser(operation, name));
}

/** @throws AppError `user.last_admin`. */
export function disableUser(operation: Operation, name: string) {
	return setStatus(operation, name, "disabled");
}

export function enableUser(operation: Operation, name: string) {
	return setStatus(operation, name, "active");
}

async function setStatus(operation: Operation, name: string, status: "active" | "disabled") {
	const { id } = await findUser(operation, name);
	return toWireUser(await updateUser(operation, id, { status }, operation.caller));
}

/** Live sessions only. */
export async function listSessions(operation: Operation, name: string, limit: number) {
	const { db, caller, clock } = operation;
	const { id } = await findUser(operation, name);
	return takeFirst(
		async (page) =>
			mapPage(await db.stores.sessions.list(caller.tenantId, id, clock(), page), (session) =>
				toWireSession(session, null),
			),
		limit,
	);
}

/** @throws AppError as `sendReset`. */
export async function sendResetLink(operation: Operation, name: string) {
	const user = await findUser(operation, name);
	await sendReset(operation, user.id, operation.caller);
	return toWireUser(user);
}

/** Removes the lock and every delay that followed wrong passwords and codes. */
export async function unlockUser(operation: Operation, name: string) {
	const { id } = await findUser(operation, name);
	await unlock(operation, id, operation.caller);
	return toWireUser(await getUser(operation.db.stores.users, operation.caller.tenantId, id));
}
