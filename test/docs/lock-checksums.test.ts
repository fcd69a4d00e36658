// The checksums of locked packages: `npm run lock` adds missing ones, `npm run checksums` refuses their absence.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../harness/runs/folder.ts";

const run = promisify(execFile);
const INTEGRITY = `sha512-${"A".repeat(86)}==`;
const check = (file: string) => run(process.execPath, ["scripts/check-checksums.ts", file]);

function writeLock(folder: string, packages: object): string {
	const file = join(folder, "package-lock.json");
	writeFileSync(file, JSON.stringify({ packages: { "": { name: "x" }, ...packages } }));
	return file;
}

describe("npm run checksums", () => {
	it("accepts a lock file with a SHA-512 checksum for each package", async () => {
		using folder = temporaryFolder();
		await check(writeLock(folder.path, { "node_modules/a": { version: "1.0.0", integrity: INTEGRITY } }));
	});

	for (const [name, integrity] of Object.entries({
		missing: undefined,
		empty: "",
		weak: "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
	}))
		it(`refuses a package whose checksum is ${name}, even inside another package`, async () => {
			using folder = temporaryFolder();
			const file = writeLock(folder.path, {
				"node_modules/a": { version: "1.0.0", integrity: INTEGRITY },
				"node_modules/a/node_modules/@scope/b": { version: "2.0.0", integrity },
			});
			await assert.rejects(check(file), ({ code, stdout }) => {
				assert.match(stdout, /^@scope\/b@2\.0\.0 has no checksum/);
				return code === 1;
			});
		});
});

describe("npm run lock", () => {
	it("asks the registry for missing checksums, and keeps entries that it does not have", async () => {
		using folder = temporaryFolder();
		const asked: string[] = [];
		const registry = createServer((request, response) => {
			asked.push(request.url ?? "");
			const name = "native-linux-x64";
			const found = { name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": versionOf(name) } };
			if (request.url === `/${name}`) response.end(JSON.stringify(found));
			else response.writeHead(404).end("{}");
		}).listen(0, "127.0.0.1");
		await once(registry, "listening");
		try {
			const file = writeLock(folder.path, {
				"node_modules/native": {
					version: "1.0.0",
					integrity: INTEGRITY,
					optionalDependencies: { "native-linux-x64": "1.0.0", "native-darwin-x64": "1.0.0" },
				},
			});
			const { port } = registry.address() as AddressInfo;
			await run(process.execPath, ["scripts/complete-lock.ts", file], {
				env: {
					...process.env,
					npm_config_registry: `http://127.0.0.1:${port}/`,
					npm_config_cache: join(folder.path, "cache"),
				},
			});
			const { packages } = JSON.parse(readFileSync(file, "utf8"));
			assert.equal(packages["node_modules/native-linux-x64"].integrity, INTEGRITY);
			assert.equal(packages["node_modules/native-darwin-x64"].integrity, undefined);
			assert.deepEqual([...new Set(asked)].sort(), ["/native-darwin-x64", "/native-linux-x64"]);
		} finally {
			registry.close();
		}
	});
});

function versionOf(name: string): object {
	return { name, version: "1.0.0", dist: { integrity: INTEGRITY, tarball: "" } };
}
