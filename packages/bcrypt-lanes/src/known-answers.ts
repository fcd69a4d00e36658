// Verifies before the first use that the lanes compute bcrypt correctly on this machine.

import { parseBcryptHash } from "./bcrypt-hash.ts";
import type { BcryptLanes } from "./bcrypt-lanes.ts";
import { LANES } from "./lane-layout.ts";

/** From the OpenBSD, Openwall, and jBCrypt test suites: [bytes of the password, hash]. */
const KNOWN: readonly (readonly [Uint8Array, string])[] = [
	[Buffer.from("U*U"), "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
	[Buffer.from("U*U*U"), "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"],
	[Buffer.alloc(72, "0"), "$2b$05$CCCCCCCCCCCCCCCCCCCCC.6.O1dLNbjod2uo0DVcW.jHucKbPDdHS"],
	// No sign extension of bytes above ASCII.
	[Uint8Array.of(0xa3), "$2b$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq"],
	[Buffer.alloc(0), "$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s."],
];
/** Too few iterations to finish a hash in one step, so that each lane is at a different point, as in operation. */
const STEP_ITERATIONS = 20;

/**
 * Verifies every known hash on every number of lanes: unmodified, and with one bit of its digest changed.
 *
 * @throws Error when any result is wrong.
 */
export function checkKnownAnswers(lanes: BcryptLanes): void {
	const due = KNOWN.flatMap(([password, text]) => [
		{ password, text, isMatch: true },
		{ password, text, isMatch: false },
	]);
	for (let used = 1; used <= LANES; used++) {
		const waiting = [...due.entries()];
		let running = 0;
		while (waiting.length > 0 || running > 0) {
			for (; running < used && waiting.length > 0; running++) {
				const [id, { password, text, isMatch }] = waiting.shift() as (typeof waiting)[number];
				lanes.begin(id, password, knownHash(text, isMatch));
			}
			for (const { id, isMatch } of lanes.advance(STEP_ITERATIONS)) {
				running -= 1;
				if (due[id]?.isMatch !== isMatch) throw new Error(`${used} lanes: wrong result for ${due[id]?.text}`);
			}
		}
	}
}

function knownHash(text: string, isMatch: boolean) {
	const hash = parseBcryptHash(text);
	if (hash === undefined) throw new Error(`no hash: ${text}`);
	if (!isMatch) hash.digest.writeUInt8(hash.digest.readUInt8(0) ^ 1, 0);
	return hash;
}
