// A directory creates, adopts, changes, and removes people of the tenant.

import { userTarget } from "../../../domain/audit.ts";
import {
	type DirectoryPerson,
	type PresentedDirectory,
	resourceNotFound,
	type ScimAttributes,
} from "../../../domain/directory.ts";
import { giveGrant } from "../../../domain/give-grant.ts";
import { newUser } from "../../../domain/new-user.ts";
import type { Stores } from "../../../domain/stores.ts";
import { checkManages, isActiveAdmin, lastAdminError } from "../../../domain/system-role.ts";
import {
	getUser,
	NO_PASSWORD,
	placeholderAddress,
	type User,
	type UserChanges,
} from "../../../domain/user.ts";
import { differences } from "../../../kernel/changes.ts";
import { AppError, found } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { removeUser } from "../users/manage-users.ts";
import { type UpdateStore, writeConsequences } from "../users/update-user.ts";
import type { DirectoryCaller } from "./directory-caller.ts";
import { applyOperations, invalidValue, type PatchOperation } from "./scim-patch.ts";
import { readPerson, rowOf, type ScimPerson, usernamesFor } from "./scim-person.ts";
import { isVerifiedFor } from "./verified-domain.ts";

type PersonStore =
	| UpdateStore
	| "directories"
	| "directoryPeople"
	| "domains"
	| "identityProviders"
	| "applications"
	| "applicationRoles"
	| "grants";
type PersonStores = Stores<PersonStore>;
type Needed = Needs<PersonStore, "keys" | "clock" | "wakeMail">;

/** A person with their account as it is stored now. */
export interface Provisioned {
	readonly person: DirectoryPerson;
	readonly user: User;
}

/**
 * Creates the account, or adopts the one that is linked to `externalId`: its sign-in proved it. The issuer is locked, so that
 * its first sign-in cannot create another account in the meantime.
 *
 * @throws AppError `scim.invalid_value`, `scim.uniqueness`, `directory.not_found`.
 */
export async function createPerson(
	needs: Needed,
	resource: ScimAttributes,
	caller: DirectoryCaller,
): Promise<Provisioned> {
	const person = readPerson(resource);
	const nowMs = needs.clock();
	const provisioned = await needs.db.transaction(async (stores) => {
		const directory = await hold(stores, caller);
		const adopted = await findAdoptable(stores, directory, person);
		const user =
			adopted === undefined
				? await createUser(stores, directory, person, nowMs, caller)
				: await adopt(stores, needs.keys, directory, person, adopted, nowMs, caller);
		const { id: userId, tenantId } = user;
		const row = { ...rowOf(person), userId, tenantId, issuerId: directory.issuerId };
		const stored = { ...row, createdAtMs: nowMs, updatedAtMs: nowMs };
		if (!(await stores.directoryPeople.insert(stored, person.emails)))
			throw taken("another person of the directory has this userName or externalId");
		await giveDefaultGrants(stores, directory, user, nowMs, caller);
		return { person: stored, user };
	});
	needs.wakeMail();
	return provisioned;
}

/** @throws AppError as `changePerson`. */
export function replacePerson(
	needs: Needed,
	id: string,
	resource: ScimAttributes,
	caller: DirectoryCaller,
): Promise<Provisioned> {
	return changePerson(needs, id, () => resource, caller);
}

/** @throws AppError as `changePerson`; `scim.no_target`. */
export function patchPerson(
	needs: Needed,
	id: string,
	operations: readonly PatchOperation[],
	caller: DirectoryCaller,
): Promise<Provisioned> {
	return changePerson(needs, id, ({ attributes }) => applyOperations(attributes, operations), caller);
}

/**
 * With `active: false`, everything with which the person could act ends in the same transaction: sessions with their OAuth
 * grants and tokens, admin keys, and invitations.
 *
 * @throws AppError `scim.not_found`, `scim.invalid_value`, `scim.uniqueness`, `user.last_admin`, `role.required`.
 */
async function changePerson(
	needs: Needed,
	id: string,
	change: (before: DirectoryPerson) => ScimAttributes,
	caller: DirectoryCaller,
): Promise<Provisioned> {
	const { tenantId } = caller;
	const nowMs = needs.clock();
	const provisioned = await needs.db.transaction(async (stores) => {
		const { directoryPeople, users } = stores;
		const directory = await hold(stores, caller);
		// Count before reading the row: this takes the lock under which admins are removed.
		const otherAdmins = await users.countOtherActiveAdmins(tenantId, id);
		const before = found(await directoryPeople.find(tenantId, directory.issuerId, id), () =>
			resourceNotFound(id),
		);
		const person = readPerson(change(before));
		await users.hold(tenantId, id);
		const user = await getUser(users, tenantId, id);
		if (!person.active && isActiveAdmin(user) && otherAdmins === 0) throw lastAdminError();
		if (before.externalId !== person.externalId)
			await moveAccount(stores, directory, user, before, person, nowMs);
		const isRenamed = before.attributes.userName !== person.userName;
		await changeUser(stores, needs.keys, directory, user, person, { isRenamed, nowMs }, caller);
		const changes = differences<ReturnType<typeof rowOf>>(before, rowOf(person));
		if (Object.keys(changes).length === 0) return { person: before, user };
		if (!(await directoryPeople.update(before, changes, person.emails, nowMs)))
			throw taken("another person of the directory has this userName or externalId");
		return {
			person: { ...before, ...changes, updatedAtMs: nowMs },
			user: await getUser(users, tenantId, id),
		};
	});
	needs.wakeMail();
	return provisioned;
}

/** As `on_remove` of the directory says. @throws AppError `scim.not_found`, `user.last_admin`. */
export async function removePerson(needs: Needed, id: string, caller: DirectoryCaller): Promise<void> {
	const { tenantId } = caller;
	const nowMs = needs.clock();
	await needs.db.transaction(async (stores) => {
		const { directoryPeople, users } = stores;
		const { issuerId, onRemove } = await hold(stores, caller);
		const otherAdmins = await users.countOtherActiveAdmins(tenantId, id);
		const person = await directoryPeople.find(tenantId, issuerId, id);
		if (person === undefined) throw resourceNotFound(id);
		const user = await getUser(users, tenantId, id);
		if (onRemove === "delete")
			return await removeUser(stores, id, () => Promise.resolve(user), caller, nowMs);
		if (isActiveAdmin(user) && otherAdmins === 0) throw lastAdminError();
		await users.hold(tenantId, id);
		// Who comes back is a member of no group until the directory says so.
		for (const group of await directoryPeople.leaveGroups(tenantId, issuerId, id)) {
			const details = { group_id: group.id, group_name: group.name };
			await stores.audit.append(caller, "group_member.removed", userTarget(user), details);
		}
		await directoryPeople.remove(tenantId, id);
		const changes = { status: "disabled", disabledReason: null } as const;
		await write(stores, needs.keys, { user, changes, nowMs }, caller);
	});
}

/** Locks issuer and directory: what an administrator changes meanwhile waits. @throws AppError `scim.not_found`. */
async function hold(
	stores: PersonStores,
	{ tenantId, directory }: DirectoryCaller,
): Promise<PresentedDirectory> {
	const { issuerId } = directory;
	await stores.identityProviders.hold(tenantId, issuerId);
	const held = await stores.directories.findForUpdate(tenantId, issuerId);
	return { ...directory, ...found(held, () => resourceNotFound(issuerId)) };
}

/**
 * The account that the directory may adopt: linked to `externalId` at its issuer, or, where the directory adopts by address,
 * with the same address, verified on both sides. Never one of another directory, or with a role of the system.
 *
 * @throws AppError `scim.uniqueness`.
 */
async function findAdoptable(
	stores: PersonStores,
	directory: PresentedDirectory,
	{ externalId, email }: ScimPerson,
): Promise<{ readonly user: User; readonly isLinked: boolean } | undefined> {
	const { tenantId, provider } = directory;
	const linked =
		externalId === "" ? undefined : await stores.thirdPartyAccounts.findUser(tenantId, provider, externalId);
	const seen = linked?.user ?? (await findByAddress(stores, directory, email));
	if (seen === undefined) return undefined;
	// Read again under its lock: it may have got a role in the meantime.
	await stores.users.hold(tenantId, seen.id);
	const user = await getUser(stores.users, tenantId, seen.id);
	const isManaged = (await stores.directoryPeople.findOfUser(tenantId, user.id)) !== undefined;
	if (isManaged || user.roles.length > 0)
		throw taken("an account that the directory cannot adopt has this externalId or email address");
	return { user, isLinked: linked !== undefined };
}

async function findByAddress(
	stores: PersonStores,
	{ tenantId, issuerId, adopt }: PresentedDirectory,
	email: string | undefined,
): Promise<User | undefined> {
	if (adopt !== "verified_email" || email === undefined) return undefined;
	if (!(await isVerifiedFor(stores, { tenantId, issuerId }, email))) return undefined;
	const account = await stores.users.findByLogin(tenantId, email);
	if (account === undefined || account.status === "invited") return undefined;
	if (!(await stores.users.holdVerifiedEmail(tenantId, account.id, email))) return undefined;
	const { passwordHash: _, ...user } = account;
	return user;
}

async function adopt(
	stores: PersonStores,
	keys: Needed["keys"],
	directory: PresentedDirectory,
	person: ScimPerson,
	{ user, isLinked }: { readonly user: User; readonly isLinked: boolean },
	nowMs: number,
	caller: DirectoryCaller,
): Promise<User> {
	if (!isLinked && person.externalId !== "") await linkAccount(stores, directory, user, person, nowMs);
	const details = { provider: directory.provider, by: isLinked ? "account" : "verified_email" };
	await stores.audit.append(caller, "user.adopted", userTarget(user), details);
	await changeUser(stores, keys, directory, user, person, { isRenamed: false, nowMs }, caller);
	return await getUser(stores.users, user.tenantId, user.id);
}

async function createUser(
	stores: PersonStores,
	directory: PresentedDirectory,
	person: ScimPerson,
	nowMs: number,
	caller: DirectoryCaller,
): Promise<User> {
	const { tenantId } = caller;
	const id = newId(nowMs);
	const { displayName, locale, active, email } = person;
	const address = email ?? placeholderAddress(id);
	const emailVerified = await checkAddress(stores, directory, email);
	for (const username of usernamesFor(person.userName, id)) {
		const fields = { id, tenantId, username, email: address, emailVerified, displayName, locale };
		const user = newUser({ ...fields, status: active ? "active" : "disabled" }, nowMs);
		const refusal = await stores.users.insert({ ...user, passwordHash: NO_PASSWORD });
		if (refusal === "email") throw taken("another account has this email address");
		if (refusal === "username") continue;
		if (person.externalId !== "") await linkAccount(stores, directory, user, person, nowMs);
		const { roles, status } = user;
		const details = { username, roles, status, provider: directory.provider };
		await stores.audit.append(caller, "user.created", userTarget(user), details);
		return user;
	}
	throw new Error("a username with a part of a new id is taken");
}

/** @returns whether the address counts as verified. @throws AppError `scim.invalid_value`. */
async function checkAddress(
	stores: PersonStores,
	directory: PresentedDirectory,
	email: string | undefined,
): Promise<boolean> {
	if (email === undefined) return false;
	if (await isVerifiedFor(stores, directory, email)) return true;
	const { domains } = directory;
	if (domains.length > 0 && !domains.includes(email.slice(email.lastIndexOf("@") + 1)))
		throw invalidValue(`emails must be in one of the domains of the directory: ${domains.join(", ")}`);
	return false;
}

/** Writes what differs, with the consequences of an administrator's change. @throws AppError `scim.uniqueness`, `role.required`. */
async function changeUser(
	stores: PersonStores,
	keys: Needed["keys"],
	directory: PresentedDirectory,
	user: User,
	person: ScimPerson,
	{ isRenamed, nowMs }: { readonly isRenamed: boolean; readonly nowMs: number },
	caller: DirectoryCaller,
): Promise<void> {
	const { email } = person;
	const isMoved = email !== undefined && email !== user.email;
	// Checked only where it changes: no rule may stop the deactivation of a person.
	const emailVerified = isMoved
		? await checkAddress(stores, directory, email)
		: user.emailVerified || (email !== undefined && (await isVerifiedFor(stores, directory, email)));
	const [username, ...others] = usernamesFor(person.userName, user.id);
	const wanted = {
		email,
		emailVerified,
		displayName: person.displayName || undefined,
		locale: person.locale ?? undefined,
		status: person.active ? "active" : "disabled",
		// Who was disabled as dormant has no way back either.
		disabledReason: person.active ? undefined : null,
		username: isRenamed ? username : undefined,
	} as const;
	const changes = differences<UserChanges>({ ...user, passwordHash: undefined }, wanted);
	if (Object.keys(changes).length === 0) return;
	// With another address, an admin of the tenant could reset the password of a platform admin.
	if (isMoved) checkManages({ roles: [] }, user);
	const name =
		changes.username === undefined ? undefined : await freeName(stores, user, [username, ...others]);
	await write(
		stores,
		keys,
		{ user, changes: { ...changes, ...(name !== undefined && { username: name }) }, nowMs },
		caller,
	);
}

/** The first of these usernames that no other user has. The unique index decides between concurrent changes. */
async function freeName({ users }: PersonStores, user: User, names: readonly string[]): Promise<string> {
	for (const name of names) {
		const holder = await users.findByLogin(user.tenantId, name);
		if (holder === undefined || holder.id === user.id) return name;
	}
	return user.username;
}

async function write(
	stores: PersonStores,
	keys: Needed["keys"],
	change: { readonly user: User; readonly changes: UserChanges; readonly nowMs: number },
	caller: DirectoryCaller,
): Promise<void> {
	const { user, changes, nowMs } = change;
	const own = differences<UserChanges>({ ...user, passwordHash: undefined }, changes);
	if (Object.keys(own).length === 0) return;
	const refusal = await stores.users.update(user.tenantId, user.id, own, nowMs);
	if (refusal !== undefined)
		throw taken(`another account has this ${refusal === "email" ? "email address" : "userName"}`);
	await writeConsequences(stores, keys, { ...change, changes: own }, caller);
}

async function linkAccount(
	{ thirdPartyAccounts }: PersonStores,
	{ provider }: PresentedDirectory,
	{ id: userId, tenantId }: User,
	{ externalId: providerUserId }: ScimPerson,
	nowMs: number,
): Promise<void> {
	const account = { id: newId(nowMs), tenantId, userId, provider, providerUserId, linkedAtMs: nowMs };
	if (!(await thirdPartyAccounts.insert(account)))
		throw taken("another account is linked to this externalId at the issuer");
}

/** The person signs in with the new `externalId` from now on. @throws AppError `scim.uniqueness`, `role.required`. */
async function moveAccount(
	stores: PersonStores,
	directory: PresentedDirectory,
	user: User,
	before: DirectoryPerson,
	person: ScimPerson,
	nowMs: number,
): Promise<void> {
	checkManages({ roles: [] }, user);
	const { tenantId, provider } = directory;
	if (before.externalId !== "")
		await stores.thirdPartyAccounts.removeIdentity(tenantId, user.id, provider, before.externalId);
	if (person.externalId !== "") await linkAccount(stores, directory, user, person, nowMs);
}

/** What was deleted since the administrator named it is left out: it must not stop a synchronization. */
async function giveDefaultGrants(
	stores: PersonStores,
	{ defaultGrants, tenantId }: PresentedDirectory,
	user: User,
	nowMs: number,
	caller: DirectoryCaller,
): Promise<void> {
	for (const { appId, roleIds } of defaultGrants) {
		const application = await stores.applications.findById(tenantId, appId);
		if (application === undefined) continue;
		const defined = await stores.applicationRoles.listAll(tenantId, appId);
		const roles = roleIds.filter((id) => defined.some((role) => role.id === id));
		const subject = { kind: "user", id: user.id } as const;
		await giveGrant(stores, { application, subject, target: userTarget(user), roles }, caller, nowMs);
	}
}

function taken(message: string): AppError {
	return new AppError("scim.uniqueness", message);
}
