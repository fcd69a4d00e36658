// The narrow face of the logger that features and adapters see; pino stands behind it.

export interface Log {
	/** Whether `debug` lines are written: ask before building an expensive one. */
	readonly isDebug: boolean;
	debug(fields: object, message: string): void;
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
	error(fields: object, message: string): void;
}
