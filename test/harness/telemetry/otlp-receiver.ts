// A strict OTLP/HTTP receiver that can stay silent, refuse, or be unavailable.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { METRICS, TRACES } from "./otlp-messages.ts";
import { type Fields, type Message, readMessage } from "./protobuf.ts";

type Attributes = Readonly<Record<string, unknown>>;

export interface ReceivedSpan {
	readonly name: string;
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId: string | undefined;
	/** 1 internal, 2 server, 3 client. */
	readonly kind: number;
	readonly isFailed: boolean;
	readonly attributes: Attributes;
}

export interface ReceivedMetric extends Message {
	readonly name: string;
	readonly description: string;
}

/** `silent` never responds. */
type Behaviour = number | "silent";

export interface OtlpReceiver {
	readonly url: string;
	readonly spans: ReceivedSpan[];
	/** The metrics of the latest export. */
	metrics: readonly ReceivedMetric[];
	/** Every body, to search its bytes. */
	readonly bodies: Buffer[];
	readonly headers: IncomingMessage["headers"][];
	readonly resources: Attributes[];
	/** Errors in requests; must stay empty. */
	readonly faults: string[];
	behaviour: Behaviour;
	/** Waits up to 20 s until the condition holds. */
	until(condition: (receiver: OtlpReceiver) => boolean): Promise<void>;
	close(): Promise<void>;
	reopen(): Promise<void>;
	[Symbol.asyncDispose](): Promise<void>;
}

const SIGNALS: Readonly<Record<string, Fields>> = { "/v1/traces": TRACES, "/v1/metrics": METRICS };

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
	const listener = (request: IncomingMessage, response: ServerResponse) => void answer(request, response);
	let server = createServer(listener);
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	const receiver: OtlpReceiver = {
		url: `http://127.0.0.1:${port}`,
		spans: [],
		metrics: [],
		bodies: [],
		headers: [],
		resources: [],
		faults: [],
		behaviour: 200,
		async until(condition) {
			for (const endMs = Date.now() + 60_000; !condition(receiver); ) {
				if (Date.now() > endMs) throw new Error(`the receiver got ${describe(receiver)}`);
				await new Promise((resolve) => setTimeout(resolve, 5));
			}
		},
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
		async reopen() {
			server = createServer(listener).listen(port, "127.0.0.1");
			await once(server, "listening");
		},
		[Symbol.asyncDispose]: () => (server.listening ? receiver.close() : Promise.resolve()),
	};

	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = Buffer.concat(await request.toArray());
		receiver.bodies.push(body);
		receiver.headers.push(request.headers);
		if (receiver.behaviour === "silent") return;
		if (receiver.behaviour !== 200) {
			response.writeHead(receiver.behaviour).end();
			return;
		}
		try {
			accept(receiver, request, body);
			response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
		} catch (error) {
			receiver.faults.push(String(error));
			response.writeHead(400).end();
		}
	}
	return receiver;
}

function accept(receiver: OtlpReceiver, { method, url = "", headers }: IncomingMessage, body: Buffer): void {
	const fields = SIGNALS[url];
	if (method !== "POST" || fields === undefined) throw new Error(`${method} ${url}`);
	if (headers["content-type"] !== "application/x-protobuf")
		throw new Error(`type ${headers["content-type"]}`);
	const message = readMessage(body, fields);
	for (const { resource, scopeSpans } of message.resourceSpans ?? []) {
		receiver.resources.push(attributesOf(resource));
		for (const { spans } of scopeSpans) receiver.spans.push(...spans.map(spanOf));
	}
	for (const { resource, scopeMetrics } of message.resourceMetrics ?? []) {
		receiver.resources.push(attributesOf(resource));
		receiver.metrics = scopeMetrics.flatMap(({ metrics }: Message) => metrics);
	}
}

function spanOf(span: Message): ReceivedSpan {
	const { name, traceId, spanId, parentSpanId, kind, status, events, startTimeUnixNano, endTimeUnixNano } =
		span;
	if (!/^[0-9a-f]{32}$/.test(traceId) || !/^[0-9a-f]{16}$/.test(spanId)) throw new Error("span without ids");
	if (!(endTimeUnixNano >= startTimeUnixNano)) throw new Error("span ends before it begins");
	if (events !== undefined) throw new Error("span with events");
	return {
		name,
		traceId,
		spanId,
		parentSpanId,
		kind,
		isFailed: status?.code === 2,
		attributes: attributesOf(span),
	};
}

/** Attributes by name; each occurs once. */
export function attributesOf({ attributes = [] }: Message): Attributes {
	const found: Record<string, unknown> = {};
	for (const { key, value } of attributes) {
		if (key in found) throw new Error(`attribute ${key} occurs twice`);
		const [only, ...others] = Object.values(value);
		if (others.length > 0) throw new Error(`attribute ${key} has several values`);
		found[key] = typeof only === "bigint" ? Number(only) : only;
	}
	return found;
}

function describe({ spans, metrics, faults }: OtlpReceiver): string {
	return `${spans.length} spans (${spans.map(({ name }) => name).join(", ")}), ${metrics.length} metrics, faults ${faults.join("; ")}`;
}
