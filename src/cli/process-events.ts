// Events that end the process: stop signals, and uncaught errors.

import type { ProcessLog } from "../app/log.ts";
import type { Log } from "../kernel/log.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { host } from "./host.ts";

/** SIGTERM, SIGINT, and the end of the launcher, listened for from before the service is loaded. */
export interface StopSignal {
	readonly isReceived: boolean;
	/** Resolves with the name of the first signal, or `launcher ended`. */
	readonly received: Promise<string>;
}

/** Later signals have no effect: npm repeats a terminal's Ctrl-C to a process that already received it. */
export function listenForStop(): StopSignal {
	let isReceived = false;
	const received = new Promise<string>((resolve) => {
		const stop = (cause: string): void => {
			isReceived = true;
			resolve(cause);
		};
		for (const signal of ["SIGTERM", "SIGINT"] as const) host().on(signal, () => stop(signal));
		watchLauncher(() => stop("launcher ended"));
	});
	return {
		received,
		get isReceived() {
			return isReceived;
		},
	};
}

/** Set by `bin/latchkey.js` on a Node that is too old: the id of the process that started this one. */
const LAUNCHER_VARIABLE = "LK_LAUNCHER_PID";
const LOOK_EVERY_MS = 500;

/**
 * Calls `ended` when the launcher has ended without passing a signal on, such as by `kill -9`: the service would
 * otherwise continue, and its supervisor could not start another one.
 */
function watchLauncher(ended: () => void): void {
	const launcher = Number(host().env[LAUNCHER_VARIABLE] ?? 0);
	// A parent that ends is replaced by another process.
	const look = (): void => {
		if (process.ppid === launcher) return;
		clearInterval(timer);
		ended();
	};
	const timer = launcher === 0 ? undefined : setInterval(look, LOOK_EVERY_MS).unref();
}

/** Logs and ignores SIGUSR1, which opens a debugger, and SIGUSR2, which ends a process, unless there is a listener. */
export function ignoreUserSignals(log: Log): void {
	for (const signal of ["SIGUSR1", "SIGUSR2"] as const)
		host().on(signal, () => log.info({ signal }, "signal ignored: it has no meaning here"));
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
