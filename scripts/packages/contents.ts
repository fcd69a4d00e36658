// The files of each package for integrators.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Files, tarGz, zip } from "./archive.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string): Buffer => readFileSync(join(ROOT, path));

/** The package for npm. @param compiled the folder with its JavaScript and types */
export function npmPackage(compiled: string): Buffer {
	const names = readdirSync(compiled).sort();
	const files: [string, Buffer][] = [
		["package/package.json", published(read("packages/client/package.json"))],
		["package/README.md", read("packages/client/README.md")],
		["package/LICENSE", read("LICENSE")],
		...names.map((name): [string, Buffer] => [`package/dist/${name}`, readFileSync(join(compiled, name))]),
		["package/dist/require.cjs", read("packages/client/require.cjs")],
	];
	return tarGz(new Map(files));
}

/** Without the commands of the checkout. */
function published(packageJson: Buffer): Buffer {
	const { scripts: _, ...rest } = JSON.parse(packageJson.toString("utf8"));
	return Buffer.from(`${JSON.stringify(rest, null, "\t")}\n`);
}

/** The wheel for Python (PEP 427). */
export function pythonWheel(version: string): Buffer {
	const about = `latchkey-${version}.dist-info`;
	const names = readdirSync(join(ROOT, "packages/python/latchkey")).filter((name) => name !== "__pycache__");
	const readme = read("packages/python/README.md");
	const metadata = [
		"Metadata-Version: 2.1",
		"Name: latchkey",
		`Version: ${version}`,
		"Summary: Signed calls to Latchkey.",
		"License: Apache-2.0",
		"Requires-Python: >=3.9",
		"Description-Content-Type: text/markdown",
	];
	const files = new Map<string, Buffer>([
		...names
			.sort()
			.map((name): [string, Buffer] => [`latchkey/${name}`, read(`packages/python/latchkey/${name}`)]),
		[`${about}/METADATA`, Buffer.from(`${metadata.join("\n")}\n\n${readme}`)],
		[
			`${about}/WHEEL`,
			Buffer.from("Wheel-Version: 1.0\nGenerator: latchkey\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
		],
		[`${about}/LICENSE`, read("LICENSE")],
	]);
	const digest = (content: Buffer) => createHash("sha256").update(content).digest("base64url");
	const record = [...files].map(([path, content]) => `${path},sha256=${digest(content)},${content.length}\n`);
	files.set(`${about}/RECORD`, Buffer.from(`${record.join("")}${about}/RECORD,,\n`));
	return zip(files);
}

/** The module for Go, as a folder to unpack beside the program. */
export function goModule(): Buffer {
	const names = readdirSync(join(ROOT, "packages/go")).filter((name) => !name.endsWith("_test.go"));
	const files: Files = new Map([
		...names.sort().map((name): [string, Buffer] => [`latchkey-go/${name}`, read(`packages/go/${name}`)]),
		["latchkey-go/LICENSE", read("LICENSE")],
	]);
	return tarGz(files);
}
