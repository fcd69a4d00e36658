// Serves the rows of the map over HTTP and HTTPS: routes, mounts, and pages.

import { addRoutes, type RouteOptions } from "../run/add-routes.ts";
import { addMounts, type Mount } from "../run/mount.ts";
import { createPipeline, type PipelineOptions } from "../run/pipeline.ts";
import { Router } from "../run/router.ts";
import type { Connections } from "./connections.ts";
import { createListeners, type ListenerOptions, type Listeners, type Tls } from "./listeners.ts";
import { malformedMessage } from "./malformed.ts";
import { addPages, type Page } from "./page.ts";

interface ServerOptions extends PipelineOptions, RouteOptions {
	readonly mounts: readonly Mount[];
	readonly pages: readonly Page[];
	readonly connections: Connections;
	readonly tls: Tls;
	readonly challenge?: ListenerOptions["challenge"];
}

export interface HttpServer {
	readonly listeners: Listeners;
	/** From now on, every response asks the client to close the connection, because the listeners are about to close. */
	drain(): void;
}

export function createServer(options: ServerOptions): HttpServer {
	const router = new Router();
	addRoutes(router, options);
	addMounts(router, options);
	addPages(router, options.pages);
	const state = { draining: false };
	const listeners = createListeners(createPipeline(router, options, state), {
		tls: options.tls,
		challenge: options.challenge,
		connections: options.connections,
		// The path of such a request is unknown, so each response is described as if it were below that path.
		onMalformed: (status) => {
			const requestId = options.newRequestId();
			const code = status === 431 ? "request.too_large" : "request.malformed";
			const headers = options.describedRefusals?.headersOf(status, code, requestId);
			return { body: JSON.stringify({ error: malformedMessage(status) }), requestId, headers };
		},
		largeHeadsBelow: options.describedRefusals?.below,
	});
	return {
		listeners,
		drain: () => {
			state.draining = true;
		},
	};
}
