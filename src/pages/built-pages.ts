// Serves the built pages. Reads each file at its first request and keeps it in memory.

import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PageEncoding, PageFile, PageFiles } from "../http/serve/page-files.ts";
import { PAGES_OUTPUT, type PageManifest, readManifest } from "./page-manifest.ts";

const SUFFIXES = { br: ".br", gzip: ".gz" } as const;
const NOT_BUILT: PageManifest = { sources: "", isDevelopment: false, documents: {}, files: {} };

interface BuiltPages extends PageFiles {
	/** False: only paths that need no build are served. */
	readonly isBuilt: boolean;
}

/**
 * Memory is limited by the size of the build in the requested encodings. `isWatched` rereads a changed manifest, for
 * development in a checkout; new paths require a restart.
 */
export function loadBuiltPages({ isWatched }: { readonly isWatched: boolean }): BuiltPages {
	let manifest = readManifest() ?? NOT_BUILT;
	let readAtMs = manifest === NOT_BUILT ? 0 : changedAtMs();
	const bodies = new Map<string, Promise<Buffer>>();
	const isBuilt = manifest !== NOT_BUILT;
	const paths = Object.keys(manifest.documents);

	const refresh = (): void => {
		if (!isWatched || !isBuilt) return;
		const changed = changedAtMs();
		if (changed === readAtMs) return;
		readAtMs = changed;
		manifest = readManifest() ?? manifest;
		bodies.clear();
	};
	const find = async (name: string, accepted: readonly PageEncoding[]): Promise<PageFile | undefined> => {
		if (!Object.hasOwn(manifest.files, name)) return undefined;
		const file = manifest.files[name];
		if (file === undefined) return undefined;
		const encoding = accepted.find((one) => file.encodings.includes(one));
		const path = `${name}${encoding === undefined ? "" : SUFFIXES[encoding]}`;
		let body = bodies.get(path);
		if (body === undefined) {
			body = readFile(join(PAGES_OUTPUT, path));
			bodies.set(path, body);
			body.catch(() => bodies.delete(path));
		}
		return { body: await body, contentType: file.contentType, digest: file.digest, encoding };
	};
	return {
		isBuilt,
		paths,
		assetFolder: "/pages/",
		async findDocument(path, accepted) {
			refresh();
			return find(manifest.documents[path] ?? "", accepted);
		},
		async findAsset(name, accepted) {
			if (!Object.hasOwn(manifest.files, name)) refresh();
			// Documents are served under their paths only.
			return name.endsWith(".html") ? undefined : find(name, accepted);
		},
	};
}

/** 0 at the moment when a build replaces the folder. */
function changedAtMs(): number {
	return statSync(join(PAGES_OUTPUT, "manifest.json"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
