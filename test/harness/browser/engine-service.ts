// A service with pages, and Firefox or WebKit in front of it.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { startTestService, type TestService } from "../service/service.ts";
import type { EngineName, EngineOptions } from "./engine-driver.ts";
import { type EnginePage, openEngine } from "./engine-page.ts";
import { ensurePages, PAGES_URL } from "./pages.ts";
import { forwardTo } from "./shared-browser.ts";

export interface EngineService extends AsyncDisposable {
	readonly service: TestService;
	/** Starts the browser with a profile of its own. */
	open(name: EngineName, preferences?: EngineOptions["preferences"]): Promise<EnginePage>;
}

export async function startEngineService(): Promise<EngineService> {
	ensurePages();
	const service = await startTestService({ env: { LATCHKEY_PUBLIC_URL: PAGES_URL } });
	const { server, sockets } = forwardTo(`${new URL(PAGES_URL).host}:443`, service.httpsPort);
	await once(server.listen(0, "127.0.0.1"), "listening");
	const { port } = server.address() as AddressInfo;
	return {
		service,
		open: (name, preferences = {}) => openEngine(name, { proxyPort: port, preferences }),
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await service.stop();
		},
	};
}
