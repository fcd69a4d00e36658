// An ACME server (RFC 8555) for one test: it verifies each signature and nonce, validates challenges by a real request to
// the service, and signs what the order contains.

import { createHash, createPublicKey, randomBytes, verify, type webcrypto } from "node:crypto";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import { type AddressInfo, connect as connectPlain } from "node:net";
import { connect } from "node:tls";
import { type Authority, trustedAuthority } from "./authority.ts";

type Status = "pending" | "ready" | "processing" | "valid" | "invalid";

interface Order {
	readonly id: string;
	readonly account: string;
	readonly domain: string;
	readonly token: string;
	readonly thumbprint: string;
	status: Status;
	problem?: string;
	certificate?: string;
}

export interface AcmeServerOptions {
	/**
	 * Where the service responds to challenges: the ports of its listeners on 127.0.0.1. Undefined while it starts; the
	 * validation waits for it.
	 */
	readonly ports: () => { readonly http?: number; readonly https?: number } | undefined;
}

/** For the next requests. */
interface AcmeState {
	/** `hang`: never responds to a finalization. */
	mode: "normal" | "limited" | "hang";
	/** Of issued certificates. */
	lifetimeDays: number;
}

export interface AcmeServer {
	readonly directory: string;
	readonly authority: Authority;
	/** Of every order, oldest first. */
	readonly orders: readonly { readonly domain: string; readonly status: Status }[];
	/** Accounts by key: a second one for the same key would be a defect of the client. */
	readonly accounts: number;
	/** Signed requests that were refused because of their nonce. */
	readonly badNonces: number;
	readonly state: AcmeState;
	close(): Promise<void>;
}

/** A validation waits so long for a service that starts. */
const START_MS = 30_000;

/** Refuses the first nonce of all, as servers may at any time (RFC 8555, section 6.5). */
export async function startAcmeServer(options: AcmeServerOptions): Promise<AcmeServer> {
	const authority = await trustedAuthority();
	const nonces = new Set<string>();
	const accounts = new Map<string, { readonly jwk: webcrypto.JsonWebKey; readonly thumbprint: string }>();
	const orders = new Map<string, Order>();
	let badNonces = 0;
	const state: AcmeState = { mode: "normal", lifetimeDays: 90 };
	const { cert, key } = await authority.issue(["localhost", "127.0.0.1"]);
	const server = https.createServer({ cert, key }, (request, response) => {
		respond(request, response).catch((error: unknown) =>
			problem(response, 500, "serverInternal", String(error)),
		);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const origin = `https://localhost:${(server.address() as AddressInfo).port}`;

	function reply(
		response: ServerResponse,
		status: number,
		body: unknown,
		headers: http.OutgoingHttpHeaders = {},
	) {
		const nonce = randomBytes(16).toString("base64url");
		nonces.add(nonce);
		const text = typeof body === "string" ? body : JSON.stringify(body);
		const type = typeof body === "string" ? "application/pem-certificate-chain" : "application/json";
		response.writeHead(status, { "content-type": type, "replay-nonce": nonce, ...headers }).end(text);
	}
	function problem(response: ServerResponse, status: number, type: string, detail: string): void {
		reply(response, status, { type: `urn:ietf:params:acme:error:${type}`, detail, status });
	}

	async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const path = request.url ?? "";
		if (path === "/directory")
			return reply(response, 200, {
				newNonce: `${origin}/new-nonce`,
				newAccount: `${origin}/new-account`,
				newOrder: `${origin}/new-order`,
			});
		if (path === "/new-nonce") return reply(response, 200, "");
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const jws = JSON.parse(Buffer.concat(chunks).toString());
		const header = JSON.parse(Buffer.from(jws.protected, "base64url").toString());
		const isKnown = nonces.delete(header.nonce);
		if (!isKnown || badNonces === 0) {
			badNonces += 1;
			return problem(response, 400, "badNonce", "this nonce is not valid");
		}
		const known = accounts.get(header.kid);
		const jwk: webcrypto.JsonWebKey | undefined = header.jwk ?? known?.jwk;
		if (jwk === undefined) return problem(response, 400, "accountDoesNotExist", "no such account");
		const signed = Buffer.from(`${jws.protected}.${jws.payload}`);
		const publicKey = {
			key: createPublicKey({ key: jwk, format: "jwk" }),
			dsaEncoding: "ieee-p1363" as const,
		};
		if (
			header.url !== origin + path ||
			!verify("sha256", signed, publicKey, Buffer.from(jws.signature, "base64url"))
		)
			return problem(response, 401, "unauthorized", "the signature is wrong");
		if (state.mode === "limited")
			return problem(response, 403, "rateLimited", "too many certificates already issued");
		const payload = jws.payload === "" ? {} : JSON.parse(Buffer.from(jws.payload, "base64url").toString());
		if (path === "/new-account") return openAccount(jwk, response);
		if (path === "/new-order") return openOrder(header.kid, payload, response);
		const [, what, id = ""] = path.split("/");
		const order = orders.get(id);
		if (order === undefined || order.account !== header.kid)
			return problem(response, 404, "malformed", "no such order");
		if (what === "order") return reply(response, 200, orderBody(order));
		if (what === "authorization") return reply(response, 200, authorizationBody(order));
		if (what === "http" || what === "alpn") {
			if (jws.payload !== "") void validate(order, what);
			return reply(response, 200, challengeBody(order, what));
		}
		if (what === "finalize") return finalize(order, payload.csr, response);
		if (what === "certificate") return reply(response, 200, order.certificate ?? "");
		return problem(response, 404, "malformed", "no such resource");
	}

	function openAccount(jwk: webcrypto.JsonWebKey, response: ServerResponse): void {
		const { crv, kty, x, y } = jwk;
		const thumbprint = createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
		const known = [...accounts].find(([, account]) => account.thumbprint === thumbprint)?.[0];
		const location = known ?? `${origin}/account/${accounts.size + 1}`;
		accounts.set(location, { jwk, thumbprint });
		reply(response, known === undefined ? 201 : 200, { status: "valid" }, { location });
	}

	function openOrder(
		account: string,
		payload: { identifiers: { value: string }[] },
		response: ServerResponse,
	): void {
		const id = String(orders.size + 1);
		const order: Order = {
			id,
			account,
			domain: payload.identifiers[0]?.value ?? "",
			token: randomBytes(32).toString("base64url"),
			thumbprint: accounts.get(account)?.thumbprint ?? "",
			status: "pending",
		};
		orders.set(id, order);
		reply(response, 201, orderBody(order), { location: `${origin}/order/${id}` });
	}

	const orderBody = (order: Order) => ({
		status: order.status,
		identifiers: [{ type: "dns", value: order.domain }],
		authorizations: [`${origin}/authorization/${order.id}`],
		finalize: `${origin}/finalize/${order.id}`,
		...(order.certificate !== undefined && { certificate: `${origin}/certificate/${order.id}` }),
	});
	const challengeStatus = ({ status }: Order) =>
		status === "pending" || status === "invalid" ? status : "valid";
	const challengeBody = (order: Order, what: "http" | "alpn") => ({
		type: what === "http" ? "http-01" : "tls-alpn-01",
		url: `${origin}/${what}/${order.id}`,
		token: order.token,
		status: challengeStatus(order),
		...(order.problem !== undefined && {
			error: { type: "urn:ietf:params:acme:error:unauthorized", detail: order.problem },
		}),
	});
	const authorizationBody = (order: Order) => ({
		status: challengeStatus(order),
		identifier: { type: "dns", value: order.domain },
		challenges: [challengeBody(order, "http"), challengeBody(order, "alpn")],
	});

	async function startedPorts() {
		for (const deadline = performance.now() + START_MS; performance.now() < deadline; ) {
			const ports = options.ports();
			if (ports !== undefined) return ports;
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
		throw new Error(`the service has not started within ${START_MS} ms`);
	}

	async function validate(order: Order, what: "http" | "alpn"): Promise<void> {
		const expected = `${order.token}.${order.thumbprint}`;
		const { http: httpPort = 0, https: httpsPort = 0 } = await startedPorts();
		const check = what === "http" ? overHttp(order, httpPort) : overTls(order, httpsPort);
		const found = await check.catch((error: unknown) => String(error));
		const wanted = what === "http" ? expected : createHash("sha256").update(expected).digest("hex");
		if (found === wanted) order.status = "ready";
		else {
			order.status = "invalid";
			order.problem = `the response to the challenge was ${found.slice(0, 100)}`;
		}
	}

	function finalize(order: Order, csr: string, response: ServerResponse): void {
		if (state.mode === "hang") return;
		if (order.status === "ready") {
			order.certificate = authority.sign(Buffer.from(csr, "base64url"), order.domain, state.lifetimeDays);
			order.status = "valid";
			reply(response, 200, orderBody(order));
		} else problem(response, 403, "orderNotReady", "the order is not ready");
	}

	return {
		directory: `${origin}/directory`,
		authority,
		get orders() {
			return [...orders.values()];
		},
		get accounts() {
			return accounts.size;
		},
		get badNonces() {
			return badNonces;
		},
		state,
		close() {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}

/** The body of the response at the well-known path, as a server with this host name in DNS asks. */
function overHttp({ domain, token }: Order, port: number): Promise<string> {
	const path = `/.well-known/acme-challenge/${token}`;
	return new Promise((resolve, reject) => {
		http
			.get({ host: "127.0.0.1", port, path, headers: { host: domain }, timeout: 5_000 }, (response) => {
				let text = "";
				response.on("data", (chunk: Buffer) => {
					text += chunk.toString();
				});
				response.on("end", () =>
					resolve(response.statusCode === 200 ? text : `status ${response.statusCode}`),
				);
			})
			.on("error", reject);
	});
}

const ACME_IDENTIFIER = Buffer.from("06082b0601050507011f", "hex");

/** The digest in the certificate for the protocol `acme-tls/1`, in hex. */
function overTls({ domain }: Order, port: number): Promise<string> {
	return new Promise((resolve, reject) => {
		const socket = connect(
			{
				socket: connectPlain(port, "127.0.0.1"),
				servername: domain,
				ALPNProtocols: ["acme-tls/1"],
				rejectUnauthorized: false,
			},
			() => {
				const { raw } = socket.getPeerCertificate();
				const at = raw.indexOf(ACME_IDENTIFIER);
				// The extension ends with an OCTET STRING of 32 bytes within another: 04 22 04 20 and the digest.
				const value = raw.indexOf(Buffer.from("04220420", "hex"), at);
				const isChallenge = socket.alpnProtocol === "acme-tls/1" && at > 0 && value > 0;
				resolve(
					isChallenge ? raw.subarray(value + 4, value + 36).toString("hex") : "no challenge certificate",
				);
				socket.destroy();
			},
		);
		socket.on("error", reject);
	});
}
