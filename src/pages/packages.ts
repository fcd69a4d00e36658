// The packages for integrators under `/docs/packages/`, with their checksums.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { escapeHtml, htmlDocument } from "../http/run/browser-page.ts";
import { type StaticPage, staticPage } from "../http/serve/static-page.ts";

/** Beside `src/` in a checkout, beside `dist/` in the package. */
export const PACKAGES_OUTPUT = join(import.meta.dirname, "../../build/packages");
const FOLDER = "/docs/packages/";
/** The format of `sha256sum`. */
export const CHECKSUMS = "SHA256SUMS";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
	tgz: "application/gzip",
	gz: "application/gzip",
	whl: "application/zip",
	[CHECKSUMS]: "text/plain; charset=utf-8",
};

/** Every file by URL path, and their list with checksums; empty if the packages are not built, as after an installation without esbuild. */
export function loadPackages(): Map<string, StaticPage> {
	const names = existsSync(PACKAGES_OUTPUT) ? readdirSync(PACKAGES_OUTPUT) : [];
	const pages = new Map(
		names.map((name) => {
			const type = CONTENT_TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
			return [`${FOLDER}${name}`, staticPage(readFileSync(join(PACKAGES_OUTPUT, name)), type)];
		}),
	);
	const checksums = pages.get(`${FOLDER}${CHECKSUMS}`);
	if (checksums !== undefined)
		pages.set(FOLDER, staticPage(Buffer.from(indexPage(String(checksums.body))), "text/html; charset=utf-8"));
	return pages;
}

/** @param checksums in the format of `sha256sum`. */
function indexPage(checksums: string): string {
	const rows = checksums
		.trim()
		.split("\n")
		.map((line) => line.split("  "))
		.map(([digest = "", name = ""]) => [escapeHtml(digest), escapeHtml(name)])
		.map(
			([digest, name]) =>
				`<tr><td><a href="${FOLDER}${name}">${name}</a></td><td><code>${digest}</code></td></tr>`,
		);
	const content = `<main class="prose"><h1>Packages</h1>
<p>For programs that call this service, or stand behind its gate: <a href="/docs/packages">how to install and use them</a>.</p>
<table><thead><tr><th>File</th><th>SHA-256</th></tr></thead><tbody>${rows.join("")}</tbody></table>
<p>In the format of <code>sha256sum</code>: <a href="${FOLDER}${CHECKSUMS}">${CHECKSUMS}</a></p></main>`;
	return htmlDocument({ title: "Packages", bodyClass: "wide", isIndexed: true }, content);
}
