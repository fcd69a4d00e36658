// `npm run build`: compiles `src/` to `dist/`, or to the folder named: for the package, where Node strips no types, and
// for the image, which then starts in two thirds of the time. Copies what is not TypeScript beside it: the small pages.

import { execFileSync } from "node:child_process";
import { cpSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const OUTPUT = process.argv[2] ?? join(ROOT, "dist");
const COMPILER = join(ROOT, "node_modules/.bin/tsc");

rmSync(OUTPUT, { recursive: true, force: true });
try {
	execFileSync(COMPILER, ["--project", "tsconfig.build.json", "--outDir", OUTPUT], {
		cwd: ROOT,
		stdio: "inherit",
		// On Windows npm installs the compiler as a script.
		shell: process.platform === "win32",
	});
} catch {
	// The compiler has said why.
	process.exit(1);
}
cpSync(join(ROOT, "src"), OUTPUT, {
	recursive: true,
	filter: (path) => statSync(path).isDirectory() || !path.endsWith(".ts"),
});
