// Builds the packages for integrators into `build/packages/`, where the service finds them: npm package, Python wheel,
// and Go module, with their checksums.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { CHECKSUMS, PACKAGES_OUTPUT } from "../src/pages/packages.ts";
import { goModule, npmPackage, pythonWheel } from "./packages/contents.ts";
import { replaceFolder } from "./pages/write-output.ts";

const ROOT = join(import.meta.dirname, "..");

/** Replaces `build/packages/`. Concurrent builds each write a complete folder; the last one wins. */
export function buildPackages(): void {
	const { version } = packageJson;
	mkdirSync(dirname(PACKAGES_OUTPUT), { recursive: true });
	const compiled = mkdtempSync(`${PACKAGES_OUTPUT}-compiled-`);
	const folder = mkdtempSync(`${PACKAGES_OUTPUT}-`);
	// The service runs as a different user than the build.
	chmodSync(folder, 0o755);
	try {
		compileClient(compiled);
		const files = [
			[`latchkey-client-${version}.tgz`, npmPackage(compiled)],
			[`latchkey-${version}-py3-none-any.whl`, pythonWheel(version)],
			[`latchkey-go-${version}.tar.gz`, goModule()],
		] as const;
		for (const [name, content] of files) writeFileSync(join(folder, name), content);
		const digest = (content: Buffer) => createHash("sha256").update(content).digest("hex");
		const checksums = files.map(([name, content]) => `${digest(content)}  ${name}\n`);
		writeFileSync(join(folder, CHECKSUMS), checksums.join(""));
		replaceFolder(folder, PACKAGES_OUTPUT);
	} finally {
		rmSync(compiled, { recursive: true });
	}
}

/** Writes the JavaScript and the types of the package for npm. */
export function compileClient(folder: string): void {
	execFileSync(process.execPath, ["scripts/write-api-types.ts"], { cwd: ROOT, stdio: "inherit" });
	const compiler = join(ROOT, "node_modules/.bin/tsc");
	execFileSync(compiler, ["--project", "packages/client", "--outDir", folder], {
		cwd: ROOT,
		stdio: "inherit",
		// npm installs the compiler as a script on Windows.
		shell: process.platform === "win32",
	});
	copyFileSync(join(ROOT, "build/admin-api.d.ts"), join(folder, "admin-api.d.ts"));
}
