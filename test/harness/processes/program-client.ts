// Calls the real process over keep-alive connections; a broken connection is an error.

import { type CallOptions, type CallResponse, createCalls } from "../service/calls.ts";
import { type Credentials, signedHeaders } from "../service/service.ts";
import type { ReadyProgram } from "./program.ts";

/** The body is parsed JSON; undefined if empty. */
export type ProgramResponse = CallResponse<ReturnType<typeof JSON.parse>>;

export interface ProgramClient {
	call(method: string, path: string, options?: CallOptions): Promise<ProgramResponse>;
	/** Over TLS. */
	signed(
		credentials: Credentials,
		method: string,
		path: string,
		options?: { readonly body?: unknown; readonly nonce?: string; readonly timestamp?: string },
	): Promise<ProgramResponse>;
	/** @returns the access token of the first admin */
	signIn(password: string): Promise<string>;
	/** Creates an API client of a new application. */
	addApiClient(token: string): Promise<Credentials>;
	close(): void;
}

export function createProgramClient({ httpUrl, httpsUrl }: ReadyProgram): ProgramClient {
	const portOf = (url: string): number => (url === "" ? 0 : Number(new URL(url).port));
	const { call: send, close } = createCalls({ http: portOf(httpUrl), https: portOf(httpsUrl) });
	const call: ProgramClient["call"] = (method, path, options) =>
		send<ProgramResponse["body"]>(method, path, options);
	const create = async (token: string, path: string, body: object): Promise<ProgramResponse["body"]> => {
		const response = await call("POST", path, { token, body });
		if (response.status !== 201) throw new Error(`${path} returned ${response.status}`);
		return response.body.data;
	};
	return {
		call,
		signed(credentials, method, path, { body, nonce, timestamp } = {}) {
			const text = body === undefined ? undefined : JSON.stringify(body);
			const signature = { method, path, body: text, nonce, timestamp, nowMs: Date.now() };
			const headers = signedHeaders(credentials, signature);
			return call(method, path, { body: text, headers, https: true });
		},
		async signIn(password) {
			const response = await call("POST", "/api/v1/auth/login", { body: { username: "admin", password } });
			if (response.status !== 200) throw new Error(`sign-in returned ${response.status}`);
			return response.body.data.access_token;
		},
		async addApiClient(token) {
			const { id } = await create(token, "/api/v1/applications", { name: "Load" });
			return create(token, "/api/v1/api-clients", { app_id: id, name: "Load" });
		},
		close,
	};
}
