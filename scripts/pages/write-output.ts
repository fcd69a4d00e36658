// Writes the built pages, their compressed variants and a manifest to a new folder, which then replaces the old one.

import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, crc32, gzip, constants as zlib } from "node:zlib";
import {
	type BuiltFile,
	type Encoding,
	PAGES_OUTPUT,
	type PageManifest,
} from "../../src/pages/page-manifest.ts";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
	html: "text/html; charset=utf-8",
	js: "text/javascript; charset=utf-8",
	css: "text/css; charset=utf-8",
};
/** Compressing smaller files saves no packet. */
const COMPRESSED_MIN_BYTES = 512;
const SUFFIXES = { br: "br", gzip: "gz" } as const satisfies Record<Encoding, string>;

const compressors: Record<Encoding, (content: Uint8Array, isFast: boolean) => Promise<Buffer>> = {
	br: (content, isFast) =>
		promisify<Uint8Array, object, Buffer>(brotliCompress)(content, {
			params: { [zlib.BROTLI_PARAM_QUALITY]: isFast ? 4 : 11, [zlib.BROTLI_PARAM_SIZE_HINT]: content.length },
		}),
	gzip: (content, isFast) => promisify<Uint8Array, object, Buffer>(gzip)(content, { level: isFast ? 4 : 9 }),
};

/** Replaces `build/pages/`. Concurrent builds each write a complete folder; the last one wins. */
export async function writeOutput(
	contents: ReadonlyMap<string, Uint8Array>,
	about: Omit<PageManifest, "files">,
): Promise<PageManifest> {
	mkdirSync(dirname(PAGES_OUTPUT), { recursive: true });
	const folder = mkdtempSync(`${PAGES_OUTPUT}-`);
	// The service runs as a different user than the build.
	chmodSync(folder, 0o755);
	const files = await Promise.all(
		[...contents].map(
			async ([name, content]) =>
				[name, await writeFile(join(folder, name), content, about.isDevelopment)] as const,
		),
	);
	const manifest: PageManifest = { ...about, files: Object.fromEntries(files) };
	writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, "\t")}\n`);
	replaceFolder(folder, PAGES_OUTPUT);
	return manifest;
}

async function writeFile(path: string, content: Uint8Array, isFast: boolean): Promise<BuiltFile> {
	writeFileSync(path, content);
	const encodings: Encoding[] = [];
	if (content.length >= COMPRESSED_MIN_BYTES)
		for (const encoding of ["br", "gzip"] as const) {
			writeFileSync(`${path}.${SUFFIXES[encoding]}`, await compressors[encoding](content, isFast));
			encodings.push(encoding);
		}
	const contentType = CONTENT_TYPES[path.slice(path.lastIndexOf(".") + 1)];
	if (contentType === undefined) throw new Error(`no content type for ${path}`);
	const digest = `${content.length.toString(16)}-${crc32(content).toString(16)}`;
	return { contentType, bytes: content.length, digest, encodings };
}

/** Moves the old folder aside first, because a folder cannot be renamed over another one. */
export function replaceFolder(from: string, to: string): void {
	const aside = `${from}-old`;
	try {
		renameSync(to, aside);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
	}
	try {
		renameSync(from, to);
	} catch (error) {
		// A concurrent build has replaced the folder; its output is equivalent.
		if (!["ENOTEMPTY", "EEXIST", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
		rmSync(from, { recursive: true });
	}
	rmSync(aside, { recursive: true, force: true });
}
