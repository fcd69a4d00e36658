// The master keys for backups, and the MAC key derived from each.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { findConfiguredMasterKeys } from "../../adapters/files/master-key.ts";
import { createSecretBox, loadExistingKeys } from "../../app/master-keys.ts";
import type { Config } from "../../config/config.ts";
import type { MacKey } from "../../crypto/digest.ts";
import { parseMasterKeys, SecretBox } from "../../crypto/secret-box.ts";
import { StartError } from "../../kernel/start-error.ts";

export interface BackupKeys {
	/** Decrypts with any of the keys. */
	readonly secretBox: SecretBox;
	/** The first encrypts. */
	readonly keyIds: readonly string[];
	/** The MAC key of backups; undefined when the master key with this id is missing. */
	macKeyOf(keyId: string): MacKey | undefined;
}

/** Creates nothing. @throws StartError for a missing or malformed key. */
export function loadBackupKeys(config: Pick<Config, "masterKey" | "dataDir">): BackupKeys {
	const file = join(config.dataDir, "master.key");
	if (findConfiguredMasterKeys(config.masterKey) === undefined && !existsSync(file))
		throw new StartError(
			`the master key is missing: copy the key of the installation to ${file}, or set LATCHKEY_MASTER_KEY`,
		);
	const keysText = loadExistingKeys(config);
	const secretBox = createSecretBox(keysText);
	const boxes = parseMasterKeys(keysText).map((key) => new SecretBox([key]));
	return {
		secretBox,
		keyIds: secretBox.keyIds,
		macKeyOf: (keyId) => boxes.find((box) => box.keyId === keyId)?.deriveKey("backup"),
	};
}
