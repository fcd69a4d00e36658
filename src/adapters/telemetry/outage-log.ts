// Logs when the receiver stops accepting data, and when it accepts it again: one line each.

import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import type { Log } from "../../kernel/log.ts";

/** The common part of both OpenTelemetry exporters. */
interface Exporter<Item> {
	export(items: Item, done: (result: ExportResult) => void): void;
}

interface Outage {
	/** Whether the last export failed. */
	readonly isAway: boolean;
}

/** Watches the results of `exporter`, in place. `what`: traces or metrics. */
export function logOutages<Item>(exporter: Exporter<Item>, what: string, log: Log): Outage {
	const state = { isAway: false };
	const send = exporter.export.bind(exporter);
	exporter.export = (items, done) => {
		send(items, (result) => {
			const failed = result.code !== ExportResultCode.SUCCESS;
			if (failed && !state.isAway)
				log.warn(
					describe(result.error),
					`the OTLP receiver does not accept ${what}: they are dropped until it does`,
				);
			if (!failed && state.isAway) log.info({}, `the OTLP receiver accepts ${what} again`);
			state.isAway = failed;
			done(result);
		});
	};
	return state;
}

/** Response bodies are not logged. */
function describe(error: (Error & { readonly code?: unknown }) | undefined) {
	const status = typeof error?.code === "number" ? error.code : undefined;
	return { status, error: error?.message ?? "no response" };
}
