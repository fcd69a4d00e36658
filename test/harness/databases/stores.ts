// Stores rows, for tests without a running service.

import type { ApplicationToInsert } from "../../../src/domain/application.ts";
import type { User } from "../../../src/domain/user.ts";
import { newId } from "../../../src/kernel/id.ts";
import { blankUser, NOW, type TestDatabase } from "./database.ts";

export type TestStores = Pick<TestDatabase, "db">;

let stored = 0;

/** Stores a tenant. @returns its id */
export async function storeTenant({ db }: TestStores): Promise<string> {
	const id = newId(NOW);
	const slug = `tenant-${++stored}`;
	await db.stores.tenants.insert({ id, name: slug, slug, createdAtMs: NOW, updatedAtMs: NOW });
	return id;
}

/** Stores an active application with its own slug. @returns its id. */
export async function storeApplication(
	{ db }: TestStores,
	tenantId: string,
	fields: Partial<ApplicationToInsert> = {},
): Promise<string> {
	const application: ApplicationToInsert = {
		id: newId(NOW),
		tenantId,
		name: "Shop",
		slug: `shop-${++stored}`,
		description: "",
		homepageUrl: "",
		logoUrl: "",
		redirectUris: [],
		accessPolicy: "assigned",
		status: "active",
		createdAtMs: NOW,
		updatedAtMs: NOW,
		...fields,
	};
	if (!(await db.stores.applications.insert(application))) throw new Error("the slug is taken");
	return application.id;
}

/** Stores a user of the tenant. @returns the id */
export async function storeUser(
	{ db }: TestStores,
	tenantId: string,
	fields: Partial<User> = {},
): Promise<string> {
	const id = newId(NOW);
	const username = `user-${++stored}`;
	await db.stores.users.insert({
		...blankUser(tenantId, username, NOW),
		id,
		passwordHash: "",
		...fields,
	});
	return id;
}
