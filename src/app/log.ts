// The logger: pino, one JSON object a line on standard error. Standard output is for people.

import pino from "pino";
import type { LogLevel } from "../config/settings.ts";
import type { Log, WriteLine } from "../kernel/log.ts";

/** The log of a process, which also records why the process ends. */
export interface ProcessLog extends Log {
	/** Synchronous, so that the process may end right after. */
	readonly fatal: WriteLine;
}

/** Default stream: standard error. `err` fields are written with stack and cause, never with request bodies. */
export function createLog(
	level: LogLevel,
	stream: NodeJS.WritableStream | undefined = undefined,
): ProcessLog {
	const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
	const logger = pino(options, stream ?? pino.destination({ dest: 2, sync: false }));
	return {
		get isDebug() {
			return logger.isLevelEnabled("debug");
		},
		debug: (fields: object, message) => logger.debug(fields, message),
		info: (fields: object, message) => logger.info(fields, message),
		warn: (fields: object, message) => logger.warn(fields, message),
		error: (fields: object, message) => logger.error(fields, message),
		fatal: (fields: object, message) => logger.fatal(fields, message),
	};
}
