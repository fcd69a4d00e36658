// A webhook receiver: an HTTPS server whose certificate this process trusts.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { Webhook } from "standardwebhooks";
import { makeCertificate } from "../certificates/certificate.ts";

/** For `LATCHKEY_WEBHOOK_ALLOWED_NETWORKS`: the network of the test receivers. */
export const RECEIVER_NETWORK = "127.0.0.0/8";
const PATIENCE_MS = 30_000;

export interface ReceivedWebhook {
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

/** Responds to a delivery, or never does. `count` is its number, from 1. */
export type Responder = (response: ServerResponse, received: ReceivedWebhook, count: number) => void;

export interface WebhookReceiver extends AsyncDisposable {
	/** `https://127.0.0.1:<port>`. */
	readonly url: string;
	readonly port: number;
	/** PEM, for `NODE_EXTRA_CA_CERTS` of another process. */
	readonly certificate: string;
	readonly received: readonly ReceivedWebhook[];
	/** Sets the response; initially 204. */
	response(how: number | Responder): void;
	/** Waits up to 30 s for at least `count` deliveries. */
	atLeast(count: number): Promise<readonly ReceivedWebhook[]>;
	close(): Promise<void>;
}

let pair: ReturnType<typeof makeCertificate> | undefined;

export async function startWebhookReceiver(port = 0): Promise<WebhookReceiver> {
	const { cert, key } = await trustedCertificate();
	const received: ReceivedWebhook[] = [];
	const waiting = new Set<() => void>();
	let responder: Responder = statusOnly(204);
	const server = createServer({ cert, key }, (request, response) => {
		void readBody(request).then((body) => {
			const webhook = { path: request.url ?? "", headers: request.headers, body };
			received.push(webhook);
			for (const look of waiting) look();
			responder(response, webhook, received.length);
		});
	});
	await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
	// A test that fails before it closes its receiver must not keep the process running.
	server.unref();
	const opened = (server.address() as AddressInfo).port;
	const close = () => {
		server.closeAllConnections();
		return new Promise<void>((resolve) => server.close(() => resolve()));
	};
	return {
		url: `https://127.0.0.1:${opened}`,
		port: opened,
		certificate: cert,
		received,
		response(how) {
			responder = typeof how === "number" ? statusOnly(how) : how;
		},
		atLeast: (count) =>
			new Promise((resolve, reject) => {
				const timer = setTimeout(() => {
					waiting.delete(look);
					reject(new Error(`${received.length} of ${count} webhooks arrived`));
				}, PATIENCE_MS);
				const look = () => {
					if (received.length < count) return;
					clearTimeout(timer);
					waiting.delete(look);
					resolve(received);
				};
				waiting.add(look);
				look();
			}),
		close,
		[Symbol.asyncDispose]: close,
	};
}

/** Verifies the signature with an independent library, which requires a recent timestamp. @returns the payload */
export function verified({ headers, body }: ReceivedWebhook, secret: string): ReturnType<typeof JSON.parse> {
	return new Webhook(secret).verify(body, headers as Record<string, string>);
}

/** One certificate per process: of two with the same name, TLS finds only the first. */
function trustedCertificate(): ReturnType<typeof makeCertificate> {
	pair ??= makeCertificate("webhook receiver").then((made) => {
		setDefaultCACertificates([...getCACertificates("default"), made.cert]);
		return made;
	});
	return pair;
}

function statusOnly(status: number): Responder {
	return (response) => void response.writeHead(status).end();
}

async function readBody(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString("utf8");
}
