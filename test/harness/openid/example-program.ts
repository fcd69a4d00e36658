// Runs the applications of the guides against the service that signs their users in.

import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

const TRIES = 200;
const PAUSE_MS = 100;

/** Waits until the application listens. */
export async function firstResponse(url: string, program: ChildProcess): Promise<Response> {
	let errors = "";
	program.stderr?.on("data", (chunk: Buffer) => {
		errors += chunk.toString();
	});
	for (let attempt = 0; attempt < TRIES && program.exitCode === null; attempt++) {
		try {
			return await fetch(url, { redirect: "manual" });
		} catch {
			await new Promise((done) => setTimeout(done, PAUSE_MS));
		}
	}
	throw new Error(`the application does not respond: ${errors}`);
}

export interface ProgramResponse {
	readonly status: number;
	readonly location: string;
	readonly text: string;
}

/** A browser of the application: keeps cookies and does not follow redirects. */
export class ProgramBrowser {
	readonly #cookies = new Map<string, string>();

	/** Does not use `fetch`, whose Sec-Fetch headers say that this is no navigation. */
	async go(url: string, method: "GET" | "POST" = "GET"): Promise<ProgramResponse> {
		const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
		const headers = { accept: "text/html", ...(cookie === "" ? {} : { cookie }) };
		const sent = request(url, { method, headers, agent: false }).end();
		const [response] = (await once(sent, "response")) as [IncomingMessage];
		for (const line of response.headers["set-cookie"] ?? []) {
			const [pair = ""] = line.split(";");
			const end = pair.indexOf("=");
			this.#cookies.set(pair.slice(0, end), pair.slice(end + 1));
		}
		const { statusCode: status = 0, headers: received } = response;
		return { status, location: received.location ?? "", text: await text(response) };
	}
}
