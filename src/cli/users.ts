// `latchkey users`: lists, invites, disables, and unlocks users, with the service running or stopped.

import { type InviteOptions, inviteUser } from "../ops/manage/invite-user.ts";
import {
	disableUser,
	enableUser,
	listSessions,
	listUsers,
	SYSTEM_ROLES,
	sendResetLink,
	showUser,
	USER_STATUSES,
	unlockUser,
} from "../ops/manage/manage-users.ts";
import { type ListOptions, operate, parseChoice, parseLimit, type TenantOption } from "./daily-work.ts";
import { printDone } from "./output.ts";
import { printList, printRecord } from "./table.ts";

type UsersListOptions = ListOptions & {
	readonly status?: string;
	readonly role?: string;
	/** Part of the username, email, or display name. */
	readonly search?: string;
};

export async function usersList(options: UsersListOptions): Promise<void> {
	const limit = parseLimit(options);
	const status = parseChoice("--status", options.status, USER_STATUSES);
	const role = parseChoice("--role", options.role, SYSTEM_ROLES);
	const { search: q } = options;
	const query = { ...(status && { status }), ...(role && { role }), ...(q && { q }) };
	await operate(options, async (operation) =>
		printList(await listUsers(operation, query, limit), [
			"username",
			"email",
			"status",
			"roles",
			"last_login_at",
		]),
	);
}

export async function usersShow(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => printRecord(await showUser(operation, name)));
}

export async function usersDisable(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => {
		const user = await disableUser(operation, name);
		printDone(user, `${user.username} is disabled, all sessions revoked`);
	});
}

export async function usersUnlock(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => {
		const user = await unlockUser(operation, name);
		printDone(user, `${user.username} can try to sign in again`);
	});
}

export async function usersEnable(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => {
		const user = await enableUser(operation, name);
		printDone(user, `${user.username} can sign in again`);
	});
}

export async function usersSessions(name: string, options: ListOptions): Promise<void> {
	const limit = parseLimit(options);
	await operate(options, async (operation) =>
		printList(await listSessions(operation, name, limit), [
			"device",
			"ip",
			"created_at",
			"last_used_at",
			"expires_at",
		]),
	);
}

export async function usersInvite(email: string, options: TenantOption & InviteOptions): Promise<void> {
	await operate(options, async (operation) => {
		const user = await inviteUser(operation, email, options);
		printDone(user, `invited ${user.username}: the running service mails the link to ${user.email}`);
	});
}

export async function usersSendReset(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => {
		const user = await sendResetLink(operation, name);
		printDone(user, `the running service mails the link to ${user.email}`);
	});
}
