// The manifest that `scripts/build-pages.ts` writes: the built files, and the document of each path.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Beside `src/` in a checkout, beside `dist/` in the package. */
export const PAGES_OUTPUT = join(import.meta.dirname, "../../build/pages");

export type Encoding = "br" | "gzip";

export interface BuiltFile {
	readonly contentType: string;
	/** Size without compression; the compressed files are `<name>.br` and `<name>.gz`. */
	readonly bytes: number;
	/** Identifies the content. */
	readonly digest: string;
	/** Empty if compression does not save space. */
	readonly encodings: readonly Encoding[];
}

export interface PageManifest {
	/** Digest of the sources of the build. */
	readonly sources: string;
	/** Built by `npm run pages`: reloads itself. */
	readonly isDevelopment: boolean;
	/** Path (`{id}` is one segment) → HTML file. */
	readonly documents: Readonly<Record<string, string>>;
	/** HTML files and assets by name. */
	readonly files: Readonly<Record<string, BuiltFile>>;
}

/** Undefined when the pages are not built. */
export function readManifest(): PageManifest | undefined {
	const file = join(PAGES_OUTPUT, "manifest.json");
	return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}
