// Output of commands: text, or one JSON object per line with `--json`; `--quiet` prints requested results only.

import { withoutHidden } from "../kernel/shown-text.ts";
import { host, hostConsole } from "./host.ts";

interface OutputMode {
	readonly json: boolean;
	readonly quiet: boolean;
}

let mode: OutputMode = { json: false, quiet: false };

export function setOutputMode({ json = false, quiet = false }: Partial<OutputMode>): void {
	mode = { json, quiet };
}

/**
 * Prints the result on standard output: `lines`, or with `--json` only the object. Names in `json` are `snake_case`,
 * times ISO 8601.
 */
export function printResult(json: object, ...lines: readonly string[]): void {
	if (mode.json) hostConsole().log(toLine(json));
	else for (const line of lines) hostConsole().log(line);
}

/** Any JSON value as text for humans, or with `--json` or `onOneLine` on one line. */
export function formatJson(value: unknown, onOneLine = mode.json): string {
	return toLine(value, onOneLine ? undefined : 2);
}

/** JSON escapes only the C0 control characters; a terminal also interprets C1, and reorders text. */
function toLine(json: unknown, indent?: number): string {
	return withoutHidden(JSON.stringify(json, null, indent), "lines", (hidden) =>
		hidden
			.split("")
			.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
			.join(""),
	);
}

/** Like `printResult`, for the confirmation of a change: `--quiet` omits the text, never the JSON object. */
export function printDone(json: object, ...lines: readonly string[]): void {
	if (mode.json || !mode.quiet) printResult(json, ...lines);
}

/** Prints text for humans only: not with `--json` or `--quiet`. */
export function printConfirmation(...lines: readonly string[]): void {
	if (!mode.json && !mode.quiet) for (const line of lines) hostConsole().log(line);
}

/** Prints a remark on standard error, unless `--quiet`. */
export function printNote(line: string): void {
	if (!mode.quiet) hostConsole().error(line);
}

/** Like `printNote`, for what to do next: not with `--json`. */
export function printAdvice(line: string): void {
	if (!mode.json) printNote(line);
}

/** Whether a human watches standard error. Pipes and log files get no progress. */
export function showsProgress(): boolean {
	return host().stderr.isTTY === true && !mode.quiet;
}

/** Prints an error on standard error, regardless of the options. `code` names its kind, e.g. `not_found`, or is one of
 * the API, which is part of the text. */
export function printError(code: string, message: string, exitStatus: number): void {
	if (mode.json) hostConsole().error(JSON.stringify({ error: { code, message, exit_status: exitStatus } }));
	else hostConsole().error(`latchkey: ${code.includes(".") ? `${code}: ` : ""}${message}`);
}
