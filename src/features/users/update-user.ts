// An admin changes an account: its fields, state, roles or password.

import type { PasswordHasher } from "../../crypto/password.ts";
import { differences, type Patch, wireNames } from "../../kernel/changes.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	forgetGuesses,
	type LoginFailureStore,
	type NameSubjects,
	type SessionStore,
} from "../auth/model.ts";
import type { MailOutbox } from "../mail/model.ts";
import type { RecoveryLinkStore } from "../recovery/model.ts";
import { emailChangedMail } from "./email-changed-mail.ts";
import {
	checkManages,
	checkPlatformAdmin,
	isActiveAdmin,
	lastAdminError,
	sortRoles,
	takenError,
	type User,
	type UserChanges,
	type UserStore,
	userNotFound,
} from "./model.ts";
import { passwordChangedMail } from "./password-changed-mail.ts";

interface UpdateStores {
	readonly users: UserStore;
	readonly sessions: SessionStore;
	readonly loginFailures: LoginFailureStore;
	readonly recoveryLinks: RecoveryLinkStore;
	readonly audit: AuditLog;
	readonly mail: MailOutbox;
}

export interface UpdateUserDeps {
	readonly db: Persistence<UpdateStores>;
	readonly passwords: PasswordHasher;
	readonly clock: Clock;
	readonly keys: NameSubjects;
	readonly wakeMail: () => void;
}

type Changeable = Omit<UserChanges, "passwordHash" | "lastLoginAtMs">;

/** What an admin may change; absent means unchanged. A changed `email` is unverified unless `emailVerified` says otherwise. */
export type UserPatch = Patch<Changeable & { readonly passwordPlain?: string }>;

interface Context {
	readonly actor: User;
	readonly origin: Origin;
}

/**
 * Changes a user of the actor's tenant. Disabling and setting a password end all of the user's sessions; a set
 * password is told to the owner by mail, a changed address to the old one, and mailed links to either die. A patch that changes nothing writes nothing.
 *
 * @throws AppError `user.not_found`, `role.required`, `password.*` (policy), `username.taken`, `email.taken`,
 * `user.last_admin`.
 */
export async function updateUser(
	deps: UpdateUserDeps,
	userId: string,
	patch: UserPatch,
	context: Context,
): Promise<User> {
	const passwordHash = await hashGiven(deps, userId, patch, context.actor);
	const now = deps.clock();
	const user = await deps.db.transaction(async (stores) => {
		const { users } = stores;
		const { tenantId } = context.actor;
		// Counted before the row is read: it takes the lock under which admins stop being admins.
		const otherAdmins =
			patch.status === undefined && patch.roles === undefined
				? 0
				: await users.countOtherActiveAdmins(tenantId, userId);
		const before = await users.findById(tenantId, userId);
		if (before === undefined) throw userNotFound();
		const changes = changesOf(before, patch, passwordHash);
		if (Object.keys(changes).length === 0) return before;
		const after = { ...before, ...changes };
		checkManages(context.actor, before);
		if (after.roles.includes("platform_admin")) checkPlatformAdmin(context.actor);
		if (isActiveAdmin(before) && !isActiveAdmin(after) && otherAdmins === 0) throw lastAdminError();
		const taken = await users.update(tenantId, userId, changes, now);
		if (taken === "missing") throw userNotFound();
		if (taken !== undefined) throw takenError(taken);
		await writeConsequences(stores, deps.keys, before, changes, now, context);
		return (await users.findById(tenantId, userId)) ?? before;
	});
	if (passwordHash !== undefined || patch.email !== undefined) deps.wakeMail();
	return user;
}

/** Hashing takes long, so it is done before the transaction, and not at all for whoever would be refused there. */
async function hashGiven(
	{ db, passwords }: UpdateUserDeps,
	userId: string,
	patch: UserPatch,
	actor: User,
): Promise<string | undefined> {
	if (patch.passwordPlain === undefined) return undefined;
	const user = await db.stores.users.findById(actor.tenantId, userId);
	if (user === undefined) throw userNotFound();
	checkManages(actor, user);
	const passwordPlain = await passwords.check(patch.passwordPlain, {
		username: patch.username ?? user.username,
		email: patch.email ?? user.email,
	});
	return passwords.hash(passwordPlain);
}

function changesOf(before: User, patch: UserPatch, passwordHash: string | undefined): UserChanges {
	const { passwordPlain: _, roles, emailVerified, ...fields } = patch;
	const moved = fields.email !== undefined && fields.email !== before.email;
	const changes = differences<Changeable>(
		{ ...before, roles: sortRoles(before.roles) },
		{
			...fields,
			emailVerified: emailVerified ?? (moved ? false : undefined),
			roles: roles && sortRoles(roles),
		},
	);
	return passwordHash === undefined ? changes : { ...changes, passwordHash };
}

async function writeConsequences(
	{ sessions, loginFailures, recoveryLinks, audit, mail }: UpdateStores,
	keys: NameSubjects,
	before: User,
	changes: UserChanges,
	nowMs: number,
	{ actor, origin }: Context,
): Promise<void> {
	const { passwordHash, ...fields } = changes;
	const { status, roles } = fields;
	if (status === "disabled" || passwordHash !== undefined)
		await sessions.endAll(before.tenantId, before.id, nowMs);
	await audit.append({
		tenantId: before.tenantId,
		actor: `user:${actor.id}`,
		action: "user.updated",
		target: `user:${before.id}`,
		origin,
		// Names of fields, and only those values that decide what somebody may do.
		details: {
			fields: [...wireNames(fields), ...(passwordHash === undefined ? [] : ["password"])],
			...(status && { status }),
			...(roles && { roles }),
		},
	});
	if (fields.email !== undefined) {
		await recoveryLinks.endAll(before.tenantId, before.id, "email_restore");
		await mail.put(emailChangedMail(before, origin, nowMs));
	}
	if (fields.email !== undefined || passwordHash !== undefined)
		await recoveryLinks.endAll(before.tenantId, before.id, "password_reset");
	if (passwordHash === undefined) return;
	// A new password ends the lock that guesses at the old one brought about.
	await forgetGuesses(loginFailures, keys, before);
	await mail.put(passwordChangedMail(before, origin, nowMs));
}
