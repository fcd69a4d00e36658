// Bundles the pages with esbuild: one script, one stylesheet and lazy chunks per document.

import { join, relative } from "node:path";
import { type BuildOptions, build, type Metafile } from "esbuild";
import type { PageDocument } from "../../pages/documents.ts";
import { FONT_PATH } from "../../src/pages/guide-names.ts";
import { BROWSERS } from "./browsers.ts";
import { modulesOf } from "./document-modules.ts";
import { documentParts } from "./document-parts.ts";
import { guideCode } from "./guide-code.ts";

export const ROOT = join(import.meta.dirname, "../..");
export const PAGES = join(ROOT, "pages");
const ENTRY_OUTPUT = "assets";

export interface Bundle {
	/** Asset name → content. */
	readonly assets: ReadonlyMap<string, Uint8Array>;
	/** By name of the document. */
	readonly documents: ReadonlyMap<string, DocumentAssets>;
}

/** Names of assets. */
export interface DocumentAssets {
	readonly script: string;
	/** Static imports of the script. */
	readonly preloads: readonly string[];
	readonly stylesheet: string;
	/** Whether the stylesheet uses the font. */
	readonly usesFont: boolean;
}

export async function bundlePages(
	documents: readonly PageDocument[],
	options: { readonly isDevelopment: boolean },
): Promise<Bundle> {
	const bundled = await Promise.all(documents.map((document) => bundleDocument(document, options)));
	return {
		assets: new Map(bundled.flatMap(({ assets }) => [...assets])),
		documents: new Map(bundled.map(({ names }, index) => [documents[index]?.name ?? "", names])),
	};
}

async function bundleDocument(
	{ name, entry }: PageDocument,
	{ isDevelopment }: { readonly isDevelopment: boolean },
): Promise<{ readonly assets: Bundle["assets"]; readonly names: DocumentAssets }> {
	const source = `pages/${entry}`;
	const common = {
		absWorkingDir: ROOT,
		outdir: ENTRY_OUTPUT,
		bundle: true,
		write: false,
		metafile: true,
		minify: !isDevelopment,
		target: BROWSERS,
		logLevel: "warning",
		charset: "utf8",
		legalComments: "none",
		entryNames: `${name}-[hash]`,
	} satisfies BuildOptions;
	const scriptOptions = {
		...common,
		entryPoints: [source],
		chunkNames: "part-[hash]",
		format: "esm",
		splitting: true,
		jsx: "automatic",
		jsxImportSource: "preact",
		define: { DEVELOPMENT: String(isDevelopment) },
		loader: { ".css": "empty" },
		// Imports modules without side effects to combine them in one chunk.
		logOverride: { "ignored-bare-import": "silent" },
	} satisfies BuildOptions;
	const found = await build({ ...scriptOptions, plugins: [guideCode] });
	const modules = modulesOf(found.metafile, source, ROOT);
	const scripts = await build({
		...scriptOptions,
		plugins: [guideCode, documentParts(modules, source, ROOT)],
	});
	const sheet = await build({
		...common,
		// The service serves the font from its own files.
		external: [FONT_PATH],
		stdin: {
			contents: modules.styles
				.map((file) => `@import ${JSON.stringify(`./${relative("pages", file)}`)};`)
				.join("\n"),
			loader: "css",
			resolveDir: PAGES,
			sourcefile: `${name}.css`,
		},
	});
	const outputs = [...scripts.outputFiles, ...sheet.outputFiles];
	const [script, preloads] = scriptsOf(scripts.metafile, source);
	const [stylesheet = ""] = Object.keys(sheet.metafile.outputs);
	return {
		assets: new Map(outputs.map(({ path, contents }) => [nameOf(relative(ROOT, path)), contents])),
		names: {
			script,
			preloads,
			stylesheet: nameOf(stylesheet),
			usesFont: sheet.outputFiles.some(({ text }) => text.includes(FONT_PATH)),
		},
	};
}

function scriptsOf({ outputs }: Metafile, entry: string): [script: string, preloads: string[]] {
	const script = Object.keys(outputs).find((file) => outputs[file]?.entryPoint === entry);
	if (script === undefined) throw new Error(`pages/documents.ts: nothing was built from ${entry}`);
	const seen = new Set<string>();
	const visit = (file: string): void => {
		for (const { path, kind } of outputs[file]?.imports ?? [])
			if (kind === "import-statement" && !seen.has(path)) {
				seen.add(path);
				visit(path);
			}
	};
	visit(script);
	return [nameOf(script), [...seen].map(nameOf)];
}

function nameOf(output: string): string {
	return relative(ENTRY_OUTPUT, output);
}
