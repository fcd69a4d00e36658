// Events that end the process: stop signals, and uncaught errors.

import type { ProcessLog } from "../app/log.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { host } from "./host.ts";

/** SIGTERM and SIGINT, listened for from before the service is loaded. */
export interface StopSignal {
	readonly isReceived: boolean;
	/** Resolves with the name of the first signal. */
	readonly received: Promise<string>;
}

/** Later signals have no effect: npm repeats a terminal's Ctrl-C to a process that already received it. */
export function listenForStop(): StopSignal {
	let isReceived = false;
	const received = new Promise<string>((resolve) => {
		for (const signal of ["SIGTERM", "SIGINT"] as const) {
			host().on(signal, () => {
				isReceived = true;
				resolve(signal);
			});
		}
	});
	return {
		received,
		get isReceived() {
			return isReceived;
		},
	};
}

/** Errors of a socket whose peer or network became unreachable. */
const CONNECTION_CODES = new Set([
	"ECONNRESET",
	"ECONNABORTED",
	"EPIPE",
	"ETIMEDOUT",
	"EHOSTUNREACH",
	"ENETUNREACH",
	"ENETDOWN",
]);
const SOCKET_CALLS = new Set(["read", "write", "shutdown"]);

/**
 * Ends the process with the status of a fault, except for an error that a socket emits without a listener: it
 * interrupts no code of the service, and a peer must not be able to end the service. An unhandled rejection always ends
 * the process.
 */
export function endOnUncaught(log: ProcessLog): void {
	host().on("uncaughtException", (error, origin) => {
		if (origin === "uncaughtException" && isSocketError(error)) {
			log.error({ err: error }, "a socket error had no listener, the service continues");
			return;
		}
		log.fatal({ err: error }, "crashed");
		process.exit(EXIT_STATUS.fault);
	});
}

function isSocketError(error: NodeJS.ErrnoException): boolean {
	return CONNECTION_CODES.has(error.code ?? "") && SOCKET_CALLS.has(error.syscall ?? "");
}
