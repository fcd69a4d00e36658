// Sends an HTTPS request to the service of a tour, which has a self-signed certificate.

import https from "node:https";

export interface Exchanged {
	readonly status: number;
	readonly text: string;
	/** Values of `Set-Cookie`. */
	readonly cookies: readonly string[];
}

/** Times out after 10 s. `body` is JSON text. */
export function exchange(
	url: string,
	method: string,
	token: string | undefined,
	body: string | undefined,
	more: Readonly<Record<string, string>> = {},
): Promise<Exchanged> {
	return new Promise((resolve, reject) => {
		const headers = {
			...more,
			...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
			...(body === undefined
				? {}
				: { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
		};
		const signal = AbortSignal.timeout(10_000);
		const options = { method, headers, rejectUnauthorized: false, agent: false, signal };
		const request = https.request(url, options, (response) => {
			let text = "";
			response.setEncoding("utf8");
			response.on("data", (chunk: string) => {
				text += chunk;
			});
			response.on("error", reject);
			response.on("end", () => {
				const { statusCode: status = 0, headers } = response;
				resolve({ status, text, cookies: headers["set-cookie"] ?? [] });
			});
		});
		request.on("error", reject);
		request.end(body);
	});
}
