// Gates in front of applications with `Request` and `Response`: Hono, Next.js, Deno, Bun, and workers.

import { readBytes } from "./bytes.ts";
import { type Caller, type Gate, tooLarge } from "./gate-decision.ts";

/** Where a request comes from. `Request` does not contain it: read it from the connection, or from a header that only your proxy sets. */
export interface Origin {
	/** The IP address of the caller. */
	readonly ip: string;
	/** Default: that of the URL. */
	readonly scheme?: "http" | "https";
}

export interface HonoContext {
	req: { raw: Request };
	set(name: "caller", caller: Caller): void;
}

/** A handler that runs only if the gate lets the request pass. `request` has the same body; `rest` is what the framework passes. */
export function withGate<Rest extends unknown[]>(
	gate: Gate,
	originOf: (request: Request) => Origin,
	handler: (request: Request, caller: Caller, ...rest: Rest) => Response | Promise<Response>,
) {
	return async (request: Request, ...rest: Rest): Promise<Response> => {
		const decided = await decide(gate, request, originOf(request));
		return decided instanceof Response ? decided : await handler(decided.request, decided.caller, ...rest);
	};
}

/** Middleware for Hono. It sets `caller`, which handlers read with `c.get("caller")`. */
export function honoGate<Context extends HonoContext>(gate: Gate, originOf: (context: Context) => Origin) {
	return async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
		const decided = await decide(gate, context.req.raw, originOf(context));
		if (decided instanceof Response) return decided;
		context.req.raw = decided.request;
		context.set("caller", decided.caller);
		await next();
		return undefined;
	};
}

async function decide(
	gate: Gate,
	request: Request,
	{ ip, scheme }: Origin,
): Promise<Response | { readonly request: Request; readonly caller: Caller }> {
	const { url, method, headers, signal } = request;
	const { protocol, pathname, search } = new URL(url);
	const body = await readBytes(request.body).catch((error) => {
		if (error instanceof RangeError) return undefined;
		throw error;
	});
	const decision = body
		? await gate({
				method,
				target: pathname + search,
				scheme: scheme ?? (protocol === "https:" ? "https" : "http"),
				ip,
				header: (name) => headers.get(name),
				body,
			})
		: tooLarge();
	if (!("caller" in decision)) return new Response(decision.body, decision);
	const { caller } = decision;
	// The body has been read, so the handler gets a copy. `new Request(request)` throws for the proxy that Next.js passes.
	return {
		request: request.body && body ? new Request(url, { method, headers, signal, body }) : request,
		caller,
	};
}
