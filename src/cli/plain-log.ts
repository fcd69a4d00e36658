// The log of a command: plain lines on standard error.

import type { Log } from "../kernel/log.ts";

function print(_fields: object, message: string): void {
	console.error(`latchkey: ${message}`);
}

export const plainLog: Log = {
	isDebug: false,
	debug: () => undefined,
	info: print,
	warn: print,
	error: print,
};
