// All stores over one connection, and how a use case gets them inside a transaction.

import type { AuditLog, AuditTrail } from "../../features/audit/model.ts";
import type { SessionStore } from "../../features/auth/model.ts";
import type { NonceStore, SigningClientStore } from "../../features/external/model.ts";
import type { MailOutbox, MailQueue } from "../../features/mail/model.ts";
import type { TenantStore } from "../../features/tenants/model.ts";
import type { UserStore } from "../../features/users/model.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import { type AuditStoreOptions, createAuditStore } from "./audit-store.ts";
import type { Engine, Queries } from "./engine.ts";
import { createNonceStore } from "./nonce-store.ts";
import { createOutboxStore, type OutboxStoreOptions } from "./outbox-store.ts";
import { createSessionStore } from "./session-store.ts";
import { createSigningClientStore } from "./signing-client-store.ts";
import { createTenantStore } from "./tenant-store.ts";
import { createUserStore } from "./user-store.ts";

export interface Stores {
	readonly audit: AuditLog & AuditTrail;
	readonly mail: MailOutbox & MailQueue;
	readonly nonces: NonceStore;
	readonly sessions: SessionStore;
	readonly signingClients: SigningClientStore;
	readonly tenants: TenantStore;
	readonly users: UserStore;
}

export type StoreOptions = AuditStoreOptions & OutboxStoreOptions;

function createStores(queries: Queries, options: StoreOptions): Stores {
	return {
		audit: createAuditStore(queries, options),
		mail: createOutboxStore(queries, options),
		nonces: createNonceStore(queries),
		sessions: createSessionStore(queries),
		signingClients: createSigningClientStore(queries),
		tenants: createTenantStore(queries),
		users: createUserStore(queries),
	};
}

/** Stores are made once a connection, however many transactions it runs. */
export function createPersistence(engine: Engine, options: StoreOptions): Persistence<Stores> {
	const made = new WeakMap<Queries, Stores>();
	const storesOf = (queries: Queries): Stores => {
		let stores = made.get(queries);
		if (stores === undefined) {
			stores = createStores(queries, options);
			made.set(queries, stores);
		}
		return stores;
	};
	return {
		stores: storesOf(engine.queries),
		transaction: (work) => engine.transaction((queries) => work(storesOf(queries))),
	};
}
