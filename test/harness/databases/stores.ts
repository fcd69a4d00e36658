// The stores on an empty database, for tests without a running service.

import type { Engine } from "../../../src/adapters/sql/engine.ts";
import { createPersistence } from "../../../src/adapters/stores/stores.ts";
import { sha256Hex } from "../../../src/crypto/digest.ts";
import { userCiphers } from "../../../src/crypto/user-ciphers.ts";
import type { ApplicationToInsert } from "../../../src/domain/application.ts";
import type { Stores } from "../../../src/domain/stores.ts";
import type { User } from "../../../src/domain/user.ts";
import { auditChain } from "../../../src/features/record/audit/chain.ts";
import { newId } from "../../../src/kernel/id.ts";
import type { Persistence } from "../../../src/kernel/transaction.ts";
import { blankUser } from "./database.ts";
import { openTestEngine } from "./test-engine.ts";

/** The fixed time of these tests. */
export const NOW = Date.parse("2026-11-20T08:00:00.000Z");

export interface TestStores {
	readonly db: Persistence<Stores>;
	close(): Promise<void>;
}

export async function openTestStores(engineName?: Engine["name"]): Promise<TestStores> {
	const engine = await openTestEngine(engineName);
	const plain = (text: string): string => text;
	const db = createPersistence(engine, {
		nowMs: () => NOW,
		newId: () => newId(NOW),
		auditChain,
		digestOf: sha256Hex,
		userCiphers,
		seal: plain,
		open: plain,
		subjectOf: ({ message }) => message.kind,
	});
	return {
		db,
		close: () => engine.close(),
	};
}

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
