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
import { invalidValue } from "./scim-patch.ts";
import { readPerson, rowOf, type ScimPerson, usernamesFor } from "./scim-person.ts";
import { isVerifiedFor } from "./verified-domain.ts";

type PersonStore =
	| UpdateStore
	| "directories"
	| "directoryPeople"
	| "identityProviders"
	| "applications"
	| "applicationRoles"
	| "grants";
type PersonStores = Stores<PersonStore>;
type Needed = Needs<PersonStore, "keys" | "clock" | "wakeMail">;

/** One request about an account, inside its transaction. */
interface Change {
	readonly stores: PersonStores;
	readonly keys: Needed["keys"];
	readonly nowMs: number;
	readonly caller: DirectoryCaller;
}

/** A request that says what the directory knows about a person. */
interface Provisioning extends Change {
	readonly directory: PresentedDirectory;
	readonly person: ScimPerson;
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
): Promise<DirectoryPerson> {
	const person = readPerson(resource);
	const nowMs = needs.clock();
	const provisioned = await needs.db.transaction(async (stores) => {
		const directory = await hold(stores, caller);
		const provisioning = { stores, keys: needs.keys, directory, person, nowMs, caller };
		const adopted = await findAdoptable(provisioning);
		const user = adopted === undefined ? await createUser(provisioning) : await adopt(provisioning, adopted);
		const { id: userId, tenantId } = user;
		const row = { ...rowOf(person), userId, tenantId, issuerId: directory.issuerId };
		const stored = { ...row, createdAtMs: nowMs, updatedAtMs: nowMs };
		if (!(await stores.directoryPeople.insert(stored, person.emails)))
			throw taken("another person of the directory has this userName or externalId");
		await giveDefaultGrants(provisioning, user);
		return stored;
	});
	needs.wakeMail();
	return provisioned;
}

/**
 * With `active: false`, everything with which the person could act ends in the same transaction: sessions with their OAuth
 * grants and tokens, admin keys, and invitations.
 *
 * @param change returns the attributes after the change.
 * @throws AppError `scim.not_found`, `scim.invalid_value`, `scim.uniqueness`, `user.last_admin`, `role.required`; what `change` throws.
 */
export async function changePerson(
	needs: Needed,
	id: string,
	change: (before: ScimAttributes) => ScimAttributes,
	caller: DirectoryCaller,
): Promise<DirectoryPerson> {
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
		const person = readPerson(change(before.attributes));
		await users.hold(tenantId, id);
		const user = await getUser(users, tenantId, id);
		if (!person.active && isActiveAdmin(user) && otherAdmins === 0) throw lastAdminError();
		const provisioning = { stores, keys: needs.keys, directory, person, nowMs, caller };
		if (before.externalId !== person.externalId) await moveAccount(provisioning, user, before.externalId);
		await changeUser(provisioning, user, before.attributes.userName !== person.userName);
		const changes = differences<ReturnType<typeof rowOf>>(before, rowOf(person));
		if (Object.keys(changes).length === 0) return before;
		if (!(await directoryPeople.update(before, changes, person.emails, nowMs)))
			throw taken("another person of the directory has this userName or externalId");
		return { ...before, ...changes, updatedAtMs: nowMs };
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
		found(await directoryPeople.find(tenantId, issuerId, id), () => resourceNotFound(id));
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
		const change = { stores, keys: needs.keys, nowMs, caller };
		await write(change, user, { status: "disabled", disabledReason: null });
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

interface Adopted {
	readonly user: User;
	readonly isLinked: boolean;
}

/**
 * The account that the directory may adopt: linked to `externalId` at its issuer, or, where the directory adopts by address,
 * with the same address, verified on both sides. Never one of another directory, or with a role of the system.
 *
 * @throws AppError `scim.uniqueness`.
 */
async function findAdoptable({ stores, directory, person }: Provisioning): Promise<Adopted | undefined> {
	const { externalId, email } = person;
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

async function adopt(provisioning: Provisioning, { user, isLinked }: Adopted): Promise<User> {
	const { stores, directory, person, caller } = provisioning;
	if (!isLinked && person.externalId !== "") await linkAccount(provisioning, user);
	const details = { provider: directory.provider, by: isLinked ? "account" : "verified_email" };
	await stores.audit.append(caller, "user.adopted", userTarget(user), details);
	await changeUser(provisioning, user, false);
	return await getUser(stores.users, user.tenantId, user.id);
}

async function createUser(provisioning: Provisioning): Promise<User> {
	const { stores, directory, person, nowMs, caller } = provisioning;
	const { tenantId } = caller;
	const id = newId(nowMs);
	const { displayName, locale, active, email } = person;
	const address = email ?? placeholderAddress(id);
	const emailVerified = await checkAddress(provisioning);
	for (const username of usernamesFor(person.userName, id)) {
		const fields = { id, tenantId, username, email: address, emailVerified, displayName, locale };
		const user = newUser({ ...fields, status: active ? "active" : "disabled" }, nowMs);
		const refusal = await stores.users.insert({ ...user, passwordHash: NO_PASSWORD });
		if (refusal === "email") throw taken("another account has this email address");
		if (refusal === "username") continue;
		if (person.externalId !== "") await linkAccount(provisioning, user);
		const { roles, status } = user;
		const details = { username, roles, status, provider: directory.provider };
		await stores.audit.append(caller, "user.created", userTarget(user), details);
		return user;
	}
	throw new Error("a username with a part of a new id is taken");
}

/** @returns whether the address counts as verified. @throws AppError `scim.invalid_value`. */
async function checkAddress({ stores, directory, person: { email } }: Provisioning): Promise<boolean> {
	if (email === undefined) return false;
	if (await isVerifiedFor(stores, directory, email)) return true;
	const { domains } = directory;
	if (domains.length > 0 && !domains.includes(email.slice(email.lastIndexOf("@") + 1)))
		throw invalidValue(`emails must be in one of the domains of the directory: ${domains.join(", ")}`);
	return false;
}

/** Writes what differs, with the consequences of an administrator's change. @throws AppError `scim.uniqueness`, `role.required`. */
async function changeUser(provisioning: Provisioning, user: User, isRenamed: boolean): Promise<void> {
	const { stores, directory, person } = provisioning;
	const { email } = person;
	const isMoved = email !== undefined && email !== user.email;
	// Checked only where it changes: no rule may stop the deactivation of a person.
	const emailVerified = isMoved
		? await checkAddress(provisioning)
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
	await write(provisioning, user, { ...changes, ...(name !== undefined && { username: name }) });
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
	{ stores, keys, nowMs, caller }: Change,
	user: User,
	changes: UserChanges,
): Promise<void> {
	const own = differences<UserChanges>({ ...user, passwordHash: undefined }, changes);
	if (Object.keys(own).length === 0) return;
	const refusal = await stores.users.update(user.tenantId, user.id, own, nowMs);
	if (refusal !== undefined)
		throw taken(`another account has this ${refusal === "email" ? "email address" : "userName"}`);
	await writeConsequences(stores, keys, { user, changes: own, nowMs }, caller);
}

async function linkAccount(
	{ stores, directory, person, nowMs }: Provisioning,
	{ id: userId, tenantId }: User,
): Promise<void> {
	const identity = { provider: directory.provider, providerUserId: person.externalId };
	const account = { id: newId(nowMs), tenantId, userId, ...identity, linkedAtMs: nowMs };
	if (!(await stores.thirdPartyAccounts.insert(account)))
		throw taken("another account is linked to this externalId at the issuer");
}

/** The person signs in with the new `externalId` from now on. @throws AppError `scim.uniqueness`, `role.required`. */
async function moveAccount(provisioning: Provisioning, user: User, beforeId: string): Promise<void> {
	checkManages({ roles: [] }, user);
	const { stores, directory, person } = provisioning;
	const { tenantId, provider } = directory;
	if (beforeId !== "") await stores.thirdPartyAccounts.removeIdentity(tenantId, user.id, provider, beforeId);
	if (person.externalId !== "") await linkAccount(provisioning, user);
}

/** What was deleted since the administrator named it is left out: it must not stop a synchronization. */
async function giveDefaultGrants(
	{ stores, directory, nowMs, caller }: Provisioning,
	user: User,
): Promise<void> {
	const { defaultGrants, tenantId } = directory;
	for (const { appId, roleIds } of defaultGrants) {
		const application = await stores.applications.findById(tenantId, appId);
		if (application === undefined) continue;
		const defined = await stores.applicationRoles.listAll(tenantId, appId);
		const roles = roleIds.filter((roleId) => defined.some((role) => role.id === roleId));
		const subject = { kind: "user", id: user.id } as const;
		await giveGrant(stores, { application, subject, target: userTarget(user), roles }, caller, nowMs);
	}
}

function taken(message: string): AppError {
	return new AppError("scim.uniqueness", message);
}
