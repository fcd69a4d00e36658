// Sends webhook deliveries over HTTPS.

import {
	WEBHOOK_ANSWER_MAX,
	type WebhookRequest,
	type WebhookResponse,
	WebhookSendError,
	type WebhookSender,
} from "../../domain/webhook-delivery.ts";
import type { Clock } from "../../kernel/clock.ts";
import { withoutHidden } from "../../kernel/shown-text.ts";
import { OutboundError, type OutboundRule, startOutboundCalls } from "../outbound.ts";
import { createHostResolver } from "../resolve-host.ts";
import { parseRetryAfter } from "./retry-after.ts";

const TIMEOUT_MS = 5_000;
const RESPONSE_MAX_BYTES = 64 * 1_024;

export interface HttpsSenderOptions
	extends Pick<OutboundRule, "isAllowed">,
		Partial<Pick<OutboundRule, "resolve">> {
	/** For the whole attempt, from resolving the name to the end of the response. Default 5 s. */
	readonly timeoutMs?: number;
	/** For a `Retry-After` with a date. */
	readonly clock: Clock;
}

/**
 * One POST per connection. A redirect is a response like any other. Reads at most 64 KiB of the response and keeps only
 * its status, `Retry-After`, and how a refusal begins; once the status has arrived, the rest of the response cannot fail the delivery.
 */
export function createHttpsSender(options: HttpsSenderOptions): WebhookSender {
	const { timeoutMs = TIMEOUT_MS, ...rule } = { resolve: createHostResolver(), ...options };
	return {
		async send({ url, headers, body }: WebhookRequest): Promise<WebhookResponse> {
			const calls = startOutboundCalls(rule, timeoutMs);
			try {
				const response = await calls.send(new URL(url), { method: "POST", headers, body });
				const received = await calls.readBeginning(response, RESPONSE_MAX_BYTES);
				const { statusCode = 0 } = response;
				return {
					statusCode,
					answer: statusCode >= 200 && statusCode < 300 ? "" : beginningOf(received),
					retryAfterSeconds: parseRetryAfter(response.headers["retry-after"], options.clock()),
				};
			} catch (cause) {
				const message = cause instanceof OutboundError ? cause.message : "the request failed";
				throw new WebhookSendError(message, { cause });
			}
		},
	};
}

/** As text that can be stored and shown; a character that the limit splits is left out. */
function beginningOf(received: Buffer): string {
	const text = new TextDecoder().decode(received.subarray(0, WEBHOOK_ANSWER_MAX), { stream: true });
	return withoutHidden(text.replaceAll("\r\n", "\n"), "lines", () => "\ufffd").trim();
}
