// `latchkey keys`: the keys that sign access tokens and ID tokens, with the service running or stopped.

import { isoTime } from "../kernel/clock.ts";
import {
	KEY_CHANGE_SECONDS,
	listSigningKeys,
	type Rotation,
	rotateSigningKey,
} from "../ops/keys/rotate-signing-key.ts";
import { withInstallation } from "./installation.ts";
import { printDone, printResult } from "./output.ts";

/** Prints a line for each key: id, algorithm, state, its next change. */
export async function keysList(): Promise<void> {
	await withInstallation(async (installation) => {
		for (const { kid, alg, state, description } of await listSigningKeys(installation))
			printResult({ kid, alg, state, description }, `${kid}  ${alg}  ${state.padEnd(9)}  ${description}`);
	});
}

interface RotateOptions {
	/** Withdraw every other key at once. */
	readonly now?: boolean;
}

/** Prints when each key signs. Running nodes load the new key by themselves. */
export async function keysRotate({ now: atOnce = false }: RotateOptions): Promise<void> {
	await withInstallation(async (installation) => {
		// Exclusive, so that the second of two concurrent rotations finds the key of the first.
		const rotation = await installation.engine.exclusively(() => rotateSigningKey(installation, { atOnce }));
		const { kid, idTokenKeys, signsFromMs, withdrawn } = rotation;
		const idTokenKids = idTokenKeys.map((key) => key.kid);
		const json = { kid, id_token_kids: idTokenKids, signs_from: isoTime(signsFromMs), withdrawn };
		printDone(json, ...(atOnce ? describeReplaced(rotation) : describePublished(rotation)));
	});
}

function describePublished({ kid, idTokenKeys, signsFromMs }: Rotation): string[] {
	return [
		`key ${kid} is published and signs from ${isoTime(signsFromMs)}; the previous one stays published until its last token expires`,
		...idTokenKeys.map((key) => `so does key ${key.kid}, for ID tokens with ${key.alg}`),
	];
}

function describeReplaced({ kid, idTokenKeys, withdrawn }: Rotation): string[] {
	return [
		`key ${kid} signs from now on`,
		`withdrawn: ${withdrawn.join(", ") || "none"}`,
		...idTokenKeys.map((key) => `key ${key.kid} signs ID tokens with ${key.alg} from now on`),
		`within ${KEY_CHANGE_SECONDS.nodes} s every node refuses all access tokens issued before; sessions remain, and clients get a new token with their refresh token`,
		`other verifiers keep the old keys, and do not know the new one, until they fetch the JWK set again (${KEY_CHANGE_SECONDS.verifiers / 60} minutes if they honor its Cache-Control)`,
	];
}
