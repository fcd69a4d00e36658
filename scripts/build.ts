// `npm run build`: compiles `src/` to `dist/` and copies its other files. The package requires it, because Node.js
// does not strip types in node_modules; the image starts in two thirds of the time.

import { spawnSync } from "node:child_process";
import { cpSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const COMPILER = join(ROOT, "node_modules/.bin/tsc");

rmSync(DIST, { recursive: true, force: true });
const compiler = spawnSync(COMPILER, ["--project", "tsconfig.build.json"], {
	cwd: ROOT,
	stdio: "inherit",
	// npm installs the compiler as a script on Windows.
	shell: process.platform === "win32",
});
if (compiler.error !== undefined) throw compiler.error;
if (compiler.status !== 0) process.exit(1);
cpSync(join(ROOT, "src"), DIST, {
	recursive: true,
	filter: (path) => statSync(path).isDirectory() || !path.endsWith(".ts"),
});
