// The thread that verifies bcrypt hashes in lanes. It yields to the rest of the service and takes new hashes in
// between.

import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { parseBcryptHash } from "./bcrypt-hash.ts";
import { BcryptLanes } from "./bcrypt-lanes.ts";
import { checkKnownAnswers } from "./known-answers.ts";

export interface LaneRequest {
	readonly id: number;
	/** Overwritten once read. */
	readonly password: Uint8Array;
	readonly hash: string;
}

/** About 4 ms with all lanes in use: how long a new hash waits for its lane. */
const SLICE_ITERATIONS = 64;

/** Between the usual 0 and the weakest 19. */
const NICE = 10;

const port = parentPort;
if (port === null) throw new Error("must run as a worker");
// On Linux a priority applies to a thread; elsewhere it would slow the whole service.
if (process.platform === "linux") setPriority(NICE);
const lanes = new BcryptLanes();
checkKnownAnswers(lanes);

port.on("message", ({ id, password, hash }: LaneRequest) => {
	const parsed = parseBcryptHash(hash);
	if (parsed === undefined) throw new Error("not a bcrypt hash");
	if (lanes.isIdle) setImmediate(advance);
	lanes.begin(id, password, parsed);
	password.fill(0);
});
port.postMessage("ready");

function advance(): void {
	for (const result of lanes.advance(SLICE_ITERATIONS)) port?.postMessage(result);
	if (!lanes.isIdle) setImmediate(advance);
}
