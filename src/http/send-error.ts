// Answers an error, and records it for the log and the metrics.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "../kernel/log.ts";
import { errorReply, toAppError } from "./reply.ts";

export interface ErrorOptions {
	readonly log: Log;
	readonly newRequestId: () => string;
}

export function sendError(
	{ log, newRequestId }: ErrorOptions,
	error: unknown,
	request: FastifyRequest,
	reply: FastifyReply,
): void {
	const id = request.incoming?.requestId ?? newRequestId();
	const refusal = toAppError(error, log, id);
	request.refusal = refusal;
	const { bearer = false, browser = false } = request.routeOptions.config;
	const { status, headers, body } = errorReply(refusal, {
		requestId: id,
		accept: request.headers.accept ?? "",
		bearer,
		browser,
	});
	reply
		.code(status)
		.headers({ "x-request-id": id, ...headers })
		.serializer((text: string) => text)
		.send(body);
}

/** The message for bytes that are no HTTP request, by status (400, 408, 431). */
export function malformedMessage(status: number): string {
	if (status === 431) return "request headers are too large";
	return status === 408 ? "the request took too long to arrive" : "the request is malformed";
}
