// `latchkey keys`: the keys that sign access tokens, beside a running service or without one.

import { openBesideService } from "../app/open-installation.ts";
import { listSigningKeys, NOTICED_WITHIN, rotateSigningKey } from "../app/rotate-signing-key.ts";
import { loadConfig } from "../config/load.ts";
import { isoTime, systemClock } from "../kernel/clock.ts";

/** One line a key: id, state, what happens to it next. */
export async function keysList(): Promise<void> {
	const installation = await openBesideService(loadConfig(process.env), { clock: systemClock });
	try {
		for (const { kid, state, told } of await listSigningKeys({ ...installation, clock: systemClock }))
			console.log(`${kid}  ${state.padEnd(9)}  ${told}`);
	} finally {
		await installation.close();
	}
}

export interface RotateOptions {
	/** Withdraw every other key at once. */
	readonly now?: boolean;
}

/** Says what happens when; nodes need not be told. */
export async function keysRotate({ now: atOnce = false }: RotateOptions): Promise<void> {
	const installation = await openBesideService(loadConfig(process.env), { clock: systemClock });
	try {
		const deps = { ...installation, clock: systemClock };
		// Of two rotations at once the second finds the first one's key.
		const { kid, signsFromMs, withdrawn } = await installation.engine.exclusively(() =>
			rotateSigningKey(deps, { atOnce }),
		);
		if (atOnce) printReplaced(kid, withdrawn);
		else
			console.log(
				`key ${kid} is published and signs from ${isoTime(signsFromMs)}; the one before stays published until its last token is dead`,
			);
	} finally {
		await installation.close();
	}
}

function printReplaced(kid: string, withdrawn: readonly string[]): void {
	console.log(`key ${kid} signs from now on`);
	console.log(`withdrawn: ${withdrawn.join(", ") || "none"}`);
	console.log(
		`within ${NOTICED_WITHIN.nodesSeconds} s every node refuses all access tokens issued before; sessions live on, clients get a new token with their refresh token`,
	);
	console.log(
		`others who verify tokens keep the old keys, and do not know the new one, until they fetch the JWK set again (${NOTICED_WITHIN.verifiersSeconds / 60} minutes if they honour its Cache-Control)`,
	);
}
