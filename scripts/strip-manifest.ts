// `prepack` and `postpack`: the package has no scripts and no tools of the checkout. Its `prepare` would need `scripts/`,
// which is not in the package, and fail when npm runs it there.

import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const MANIFEST = join(ROOT, "package.json");
const KEPT = join(ROOT, "build/package.json.unpacked");

/** A pack that was killed left the stripped one. */
if (existsSync(KEPT)) renameSync(KEPT, MANIFEST);
if (process.argv[2] !== "--restore") {
	const { scripts, devDependencies: _, ...manifest } = JSON.parse(readFileSync(MANIFEST, "utf8"));
	mkdirSync(dirname(KEPT), { recursive: true });
	copyFileSync(MANIFEST, KEPT);
	const packed = { ...manifest, scripts: { start: scripts.start } };
	writeFileSync(MANIFEST, `${JSON.stringify(packed, undefined, "\t")}\n`);
}
