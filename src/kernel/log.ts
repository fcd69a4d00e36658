// The logger port of features and adapters, and the field names of log lines; pino implements it.

/**
 * Every field of a log line, in the order of the table in `docs/monitoring.md`, which explains them. A request, a job
 * and an adapter use the same name for the same thing.
 */
export const LOG_FIELDS = [
	"request_id",
	"method",
	"route",
	"path",
	"status",
	"code",
	"reason",
	"ms",
	"ip",
	"tenant_id",
	"user_id",
	"client_id",
	"key_id",
	"workload",
	"err",
	"error",
	"job",
	"kind",
	"deleted",
	"mail_id",
	"template",
	"state",
	"attempts",
	"retry_in_ms",
	"webhook_id",
	"delivery_id",
	"provider_id",
	"kid",
	"valid_to",
	"language",
	"missing",
	"redis",
	"host",
	"port",
	"bound",
	"connections",
	"configured",
	"descriptors",
	"settings",
	"data_directory",
	"database",
	"pid",
	"signal",
	"drain_seconds",
] as const;

type LogField = (typeof LOG_FIELDS)[number];

export type LogFields = { readonly [Name in LogField]?: unknown };

/** Writes one line. A field that is not in `LOG_FIELDS` does not compile. */
export type WriteLine = <Fields extends LogFields>(
	fields: Fields & { readonly [Name in Exclude<keyof Fields, LogField>]: never },
	message: string,
) => void;

export interface Log {
	/** Whether `debug` lines are written. Check before building an expensive one. */
	readonly isDebug: boolean;
	readonly debug: WriteLine;
	readonly info: WriteLine;
	readonly warn: WriteLine;
	readonly error: WriteLine;
}
