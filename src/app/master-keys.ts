// The master keys of an installation: read from where they are configured, and again when their file changes.

import { loadMasterKeys, watchMasterKeys } from "../adapters/files/master-key.ts";
import type { Config } from "../config/config.ts";
import { randomBytes32 } from "../crypto/random.ts";
import { parseMasterKeys, SecretBox, SecretBoxError } from "../crypto/secret-box.ts";
import type { Log } from "../kernel/log.ts";
import { StartError } from "../kernel/start-error.ts";

export { readPrivateFile } from "../adapters/files/master-key.ts";

type KeyPlace = Pick<Config, "masterKey" | "dataDir">;

/** The text of the keys of an installation with a database. Creates none. @throws StartError for a missing key. */
export function loadExistingKeys({ masterKey, dataDir }: KeyPlace): string {
	return loadMasterKeys(masterKey, dataDir, { databaseExists: true, randomBytes32 }).keysText;
}

/** @param keysText comma-separated. @throws StartError for a malformed key. */
export function createSecretBox(keysText: string, reread?: () => readonly Buffer[] | undefined): SecretBox {
	try {
		return new SecretBox(parseMasterKeys(keysText), reread);
	} catch (cause) {
		if (cause instanceof SecretBoxError) throw new StartError(`master key: ${cause.message}`, { cause });
		throw cause;
	}
}

/** Keys in a file may change while the service runs. A malformed list is logged, and the current keys stay in use. */
export function rereadKeys({ masterKey, dataDir }: KeyPlace, log: Log | undefined) {
	const logProblem = (err: StartError): void =>
		log?.error({ err }, "master keys not reloaded, the current ones stay in use");
	const readChanged = watchMasterKeys(masterKey, dataDir, logProblem);
	if (readChanged === undefined) return undefined;
	return (): readonly Buffer[] | undefined => {
		const keysText = readChanged();
		if (keysText === undefined) return undefined;
		try {
			createSecretBox(keysText);
			return parseMasterKeys(keysText);
		} catch (error) {
			if (!(error instanceof StartError)) throw error;
			logProblem(error);
			return undefined;
		}
	};
}
