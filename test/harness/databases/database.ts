// A migrated database with one tenant, for tests of stores and use cases without a running service.

import { after } from "node:test";
import type { Engine } from "../../../src/adapters/sql/engine.ts";
import { createKeyedDigest } from "../../../src/crypto/digest.ts";
import { randomBytes32 } from "../../../src/crypto/random.ts";
import { SecretBox } from "../../../src/crypto/secret-box.ts";
import type { Db, Stores } from "../../../src/domain/stores.ts";
import type { NewUser } from "../../../src/domain/user.ts";
import { newId } from "../../../src/kernel/id.ts";
import type { Persistence } from "../../../src/kernel/transaction.ts";
import { fixture } from "../runs/fixture.ts";
import { persistenceOn } from "./persistence.ts";
import { openTestEngine } from "./test-engine.ts";

/** Where the clock of a database begins. */
export const NOW = Date.parse("2026-11-20T08:00:00.000Z");

export interface TestDatabase {
	readonly engine: Engine;
	readonly db: Persistence<Stores>;
	readonly secretBox: SecretBox;
	readonly tenantId: string;
	/** In milliseconds; stopped until it is advanced. */
	readonly clock: { now(): number; advance(milliseconds: number): void };
	/** Default: an active user of the tenant whose password hash matches no password. */
	addUser(fields: Partial<NewUser> & { readonly username: string }): Promise<NewUser>;
	close(): Promise<void>;
}

/** A database that is opened before the tests of the current suite, and closed after them. */
export function testDatabase(engineName?: Engine["name"]): TestDatabase {
	const database = fixture(() => openTestDatabase(engineName));
	after(() => database.close());
	return database;
}

export async function openTestDatabase(engineName?: Engine["name"]): Promise<TestDatabase> {
	let nowMs = NOW;
	const clock = {
		now: () => nowMs,
		advance: (milliseconds: number) => {
			nowMs += milliseconds;
		},
	};
	const engine = await openTestEngine(engineName);
	const secretBox = new SecretBox([randomBytes32()]);
	const db = persistenceOn(engine, clock.now, secretBox, { keyedDigest: createKeyedDigest() });
	const tenantId = newId(nowMs);
	const tenant = { id: tenantId, name: "Default", slug: "default", createdAtMs: nowMs, updatedAtMs: nowMs };
	await db.transaction(({ tenants }) => tenants.insert(tenant));
	await acceptServer(db);
	return {
		engine,
		db,
		secretBox,
		tenantId,
		clock,
		async addUser(fields) {
			const user = { ...blankUser(tenantId, fields.username, nowMs), ...fields };
			const taken = await db.transaction(({ users }) => users.insert(user));
			if (taken !== undefined) throw new Error(`${taken} is taken`);
			return user;
		},
		close: () => engine.close(),
	};
}

/** As a first start does: until then, PostgreSQL claims no nonces. */
async function acceptServer({ stores }: Pick<Db<"databaseServer">, "stores">): Promise<void> {
	const server = await stores.databaseServer.find();
	if (server !== undefined) await stores.databaseServer.accept(server);
}

/** An active user whose password hash matches no password. */
export function blankUser(tenantId: string, username: string, nowMs: number): NewUser {
	return {
		id: newId(nowMs),
		tenantId,
		username,
		email: `${username}@people.example`,
		emailVerified: true,
		displayName: "",
		avatarUrl: "",
		status: "active",
		disabledReason: null,
		disabledAtMs: null,
		roles: [],
		locale: null,
		mfaEnabled: false,
		lastLoginAtMs: null,
		createdAtMs: nowMs,
		updatedAtMs: nowMs,
		passwordHash: "none",
	};
}
