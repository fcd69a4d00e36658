// Builds the pages into `build/pages/`, and the packages for integrators. `--if-stale` builds only if the sources changed.

import { createRequire } from "node:module";
import { DOCUMENTS, GALLERY } from "../pages/documents.ts";
import { isOutputStale, sourcesDigest } from "../src/pages/page-sources.ts";
import { buildPackages } from "./build-packages.ts";
import { documentHtml } from "./pages/html.ts";

/** `isDevelopment`: not minified, compressed fast, and reloaded in the browser after a change. */
export async function buildPages({ isDevelopment }: { readonly isDevelopment: boolean }): Promise<void> {
	const [{ bundlePages }, { writeOutput }] = await Promise.all([
		import("./pages/bundle.ts"),
		import("./pages/write-output.ts"),
	]);
	const sources = sourcesDigest();
	const built = isDevelopment ? [...DOCUMENTS, GALLERY] : DOCUMENTS;
	const { assets, documents } = await bundlePages(built, { isDevelopment });
	const contents = new Map(assets);
	for (const document of built) {
		const files = documents.get(document.name);
		if (files === undefined) throw new Error(`no assets for ${document.name}`);
		contents.set(`${document.name}.html`, Buffer.from(documentHtml(document, files)));
	}
	await writeOutput(contents, {
		sources,
		isDevelopment,
		documents: Object.fromEntries(
			built.flatMap(({ name, paths }) => paths.map((path) => [path, `${name}.html`])),
		),
	});
}

/** `npm ci --omit=dev` does not install the bundler. */
function hasBundler(): boolean {
	try {
		createRequire(import.meta.url).resolve("esbuild");
		return true;
	} catch {
		return false;
	}
}

if (import.meta.main) {
	const began = performance.now();
	if (!hasBundler())
		console.error(
			"the pages were not built: esbuild is a development dependency. Run npm ci without --omit=dev (you can run npm prune --omit=dev afterwards), or install the package",
		);
	else if (!process.argv.includes("--if-stale") || isOutputStale()) {
		await buildPages({ isDevelopment: false });
		buildPackages();
		console.log(`pages and packages built (${((performance.now() - began) / 1_000).toFixed(1)} s)`);
	}
}
