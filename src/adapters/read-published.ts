// Reads a JSON text that a client publishes at a URL of its own: its keys, or its metadata document.

import { OutboundError, type OutboundRule, startOutboundCalls } from "./outbound.ts";

const TIMEOUT_MS = 3_000;
const RESPONSE_MAX_BYTES = 64 * 1_024;

/**
 * One GET without credentials: at most 3 s and 64 KiB, status 200 only, so no redirects.
 *
 * @param timeoutMs for tests
 * @throws OutboundError
 */
export async function readPublished(
	target: URL,
	rule: OutboundRule,
	timeoutMs = TIMEOUT_MS,
): Promise<string> {
	const calls = startOutboundCalls(rule, timeoutMs);
	const headers = { accept: "application/json", "accept-encoding": "identity", "user-agent": "latchkey" };
	const response = await calls.send(target, { method: "GET", headers, body: "" });
	if (response.statusCode !== 200) {
		response.destroy();
		throw new OutboundError("failed", `returned status ${response.statusCode}`);
	}
	const bytes = await calls.read(response, RESPONSE_MAX_BYTES);
	if (bytes === undefined)
		throw new OutboundError("failed", `returned more than ${RESPONSE_MAX_BYTES} bytes`);
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch (cause) {
		throw new OutboundError("failed", "returned something other than UTF-8", { cause });
	}
}
