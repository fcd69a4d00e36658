// `npm run build`: compiles `src/` to `dist/`, where a package needs it (Node strips no types under node_modules), and
// copies what is not TypeScript beside it: the small pages.

import { spawnSync } from "node:child_process";
import { cpSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");

rmSync(DIST, { recursive: true, force: true });
const compiler = spawnSync("tsc", ["--project", "tsconfig.build.json"], {
	cwd: ROOT,
	stdio: "inherit",
	// On Windows npm installs the compiler as a script.
	shell: process.platform === "win32",
});
if (compiler.error !== undefined) throw compiler.error;
if (compiler.status !== 0) process.exit(1);
cpSync(join(ROOT, "src"), DIST, {
	recursive: true,
	filter: (path) => statSync(path).isDirectory() || !path.endsWith(".ts"),
});
