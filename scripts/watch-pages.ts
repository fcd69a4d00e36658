// `npm run pages`: builds the pages after every change; open pages reload. Run `npm start` in another terminal.

import { watch } from "node:fs";
import { join } from "node:path";
import { buildPages } from "./build-pages.ts";

/** Editors save a file in several steps. */
const QUIET_MS = 50;
const PAGES = join(import.meta.dirname, "../pages");

let timer: NodeJS.Timeout | undefined;
let building = Promise.resolve();

async function build(): Promise<void> {
	const began = performance.now();
	try {
		await buildPages({ isDevelopment: true });
		console.log(`pages built (${((performance.now() - began) / 1_000).toFixed(1)} s)`);
	} catch (error) {
		// The bundler has printed the location; the next change triggers another build.
		console.error(`not built: ${(error as Error).message.split("\n")[0]}`);
	}
}

const watcher = watch(PAGES, { recursive: true }, () => {
	clearTimeout(timer);
	timer = setTimeout(() => {
		building = building.then(build);
	}, QUIET_MS);
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
	process.once(signal, () => {
		watcher.close();
		clearTimeout(timer);
		// The next `npm start` serves a release build.
		void building.then(() => buildPages({ isDevelopment: false }));
	});
await build();
console.log("watching pages/; npm start in another terminal serves them");
