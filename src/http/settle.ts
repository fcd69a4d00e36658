// Hooks that answer synchronously when they can.

import type { FastifyReply, FastifyRequest } from "fastify";

export type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/** Continues synchronously unless `value` is a promise, to spare the hot path a microtask. */
export function settle<T>(
	value: T | Promise<T>,
	next: (value: T) => void,
	fail: (error: Error) => void,
): void {
	if (value instanceof Promise) value.then(next).catch(fail);
	else next(value);
}
