// The packages for integrators under `/docs/packages/`, with their checksums.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type StaticPage, staticPage } from "../http/static-page.ts";

/** Beside `src/` in a checkout, beside `dist/` in the package. */
export const PACKAGES_OUTPUT = join(import.meta.dirname, "../../build/packages");
/** The format of `sha256sum`. */
export const CHECKSUMS = "SHA256SUMS";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
	tgz: "application/gzip",
	gz: "application/gzip",
	whl: "application/zip",
	[CHECKSUMS]: "text/plain; charset=utf-8",
};

/** Every file by URL path; empty if the packages are not built, as after an installation without esbuild. */
export function loadPackages(): Map<string, StaticPage> {
	const names = existsSync(PACKAGES_OUTPUT) ? readdirSync(PACKAGES_OUTPUT) : [];
	return new Map(
		names.map((name) => {
			const type = CONTENT_TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
			return [`/docs/packages/${name}`, staticPage(readFileSync(join(PACKAGES_OUTPUT, name)), type)];
		}),
	);
}
