// Sends a delivery over HTTPS, to an address that was checked and to no other.

import { request as httpsRequest, type RequestOptions } from "node:https";
import {
	type WebhookAnswer,
	type WebhookRequest,
	WebhookSendError,
	type WebhookSender,
} from "../../features/webhooks/model.ts";
import type { IpAddress } from "../../kernel/ip.ts";
import { checkedTarget, outboundError, type ResolveHost } from "../../kernel/outbound.ts";
import { createHostResolver } from "../../kernel/resolve-host.ts";

const TIMEOUT_MS = 5_000;
const ANSWER_MAX_BYTES = 64 * 1_024;

export interface HttpsSenderOptions {
	/** Asked of every address a name resolves to; one that is refused refuses the name. */
	readonly isAllowed: (ip: IpAddress) => boolean;
	readonly resolve?: ResolveHost;
	/** For everything together, from the name to the end of the answer: 5 s unless told. */
	readonly timeoutMs?: number;
}

/**
 * One POST a connection, certificates checked against the authorities Node trusts (`NODE_EXTRA_CA_CERTS` adds some).
 * The name is resolved once, each of its addresses is checked, and the connection goes to one of these. A redirect is
 * an answer like any other. Of the answer at most 64 KiB are read, and nothing but its status is kept.
 */
export function createHttpsSender(options: HttpsSenderOptions): WebhookSender {
	const { isAllowed, resolve = createHostResolver(), timeoutMs = TIMEOUT_MS } = options;
	return {
		async send(request) {
			const deadline = AbortSignal.timeout(timeoutMs);
			try {
				const target = new URL(request.url);
				const where = await checkedTarget(target, { resolve, isAllowed }, deadline);
				return await post(target, where, request);
			} catch (error) {
				if (deadline.aborted)
					throw new WebhookSendError(`no answer within ${timeoutMs / 1_000} s`, { cause: error });
				if (error instanceof WebhookSendError) throw error;
				throw new WebhookSendError(outboundError(error).message, { cause: error });
			}
		},
	};
}

function post(target: URL, where: RequestOptions, { headers, body }: WebhookRequest): Promise<WebhookAnswer> {
	return new Promise((resolve, reject) => {
		let answer: WebhookAnswer | undefined;
		const request = httpsRequest({ ...where, method: "POST" }, (response) => {
			answer = {
				statusCode: response.statusCode ?? 0,
				retryAfterSeconds: secondsOf(response.headers["retry-after"]),
			};
			const received = answer;
			let bytes = 0;
			response.on("data", (chunk: Buffer) => {
				bytes += chunk.length;
				if (bytes >= ANSWER_MAX_BYTES) request.destroy();
			});
			// However its body ended: the status is the answer.
			response.on("error", () => resolve(received));
			response.on("close", () => resolve(received));
		});
		request.on("error", (error) => {
			if (answer === undefined) reject(error);
		});
		// Also a connection that ended without an error, in place of an answer (101).
		request.on("close", () => {
			if (answer === undefined) reject(new WebhookSendError("the connection was closed without an answer"));
		});
		for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
		request.setHeader("host", target.host);
		request.setHeader("content-length", Buffer.byteLength(body));
		request.end(body);
	});
}

function secondsOf(header: string | undefined): number | undefined {
	return header !== undefined && /^[0-9]{1,6}$/.test(header) ? Number(header) : undefined;
}
