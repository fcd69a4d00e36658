// `latchkey doctor`: reports problems of an installation and how to fix them.

import type { Config } from "../config/config.ts";
import { refuseExampleValues } from "../config/example-values.ts";
import { systemClock } from "../kernel/clock.ts";
import { StartError } from "../kernel/start-error.ts";
import { examine } from "../ops/doctor/examine.ts";
import type { Finding } from "../ops/doctor/finding.ts";
import { setExitStatus } from "./exit-status.ts";
import { loadNamedConfig } from "./installation.ts";
import { printResult } from "./output.ts";

/** Prints one line per finding. Exit status `failed` when a finding is `fail`. Changes nothing. */
export async function doctor(): Promise<void> {
	let config: Config;
	try {
		config = loadNamedConfig();
		refuseExampleValues(config);
	} catch (error) {
		if (!(error instanceof StartError)) throw error;
		print({ level: "fail", about: "settings", text: error.message });
		return;
	}
	print({ level: "ok", about: "settings", text: "are understood" });
	for await (const finding of examine(config, systemClock)) print(finding);
}

function print({ level, about, text }: Finding): void {
	if (level === "fail") setExitStatus("failed");
	printResult({ level, about, text }, `${level.padEnd(4)}  ${about.padEnd(12)}  ${text}`);
}
