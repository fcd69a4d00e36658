// The logger port of features and adapters; pino implements it.

export interface Log {
	/** Whether `debug` lines are written. Check before building an expensive one. */
	readonly isDebug: boolean;
	debug(fields: object, message: string): void;
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
	error(fields: object, message: string): void;
}
