// The master keys for backups, and the MAC key derived from each.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { findConfiguredMasterKeys, loadMasterKeys } from "../../adapters/files/master-key.ts";
import type { Config } from "../../config/config.ts";
import { randomBytes32 } from "../../crypto/random.ts";
import type { MacKey } from "../../crypto/running-digest.ts";
import { parseMasterKeys, SecretBox, SecretBoxError } from "../../crypto/secret-box.ts";
import { StartError } from "../../kernel/start-error.ts";

const PURPOSE = "backup";

export interface BackupKeys {
	/** Opens texts of any of the keys. */
	readonly secretBox: SecretBox;
	/** The first seals. */
	readonly keyIds: readonly string[];
	/** The MAC key of backups; undefined when the master key with this id is missing. */
	macKeyOf(keyId: string): MacKey | undefined;
}

/** Creates nothing. @throws StartError for a missing or malformed key. */
export function loadBackupKeys({ masterKey, dataDir }: Pick<Config, "masterKey" | "dataDir">): BackupKeys {
	const file = join(dataDir, "master.key");
	if (findConfiguredMasterKeys(masterKey) === undefined && !existsSync(file))
		throw new StartError(
			`there is no master key: put the one of the installation in ${file}, or give it as LATCHKEY_MASTER_KEY`,
		);
	const { keysText } = loadMasterKeys(masterKey, dataDir, { databaseExists: true, randomBytes32 });
	try {
		const keys = parseMasterKeys(keysText);
		const boxes = keys.map((key) => new SecretBox([key]));
		return {
			secretBox: new SecretBox(keys),
			keyIds: boxes.map(({ keyId }) => keyId),
			macKeyOf: (keyId) => boxes.find((box) => box.keyId === keyId)?.deriveKey(PURPOSE),
		};
	} catch (cause) {
		if (cause instanceof SecretBoxError) throw new StartError(`master key: ${cause.message}`, { cause });
		throw cause;
	}
}
