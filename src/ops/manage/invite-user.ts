// Invites a user from the command line, or sends an invited user another link.

import { USERNAME } from "../../domain/user.ts";
import { inviteAgain } from "../../features/identity/invitations/invite-user.ts";
import { createUser } from "../../features/identity/users/manage-users.ts";
import { fromNewUser, newUserSchema, toWireUser } from "../../features/identity/users/user-wire.ts";
import { StartError } from "../../kernel/start-error.ts";
import { inputOf } from "./check-input.ts";
import type { Operation } from "./operation.ts";

const checkNew = inputOf(newUserSchema);

/** As typed. */
export interface InviteOptions {
	readonly username?: string;
	readonly displayName?: string;
	readonly locale?: string;
	readonly role?: readonly string[];
}

/**
 * An invited user with this address gets another link, which replaces the previous one.
 *
 * @throws StartError (`usage`) for an invalid value, for options with an already invited user, and for an address that
 * yields no username; AppError as `createUser`.
 */
export async function inviteUser(operation: Operation, address: string, options: InviteOptions) {
	const { username, displayName, locale, role } = options;
	const chosen = { username, display_name: displayName, locale, roles: role };
	const { db, caller } = operation;
	const user = await db.stores.users.findByLogin(caller.tenantId, address.trim().toLowerCase());
	if (user?.status !== "invited") {
		const body = checkNew({
			...chosen,
			username: username ?? usernameOf(address),
			email: address,
			invite: true,
		});
		return toWireUser(
			await createUser(operation, { ...fromNewUser(body), passwordPlain: undefined }, caller),
		);
	}
	if (Object.values(chosen).some((value) => value !== undefined))
		throw usage(`${user.username} is already invited: omit the options to mail another link`);
	await inviteAgain(operation, user.id, caller);
	return toWireUser(user);
}

/** @throws StartError (`usage`). */
function usernameOf(address: string): string {
	const name = address.trim().slice(0, Math.max(address.trim().lastIndexOf("@"), 0));
	if (USERNAME.test(name)) return name;
	throw usage(`${JSON.stringify(name)} before the @ is not a valid username: choose one with --username`);
}

function usage(message: string): StartError {
	return new StartError(message, { kind: "usage" });
}
