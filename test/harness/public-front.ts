// A service that programs reach at its public address, over TLS, as they would the real one.

import { once } from "node:events";
import { connect, createServer } from "node:net";
import { freePorts } from "./program.ts";
import { startTestService, type TestOptions, type TestService } from "./service.ts";

export interface FrontedService extends AsyncDisposable {
	readonly service: TestService;
	readonly publicUrl: string;
}

/** The public address must be known before the service has chosen its port. */
export async function startFrontedService(options: TestOptions = {}): Promise<FrontedService> {
	const [port = 0] = await freePorts(1);
	const publicUrl = `https://localhost:${port}`;
	const service = await startTestService({
		...options,
		env: { LATCHKEY_PUBLIC_URL: publicUrl, ...options.env },
	});
	const front = createServer((socket) => {
		const inner = connect(service.httpsPort, "127.0.0.1");
		socket.pipe(inner).pipe(socket);
		for (const end of [socket, inner]) end.on("error", () => [socket.destroy(), inner.destroy()]);
	}).listen(port, "localhost");
	await once(front, "listening");
	return {
		service,
		publicUrl,
		async [Symbol.asyncDispose]() {
			front.close();
			await service.stop();
		},
	};
}
