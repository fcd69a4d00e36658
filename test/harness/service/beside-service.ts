// Opens the database and the keys of a running service, as a command does.

import type { Engine } from "../../../src/adapters/sql/engine.ts";
import { parseMasterKeys, SecretBox } from "../../../src/crypto/secret-box.ts";
import type { Stores } from "../../../src/domain/stores.ts";
import type { Clock } from "../../../src/kernel/clock.ts";
import type { Persistence } from "../../../src/kernel/transaction.ts";
import { persistenceOn } from "../databases/persistence.ts";
import type { TestService } from "./service.ts";

export interface BesideService extends AsyncDisposable {
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
	const db = persistenceOn(engine, clock, secretBox);
	const close = () => engine.close();
	return { engine, db, secretBox, clock, close, [Symbol.asyncDispose]: close };
}
