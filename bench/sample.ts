// Records a response of the service for the bare server to return.

import net from "node:net";
import type { BareTask } from "./bare-server.ts";
import { EXPECTED_STATUSES, makeRequests, type Plan } from "./requests.ts";

const LIMIT_MS = 5_000;
/** Headers that Node.js adds itself, on both sides. */
const OF_THE_CONNECTION = new Set(["date", "connection", "keep-alive"]);

/** @throws Error for an unexpected response. */
export async function sampleResponse(port: number, plan: Plan): Promise<BareTask["response"]> {
	const [request] = makeRequests(plan, 1);
	const text = await exchange(port, request as Buffer);
	const [head = "", body = ""] = text.split("\r\n\r\n");
	const [statusLine = "", ...lines] = head.split("\r\n");
	const status = Number(statusLine.split(" ")[1]);
	if (!EXPECTED_STATUSES[plan.kind].includes(status)) throw new Error(`${plan.kind} returned ${text}`);
	const headers: Record<string, string> = {};
	for (const line of lines) {
		const [name = "", value = ""] = line.split(": ");
		if (!OF_THE_CONNECTION.has(name.toLowerCase())) headers[name] = value;
	}
	return { status, headers, body };
}

function exchange(port: number, bytes: Buffer): Promise<string> {
	return new Promise((resolve, reject) => {
		const socket = net.connect({ host: "127.0.0.1", port, timeout: LIMIT_MS });
		let text = "";
		socket.setEncoding("latin1");
		socket.on("data", (chunk) => {
			text += chunk;
			const headEnd = text.indexOf("\r\n\r\n");
			const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
			if (headEnd < 0 || text.length < headEnd + 4 + length) return;
			socket.destroy();
			resolve(text);
		});
		socket.on("timeout", () => socket.destroy(new Error("the service did not respond to a sample request")));
		socket.on("error", reject);
		socket.write(bytes);
	});
}
