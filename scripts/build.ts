// `npm run build`: compiles `src/` and the packages that it imports to `dist/`, and copies the other files of `src/`. The
// package requires it, because Node.js does not strip types in node_modules; the image starts in two thirds of the time.

import { spawnSync } from "node:child_process";
import { cpSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
/** `outDir` of tsconfig.build.json: `src/` and `packages/`, side by side. */
const COMPILED = join(ROOT, "build/compiled");
const COMPILER = join(ROOT, "node_modules/.bin/tsc");

rmSync(DIST, { recursive: true, force: true });
rmSync(COMPILED, { recursive: true, force: true });
const compiler = spawnSync(COMPILER, ["--project", "tsconfig.build.json"], {
	cwd: ROOT,
	stdio: "inherit",
	// npm installs the compiler as a script on Windows.
	shell: process.platform === "win32",
});
if (compiler.error !== undefined) throw compiler.error;
if (compiler.status !== 0) process.exit(1);
renameSync(join(COMPILED, "src"), DIST);
renameSync(join(COMPILED, "packages"), join(DIST, "packages"));
rmSync(COMPILED, { recursive: true });
// Node reads `imports` from the nearest package.json: the one of a checkout names the sources.
const imports = {
	"#bcrypt-lanes": "./packages/bcrypt-lanes/src/index.js",
	"#demo": "./packages/demo/src/index.js",
};
writeFileSync(join(DIST, "package.json"), JSON.stringify({ type: "module", imports }));
cpSync(join(ROOT, "src"), DIST, {
	recursive: true,
	filter: (path) => statSync(path).isDirectory() || !path.endsWith(".ts"),
});
