// A service that clients reach over TLS at its public URL.

import { once } from "node:events";
import { connect, createServer } from "node:net";
import { freePorts } from "../processes/program.ts";
import { startTestService, type TestOptions, type TestService } from "./service.ts";

export interface FrontedService extends AsyncDisposable {
	readonly service: TestService;
	readonly publicUrl: string;
}

/** Forwards a port that is known before the service has chosen its own. */
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
