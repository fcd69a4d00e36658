// Output of commands: text, or one JSON object per line with `--json`; `--quiet` prints requested results only.

import { host, hostConsole } from "./host.ts";

interface OutputMode {
	readonly json: boolean;
	readonly quiet: boolean;
}

/** Of this process, which runs one command. */
let mode: OutputMode = { json: false, quiet: false };

export function setOutputMode({ json = false, quiet = false }: Partial<OutputMode>): void {
	mode = { json, quiet };
}

/**
 * Prints what the command was asked for on standard output: `lines`, or with `--json` the object alone. Names in `json`
 * are `snake_case`, times ISO 8601.
 */
export function printResult(json: object, ...lines: readonly string[]): void {
	if (mode.json) hostConsole().log(toLine(json));
	else for (const line of lines) hostConsole().log(line);
}

/** JSON escapes only the first half of the control characters; a terminal obeys the second half, too. */
function toLine(json: object): string {
	return JSON.stringify(json).replaceAll(
		/[\u007f-\u009f]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}

/** As `printResult`, for the confirmation of a change: `--quiet` leaves out the text, never the JSON object. */
export function printDone(json: object, ...lines: readonly string[]): void {
	if (mode.json || !mode.quiet) printResult(json, ...lines);
}

/** Prints text for people only: not with `--json`, nor with `--quiet`. */
export function printConfirmation(...lines: readonly string[]): void {
	if (!mode.json && !mode.quiet) for (const line of lines) hostConsole().log(line);
}

/** Prints a remark on standard error, unless `--quiet`. */
export function printNote(line: string): void {
	if (!mode.quiet) hostConsole().error(line);
}

/** Whether somebody watches standard error. Programs and log files get no progress. */
export function showsProgress(): boolean {
	return host().stderr.isTTY === true && !mode.quiet;
}

/** Prints an error on standard error, whatever the options. `code` names the kind of the problem, e.g. `not_found`. */
export function printError(code: string, message: string, exitStatus: number): void {
	if (mode.json) hostConsole().error(JSON.stringify({ error: { code, message, exit_status: exitStatus } }));
	else hostConsole().error(`latchkey: ${message}`);
}
