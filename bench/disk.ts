// The slow-disk scenarios: signed requests, which wait until their nonces are on disk.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type Bench, loader } from "./measure.ts";
import { type Population, populate } from "./people.ts";
import { type Compared, compare } from "./rounds.ts";
import { type RunningService, startService } from "./service.ts";

/** @throws Error without a C compiler (`cc`), and on systems other than Linux. */
export async function slowDisk(bench: Bench, waitMs: number): Promise<Compared> {
	const folder = bench.newFolder(`disk-${waitMs}`);
	const library = join(folder, "slow-disk.so");
	execFileSync("cc", ["-shared", "-fPIC", "-o", library, join(import.meta.dirname, "slow-disk.c"), "-ldl"]);
	const env = { LD_PRELOAD: library, SLOW_DISK_MS: String(waitMs) };
	const service = await startService(folder, bench.processors.server, env);
	try {
		const slow = callsOf(bench, service, await populate(service));
		return await compare(bench.rounds, slow, callsOf(bench, bench.service, bench.population));
	} finally {
		await service.stop();
	}
}

function callsOf(bench: Bench, service: RunningService, { client, userId }: Population) {
	return loader(bench, { kind: "signed", credentials: client, userId }, service);
}
