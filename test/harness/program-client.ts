// Calls the real process over keep-alive connections; a broken connection is an error.

import http from "node:http";
import https from "node:https";
import type { ReadyProgram } from "./program.ts";
import { type Credentials, signedHeaders } from "./service.ts";

export interface ProgramResponse {
	readonly status: number;
	readonly headers: http.IncomingHttpHeaders;
	/** Parsed JSON; undefined if empty. */
	readonly body: ReturnType<typeof JSON.parse>;
}

export interface ProgramClient {
	call(
		method: string,
		path: string,
		options?: {
			readonly token?: string;
			readonly body?: unknown;
			readonly headers?: Readonly<Record<string, string>>;
		},
	): Promise<ProgramResponse>;
	/** Over TLS. */
	signed(
		credentials: Credentials,
		method: string,
		path: string,
		options?: { readonly body?: unknown; readonly nonce?: string },
	): Promise<ProgramResponse>;
	/** @returns the access token of the first admin */
	signIn(password: string): Promise<string>;
	/** Creates an API client of a new application. */
	addApiClient(token: string): Promise<Credentials>;
	close(): void;
}

export function createProgramClient(program: ReadyProgram): ProgramClient {
	const agents = {
		http: new http.Agent({ keepAlive: true }),
		https: new https.Agent({ keepAlive: true, rejectUnauthorized: false }),
	};
	const send = (
		url: string,
		method: string,
		headers: Readonly<Record<string, string>>,
		body: string | undefined,
	): Promise<ProgramResponse> =>
		new Promise((resolve, reject) => {
			const secure = url.startsWith("https:");
			const length =
				body === undefined
					? {}
					: { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
			const request = (secure ? https : http).request(url, {
				method,
				agent: secure ? agents.https : agents.http,
				headers: { ...length, ...headers },
			});
			request.on("error", reject);
			request.on("response", (response) => {
				let text = "";
				response.setEncoding("utf8").on("data", (chunk: string) => {
					text += chunk;
				});
				response.on("error", reject);
				response.on("end", () =>
					resolve({
						status: response.statusCode as number,
						headers: response.headers,
						body: text === "" ? undefined : JSON.parse(text),
					}),
				);
			});
			request.end(body);
		});
	const textOf = (body: unknown): string | undefined =>
		body === undefined ? undefined : JSON.stringify(body);

	const call: ProgramClient["call"] = (method, path, { token, body, headers = {} } = {}) => {
		const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
		return send(program.httpUrl + path, method, { ...bearer, ...headers }, textOf(body));
	};
	const made = async (token: string, path: string, body: object): Promise<ProgramResponse["body"]> => {
		const answer = await call("POST", path, { token, body });
		if (answer.status !== 201) throw new Error(`${path} returned ${answer.status}`);
		return answer.body.data;
	};
	return {
		call,
		signed(credentials, method, path, { body, nonce } = {}) {
			const text = textOf(body);
			const headers = signedHeaders(credentials, { method, path, body: text, nonce, nowMs: Date.now() });
			return send(program.httpsUrl + path, method, headers, text);
		},
		async signIn(password) {
			const answer = await call("POST", "/api/v1/auth/login", { body: { username: "admin", password } });
			if (answer.status !== 200) throw new Error(`sign-in returned ${answer.status}`);
			return answer.body.data.access_token;
		},
		async addApiClient(token) {
			const { id } = await made(token, "/api/v1/applications", { name: "Load" });
			return made(token, "/api/v1/api-clients", { app_id: id, name: "Load" });
		},
		close() {
			agents.http.destroy();
			agents.https.destroy();
		},
	};
}
