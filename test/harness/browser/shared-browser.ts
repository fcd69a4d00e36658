// One Chromium for all test files of a process: a launch takes as much CPU time as a whole test.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { getTestContext } from "node:test";
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { launchChromium, openPage, type WatchedPage } from "./browser.ts";

/** The next test file reopens the browser well within this time; otherwise the process exits. */
const IDLE_MS = 1_000;

let browser: Promise<Browser> | undefined;
let users = 0;
let idle: NodeJS.Timeout | undefined;

export interface BrowserOfService extends AsyncDisposable {
	/** Opens a page in its own profile. It closes with the test, or the suite if a hook opens it. */
	open(options?: BrowserContextOptions): Promise<WatchedPage>;
}

/**
 * Opens pages that reach the service at `publicUrl`, even if other services use the same URL: each profile has the
 * proxy of its service. All other hosts except those of this machine are unreachable.
 */
export async function openBrowser(publicUrl: string, httpsPort: number): Promise<BrowserOfService> {
	const shared = await acquire();
	const { hostname } = new URL(publicUrl);
	const { server, sockets } = forwardTo(`${hostname}:443`, httpsPort);
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const proxy = {
		server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		bypass: "127.0.0.1,localhost",
	};
	const opened = new Set<BrowserContext>();
	return {
		async open(options = {}) {
			const watched = await openPage(shared, { ...options, proxy });
			const { context } = watched;
			opened.add(context);
			context.once("close", () => opened.delete(context));
			const test = getTestContext();
			if (test !== undefined && "after" in test) test.after(() => context.close());
			return watched;
		},
		async [Symbol.asyncDispose]() {
			await Promise.all([...opened].map((context) => context.close()));
			for (const socket of sockets) socket.destroy();
			server.close();
			release();
		},
	};
}

async function acquire(): Promise<Browser> {
	clearTimeout(idle);
	users++;
	browser ??= launchChromium();
	try {
		return await browser;
	} catch (error) {
		browser = undefined;
		users--;
		throw error;
	}
}

/** Closes the idle browser, which would keep the process running. */
function release(): void {
	users--;
	if (users > 0) return;
	idle = setTimeout(() => {
		const last = browser;
		browser = undefined;
		void last?.then((one) => one.close());
	}, IDLE_MS);
}

/** A proxy that only opens tunnels to one authority, and forwards them to a local port. */
export function forwardTo(authority: string, port: number): { server: Server; sockets: ReadonlySet<Socket> } {
	const sockets = new Set<Socket>();
	const track = (socket: Socket): void => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
	};
	const server = createServer((_request, response) => response.writeHead(502).end());
	server.on("connection", track);
	server.on("connect", (request, client: Socket, head: Buffer) => {
		if (request.url !== authority) {
			client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
			return;
		}
		const upstream = connect({ host: "127.0.0.1", port, noDelay: true });
		track(upstream);
		upstream.once("connect", () => {
			client.setNoDelay();
			client.write("HTTP/1.1 200 Connection established\r\n\r\n");
			upstream.write(head);
			client.pipe(upstream).pipe(client);
		});
		// A broken connection closes its counterpart, as without a proxy.
		client.on("error", () => upstream.destroy());
		upstream.on("error", () => client.destroy());
	});
	return { server, sockets };
}
