// Opens the component gallery in a browser under the pages' content security policy, without a service.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContextOptions } from "playwright-core";
import { GALLERY } from "../../../pages/documents.ts";
import { bundlePages } from "../../../scripts/pages/bundle.ts";
import { documentHtml } from "../../../scripts/pages/html.ts";
import { staticPage } from "../../../src/http/serve/static-page.ts";
import { loadPages } from "../../../src/pages/pages.ts";
import type { WatchedPage } from "./browser.ts";
import { openBrowser } from "./shared-browser.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = { js: "text/javascript", css: "text/css" };

export interface Gallery extends AsyncDisposable {
	/** @param query described in the gallery */
	open(query?: string, options?: BrowserContextOptions): Promise<WatchedPage>;
}

export async function openGallery(): Promise<Gallery> {
	const { assets, documents } = await bundlePages([GALLERY], { isDevelopment: false });
	const files = documents.get(GALLERY.name);
	if (files === undefined) throw new Error("the gallery was not built");
	const html = staticPage(Buffer.from(documentHtml(GALLERY, files)), "text/html; charset=utf-8");
	const staticFiles = loadPages();
	const server = createServer((request, response) => {
		const { pathname } = new URL(request.url ?? "/", "http://gallery");
		const asset = assets.get(pathname.slice("/pages/".length));
		const file = pathname === "/" ? html : staticFiles.get(pathname);
		if (file !== undefined) response.writeHead(200, file.headers).end(file.body);
		else if (asset === undefined) response.writeHead(404).end();
		else
			response
				.writeHead(200, { "content-type": CONTENT_TYPES[pathname.split(".").at(-1) ?? ""] ?? "" })
				.end(asset);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const browser = await openBrowser("https://gallery.example", 9);
	return {
		async open(query = "", options) {
			const watched = await browser.open(options);
			await watched.page.goto(`${origin}/?${query}`);
			await watched.page.locator("#app > *").first().waitFor();
			return watched;
		},
		async [Symbol.asyncDispose]() {
			await browser[Symbol.asyncDispose]();
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
