// `latchkey doctor`: says what is wrong with an installation and what to do about it.

import { examine } from "../app/doctor/examine.ts";
import type { Finding } from "../app/doctor/finding.ts";
import { loadConfig } from "../config/load.ts";
import { systemClock } from "../kernel/clock.ts";
import { StartError } from "../kernel/start-error.ts";

/** One line a finding; exit status 1 when one is `fail`. Changes nothing. */
export async function doctor(): Promise<void> {
	let config: ReturnType<typeof loadConfig>;
	try {
		config = loadConfig(process.env);
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		print({ level: "fail", about: "settings", text: error.message });
		return;
	}
	print({ level: "ok", about: "settings", text: "are understood" });
	for await (const finding of examine(config, systemClock)) print(finding);
}

function print({ level, about, text }: Finding): void {
	if (level === "fail") process.exitCode = 1;
	console.log(`${level.padEnd(4)}  ${about.padEnd(12)}  ${text}`);
}
