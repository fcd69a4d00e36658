// `latchkey doctor`: reports problems of an installation and how to fix them.

import type { Config } from "../config/config.ts";
import { refuseExampleValues } from "../config/example-values.ts";
import { systemClock } from "../kernel/clock.ts";
import { examine } from "../ops/doctor/examine.ts";
import { setExitStatus } from "./exit-status.ts";
import { loadNamedConfig } from "./installation.ts";
import { printResult } from "./output.ts";

/** Prints one line per check. The exit status is `failed` if a check fails. Changes nothing. */
export async function doctor(): Promise<void> {
	for await (const { status, name, code, params, detail } of examine(loadSettings, systemClock)) {
		if (status === "fail") setExitStatus("failed");
		printResult(
			{ level: status, about: name, code, params, text: detail },
			`${status.padEnd(4)}  ${name.padEnd(12)}  ${detail}`,
		);
	}
}

function loadSettings(): Config {
	const config = loadNamedConfig();
	refuseExampleValues(config);
	return config;
}
