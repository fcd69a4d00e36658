// Opens the database and the keys of a running service, as a command does.

import type { Engine } from "../../../src/adapters/sql/engine.ts";
import { createPersistence } from "../../../src/adapters/stores/stores.ts";
import { sha256Hex } from "../../../src/crypto/digest.ts";
import { parseMasterKeys, SecretBox } from "../../../src/crypto/secret-box.ts";
import { userCiphers } from "../../../src/crypto/user-ciphers.ts";
import type { Stores } from "../../../src/domain/stores.ts";
import { auditChain } from "../../../src/features/record/audit/chain.ts";
import type { Clock } from "../../../src/kernel/clock.ts";
import { newId } from "../../../src/kernel/id.ts";
import type { Persistence } from "../../../src/kernel/transaction.ts";
import type { TestService } from "./service.ts";

export interface BesideService {
	readonly engine: Engine;
	readonly db: Persistence<Stores>;
	readonly secretBox: SecretBox;
	/** The clock of the service. */
	readonly clock: Clock;
	close(): Promise<void>;
}

export async function openBeside(service: TestService): Promise<BesideService> {
	const engine = await service.openDatabase();
	const secretBox = new SecretBox(parseMasterKeys(service.masterKeys()));
	const clock = service.clock.now;
	const db = createPersistence(engine, {
		nowMs: clock,
		newId: () => newId(clock()),
		auditChain,
		digestOf: sha256Hex,
		userCiphers,
		seal: (plain, context) => secretBox.seal(plain, context),
		open: (sealed, context) => secretBox.open(sealed, context),
		subjectOf: ({ message }) => message.kind,
	});
	return { engine, db, secretBox, clock, close: () => engine.close() };
}
