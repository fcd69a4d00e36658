// Gates in front of applications with the requests of Node.js: Express and Fastify.

import { BODY_MAX_BYTES } from "./bytes.ts";
import { type Caller, type Gate, type GatedRequest, tooLarge } from "./gate-decision.ts";

/** What the gate uses of a request of Node.js. */
export interface NodeRequest {
	readonly complete: boolean;
	readonly destroyed: boolean;
	readonly readableEnded: boolean;
	readonly readableLength: number;
	readonly headersDistinct: Readonly<Record<string, string[] | undefined>>;
	read(size?: number): Uint8Array | null;
	unshift(chunk: Uint8Array): void;
	on(event: string, listener: () => void): unknown;
	off(event: string, listener: () => void): unknown;
}

export interface ExpressRequest extends NodeRequest {
	readonly method: string;
	readonly originalUrl: string;
	readonly protocol: string;
	readonly ip?: string | undefined;
	caller?: Caller;
}

export interface ExpressResponse {
	status(code: number): { set(headers: Record<string, string>): { send(body: string): unknown } };
}

export interface FastifyRequest {
	readonly method: string;
	readonly originalUrl: string;
	readonly protocol: string;
	readonly ip: string;
	readonly raw: NodeRequest;
	caller?: Caller | null;
}

export interface FastifyReply {
	code(code: number): { headers(headers: Record<string, string>): { send(body: string): unknown } };
}

/**
 * Middleware for Express. Use it before any parser of bodies; they receive the body unchanged. It sets `request.caller`.
 * The IP address and the scheme are those of the setting `trust proxy`.
 */
export function expressGate(gate: Gate) {
	return async (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => {
		try {
			const decision = await decide(gate, request, request);
			if ("caller" in decision) request.caller = decision.caller;
			else
				return void response
					.status(decision.status)
					.set({ ...decision.headers })
					.send(decision.body);
		} catch (error) {
			return next(error);
		}
		next();
	};
}

/**
 * Plugin for Fastify: `app.register(fastifyGate, { gate })`. It covers every route of the instance, and sets
 * `request.caller`. The IP address and the scheme are those of the option `trustProxy`.
 */
export const fastifyGate = Object.assign(
	async (
		app: {
			hasRequestDecorator(name: string): boolean;
			decorateRequest(name: string, value: null): unknown;
			addHook(
				name: "onRequest",
				hook: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
			): unknown;
		},
		{ gate }: { gate: Gate },
	): Promise<void> => {
		if (!app.hasRequestDecorator("caller")) app.decorateRequest("caller", null);
		app.addHook("onRequest", async (request, reply) => {
			const decision = await decide(gate, request, request.raw);
			if ("caller" in decision) request.caller = decision.caller;
			else
				return reply
					.code(decision.status)
					.headers({ ...decision.headers })
					.send(decision.body);
			return undefined;
		});
	},
	// No separate scope: the hook is for the routes of the application.
	{ [Symbol.for("skip-override")]: true },
);

async function decide(
	gate: Gate,
	{ method, originalUrl, protocol, ip = "" }: ExpressRequest | FastifyRequest,
	raw: NodeRequest,
): ReturnType<Gate> {
	const body = await readBody(raw);
	if (body === undefined) return tooLarge();
	const scheme = protocol === "https" ? "https" : "http";
	// A repeated header becomes a value that is not a valid proof.
	const header: GatedRequest["header"] = (name) =>
		raw.headersDistinct[name]?.join(name === "cookie" ? "; " : ", ");
	return await gate({ method, target: originalUrl, scheme, ip, header, body });
}

/** The whole body, which is put back for the parsers that follow; undefined above 1 MiB. */
function readBody(request: NodeRequest): Promise<Uint8Array<ArrayBuffer> | undefined> {
	return new Promise((resolve, reject) => {
		if (request.readableEnded) throw new Error("use the gate before the parsers of bodies");
		if (request.destroyed) throw new Error("the client disconnected");
		const chunks: Uint8Array[] = [];
		let length = 0;
		const read = () => {
			// Reading an empty stream would end it for the parsers that follow.
			while (request.readableLength > 0) {
				const chunk = request.read() ?? new Uint8Array();
				chunks.push(chunk);
				length += chunk.length;
				if (length > BODY_MAX_BYTES) return settle(() => resolve(undefined));
			}
			if (!request.complete) return;
			const body = new Uint8Array(length);
			let offset = 0;
			for (const chunk of chunks) {
				body.set(chunk, offset);
				offset += chunk.length;
			}
			// In the same turn: the stream ends in the next one unless it contains something.
			if (length > 0) request.unshift(body);
			settle(() => resolve(body));
		};
		const fail = () => settle(() => reject(new Error("the client disconnected")));
		const settle = (result: () => void) => {
			request.off("readable", read);
			request.off("close", fail);
			request.off("error", fail);
			result();
		};
		if (request.complete) return read();
		// A first listener would end an empty body, unless something is reading already.
		request.read(0);
		request.on("readable", read);
		request.on("close", fail);
		request.on("error", fail);
	});
}
