// `latchkey doctor`: reports problems of an installation and how to fix them.

import { statSync } from "node:fs";
import type { Config } from "../config/config.ts";
import { refuseExampleValues } from "../config/example-values.ts";
import { SECOND_MS, systemClock } from "../kernel/clock.ts";
import { examine } from "../ops/doctor/examine.ts";
import { setExitStatus } from "./exit-status.ts";
import { hostConsole } from "./host.ts";
import { loadNamedConfig } from "./installation.ts";
import { printResult, showsProgress } from "./output.ts";

/** Prints one line per check. The exit status is `failed` if a check fails. Changes nothing. */
export async function doctor({ skipIntegrity }: { readonly skipIntegrity?: boolean }): Promise<void> {
	const checks = examine(loadSettings, systemClock, skipIntegrity ? undefined : showDuration);
	for await (const { status, name, code, params, detail } of checks) {
		if (status === "fail") setExitStatus("failed");
		printResult(
			{ level: status, about: name, code, params, text: detail },
			`${status.padEnd(4)}  ${name.padEnd(14)}  ${detail}`,
		);
	}
}

/** SQLite does not report how far the check is. */
function showDuration(file: string): () => void {
	if (!showsProgress()) return () => undefined;
	const startedAtMs = systemClock();
	const megabytes = Math.ceil(statSync(file).size / 1e6);
	const timer = setInterval(() => {
		const seconds = Math.round((systemClock() - startedAtMs) / SECOND_MS);
		hostConsole().error(`checking ${file} (${megabytes} MB): ${seconds} s`);
	}, SECOND_MS);
	return () => clearInterval(timer);
}

function loadSettings(): Config {
	const config = loadNamedConfig();
	refuseExampleValues(config);
	return config;
}
