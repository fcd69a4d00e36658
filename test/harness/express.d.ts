// The part of Express that tests use; the package comes without types.

declare module "express" {
	import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";

	interface Request extends IncomingMessage {
		readonly body: unknown;
		readonly query: Readonly<Record<string, unknown>>;
	}
	interface Response extends ServerResponse {
		cookie(name: string, value: string, options: object): this;
		redirect(status: number, location: string): void;
		send(text: string): void;
		status(code: number): this;
		type(name: string): this;
	}
	type Handler = (request: Request, response: Response) => unknown;
	interface Application {
		get(path: string, handler: Handler): void;
		post(path: string, body: RequestListener, handler: Handler): void;
		listen(port: number, host: string): Server;
	}
	const express: { (): Application; text(options: { readonly type: string }): RequestListener };
	export default express;
}
