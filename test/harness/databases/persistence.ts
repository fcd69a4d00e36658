// The stores over an engine, for tests that open a database without a service or beside one.

import type { Engine } from "../../../src/adapters/sql/engine.ts";
import { createPersistence, type StoreOptions } from "../../../src/adapters/stores/stores.ts";
import { sha256Hex } from "../../../src/crypto/digest.ts";
import type { SecretBox } from "../../../src/crypto/secret-box.ts";
import { userCiphers } from "../../../src/crypto/user-ciphers.ts";
import type { Db } from "../../../src/domain/stores.ts";
import { auditChain } from "../../../src/features/record/audit/chain.ts";
import type { Clock } from "../../../src/kernel/clock.ts";
import { newId } from "../../../src/kernel/id.ts";

/** @param secretBox default: nothing is sealed */
export function persistenceOn(
	engine: Engine,
	nowMs: Clock,
	secretBox?: SecretBox,
	options: Partial<StoreOptions> = {},
): Db {
	return createPersistence(engine, {
		nowMs,
		newId: () => newId(nowMs()),
		auditChain,
		digestOf: sha256Hex,
		userCiphers,
		seal: (plain, context) => secretBox?.seal(plain, context) ?? plain,
		open: (sealed, context) => secretBox?.open(sealed, context) ?? sealed,
		subjectOf: ({ message }) => message.kind,
		...options,
	});
}
