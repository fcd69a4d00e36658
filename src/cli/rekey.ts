// `latchkey rekey` seals every stored secret anew under the first master key, beside running nodes.

import { changeMasterKey } from "../app/change-master-key.ts";
import { openBesideService } from "../app/open-installation.ts";
import { countSealed, refuseMissingKeys, reseal } from "../app/reseal.ts";
import { loadConfig } from "../config/load.ts";
import { SECOND_MS, systemClock } from "../kernel/clock.ts";
import { StartError } from "../kernel/start-error.ts";

export interface RekeyOptions {
	/** Change nothing, only tell what is sealed with which key. */
	readonly check?: boolean;
	/** Make a new key first, and drop the old one at the end. */
	readonly newKey?: boolean;
}

/** Progress on standard error, the result on standard output. */
export async function rekey({ check = false, newKey = false }: RekeyOptions): Promise<void> {
	if (check && newKey) throw new StartError("give --check or --new-key, not both");
	const config = loadConfig(process.env);
	if (newKey) return changeKey(config);
	const installation = await openBesideService(config, { clock: systemClock });
	try {
		if (check) await tellSealed(installation);
		else {
			const { keyId, texts, from } = await reseal(installation, createProgress());
			console.log(`${texts} texts sealed anew; everything is sealed with master key ${keyId}`);
			if (from.length > 0) console.log(`no longer needed in the list: ${from.join(", ")}`);
		}
	} finally {
		await installation.close();
	}
}

async function changeKey(config: ReturnType<typeof loadConfig>): Promise<void> {
	const change = await changeMasterKey(config, { clock: systemClock, onProgress: createProgress() });
	const begun = change.continued ? " (the change begun earlier is finished)" : "";
	console.log(
		`${change.texts} texts sealed anew; everything is sealed with master key ${change.keyId}${begun}`,
	);
	console.log(
		"back up master.key now; the old key is kept in master.key.old for backups made before: delete it with them",
	);
}

/** A line a column and key; exit status 1 when anything is sealed with another key than the first. */
async function tellSealed(installation: Awaited<ReturnType<typeof openBesideService>>): Promise<void> {
	const { keyId } = installation.secretBox;
	const counts = await countSealed(installation);
	for (const { place, keyId: sealedWith, texts } of counts)
		console.log(`${place}  ${sealedWith}${sealedWith === keyId ? "" : " (not the first key)"}  ${texts}`);
	refuseMissingKeys(installation.secretBox, counts);
	if (counts.some((count) => count.keyId !== keyId)) process.exitCode = 1;
	else console.log(`everything is sealed with master key ${keyId}`);
}

/** The first at once, then at most one a second. */
function createProgress(): (texts: number) => void {
	let printedAtMs = Number.NEGATIVE_INFINITY;
	return (texts) => {
		const now = systemClock();
		if (now - printedAtMs < SECOND_MS) return;
		printedAtMs = now;
		console.error(`${texts} texts sealed anew so far`);
	};
}
