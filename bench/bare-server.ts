// The baseline for the service: node:http that returns the same bytes and does nothing else.

import { createHmac, createSecretKey, hash, timingSafeEqual } from "node:crypto";
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { generate } from "selfsigned";
import type { Credentials } from "./requests.ts";

/** Message of the parent; the reply is `{ port }`. */
export interface BareTask {
	/** The service's response to the scenario's request. */
	readonly response: {
		readonly status: number;
		readonly headers: Readonly<Record<string, string>>;
		readonly body: string;
	};
	/** `signature` verifies the signature, with nonces in memory; `body` only reads the body. */
	readonly work: "none" | "body" | "signature";
	readonly credentials?: Credentials;
	/** Serves over TLS, with a self-signed certificate like the service's. */
	readonly isSecure: boolean;
}

/** Nonces in each of two generations: a large Set would pause the server while it grows. */
const GENERATION = 65_536;

process.once("message", async (task: BareTask) => {
	const listener = listenerFor(task);
	const server = task.isSecure
		? createSecureServer(await ownCertificate(), listener)
		: http.createServer(listener);
	server.listen(0, "127.0.0.1", 1024, () => process.send?.({ port: (server.address() as AddressInfo).port }));
});
process.on("disconnect", () => process.exit(0));

async function ownCertificate(): Promise<ServerOptions> {
	const { cert, private: key } = await generate([{ name: "commonName", value: "bench" }], {
		keyType: "ec",
		curve: "P-256",
		algorithm: "sha256",
	});
	return { cert, key };
}

function listenerFor({ response: answer, work, credentials }: BareTask): RequestListener {
	const { status, headers, body } = answer;
	const reply = (response: ServerResponse): void => {
		response.writeHead(status, headers);
		response.end(body);
	};
	if (work === "none") return (_request, response) => reply(response);
	const isSigned = credentials === undefined ? () => true : signatureCheck(credentials);
	return (request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			if (isSigned(request, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
				reply(response);
			else response.writeHead(401, { "content-length": "0" }).end();
		});
	};
}

function signatureCheck(client: Credentials): (request: IncomingMessage, body: Buffer) => boolean {
	const key = createSecretKey(client.secret, "utf8");
	let young = new Set<string>();
	let old = new Set<string>();
	return ({ method, url, headers }, body) => {
		const nonce = String(headers["x-nonce"]);
		const timestamp = String(headers["x-timestamp"]);
		const lines = `V1-HMAC-SHA256\n${method}\n${url}\n${headers["x-tenant-id"]}\n${headers["x-app-id"]}\n${headers["x-api-key"]}\n${timestamp}\n${nonce}\n${hash("sha256", body, "hex")}`;
		const expected = createHmac("sha256", key).update(lines).digest();
		const given = Buffer.from(String(headers["x-signature"]), "hex");
		if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
		if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300 || young.has(nonce) || old.has(nonce))
			return false;
		if (young.size === GENERATION) [old, young] = [young, new Set()];
		young.add(nonce);
		return true;
	};
}
