// `latchkey rekey`: re-encrypts every stored secret with the first master key, while nodes run.

import type { Installation } from "../app/open-installation.ts";
import type { Config } from "../config/config.ts";
import { systemClock } from "../kernel/clock.ts";
import { usageError } from "../kernel/start-error.ts";
import { changeMasterKey } from "../ops/keys/change-master-key.ts";
import { countSealed, refuseMissingKeys, reseal } from "../ops/keys/reseal.ts";
import { setExitStatus } from "./exit-status.ts";
import { loadNamedConfig, withInstallation } from "./installation.ts";
import { printConfirmation, printDone, printResult } from "./output.ts";
import { printEverySecond } from "./progress.ts";

interface RekeyOptions {
	/** Change nothing; print which key encrypts what. */
	readonly check?: boolean;
	/** Create a new key first, and drop the old one at the end. */
	readonly newKey?: boolean;
}

const createProgress = () => printEverySecond((texts: number) => `${texts} secrets re-encrypted so far`);

/** Progress goes to standard error, the result to standard output. */
export async function rekey({ check = false, newKey = false }: RekeyOptions): Promise<void> {
	if (check && newKey) throw usageError("use --check or --new-key, not both");
	if (newKey) return changeKey(loadNamedConfig());
	await withInstallation(async (installation) => {
		if (check) return printSealed(installation);
		const { keyId, texts, from } = await reseal(installation, createProgress());
		printDone(
			{ texts, key_id: keyId, no_longer_needed: from },
			`${texts} secrets re-encrypted; everything is encrypted with master key ${keyId}`,
			...(from.length > 0 ? [`no longer needed in the list: ${from.join(", ")}`] : []),
		);
	});
}

async function changeKey(config: Config): Promise<void> {
	const { texts, keyId, continued } = await changeMasterKey(config, {
		clock: systemClock,
		onProgress: createProgress(),
	});
	const begun = continued ? " (an earlier, interrupted change was completed)" : "";
	printDone(
		{ texts, key_id: keyId, continued },
		`${texts} secrets re-encrypted; everything is encrypted with master key ${keyId}${begun}`,
		"back up master.key now; master.key.old keeps the old key for older backups: delete it together with them",
	);
}

/**
 * Prints a line for each column and key. Exit status `failed` if a key other than the first encrypts anything.
 */
async function printSealed(installation: Installation): Promise<void> {
	const { keyId } = installation.secretBox;
	const counts = await countSealed(installation);
	for (const { place, keyId: sealedWith, texts } of counts)
		printResult(
			{ place, key_id: sealedWith, is_first: sealedWith === keyId, texts },
			`${place}  ${sealedWith}${sealedWith === keyId ? "" : " (not the first key)"}  ${texts}`,
		);
	refuseMissingKeys(installation.secretBox, counts);
	if (counts.some((count) => count.keyId !== keyId)) setExitStatus("failed");
	else printConfirmation(`everything is encrypted with master key ${keyId}`);
}
