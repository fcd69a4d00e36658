// The part of Express that tests use; the package comes without types.

declare module "express" {
	import type { IncomingMessage, Server, ServerResponse } from "node:http";

	export interface Request extends IncomingMessage {
		readonly method: string;
		readonly originalUrl: string;
		readonly protocol: string;
		readonly ip: string | undefined;
		readonly body: unknown;
		readonly query: Readonly<Record<string, unknown>>;
	}
	export interface Response extends ServerResponse {
		cookie(name: string, value: string, options: object): this;
		json(value: unknown): void;
		redirect(status: number, location: string): void;
		send(body: unknown): void;
		set(headers: Record<string, string>): this;
		status(code: number): this;
		type(name: string): this;
	}
	type Next = (error?: unknown) => void;
	export type Handler = (request: Request, response: Response, next: Next) => unknown;
	export type ErrorHandler = (error: Error, request: Request, response: Response, next: Next) => unknown;
	interface Application {
		all(path: string, handler: Handler): void;
		get(path: string, handler: Handler): void;
		post(path: string, ...handlers: Handler[]): void;
		set(name: string, value: unknown): void;
		use(...handlers: (Handler | ErrorHandler)[]): void;
		listen(port: number, host: string): Server;
	}
	const express: {
		(): Application;
		json(): Handler;
		text(options: { readonly type: string; readonly limit?: number }): Handler;
		urlencoded(): Handler;
	};
	export default express;
}
