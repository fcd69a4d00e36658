// `npm run release -- --dry-run` in a clean clone.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { createHash, generateKeyPairSync, verify } from "node:crypto";
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { lastingFolder } from "../harness/runs/folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const RELEASE = "scripts/release.ts";
const run = promisify(execFile);

function skipped(): false | string {
	for (const [program, ...args] of [
		["git", "-C", ROOT, "rev-parse", "HEAD"],
		["helm", "version"],
	] as const)
		try {
			execFileSync(program, args, { stdio: "ignore" });
		} catch (error) {
			if (process.env.CI !== undefined) throw error;
			return `no ${program}`;
		}
	return false;
}

describe("npm run release -- --dry-run", { skip: skipped() }, () => {
	const folder = lastingFolder();
	const clone = join(folder, "clone");
	const keys = generateKeyPairSync("ed25519");
	const keyFile = join(folder, "release.pem");
	const release = () =>
		run(process.execPath, [RELEASE, "--dry-run"], {
			cwd: clone,
			timeout: 600_000,
			env: { ...process.env, RELEASE_SIGNING_KEY_FILE: keyFile },
		});
	before(async () => {
		await run("git", ["clone", "--quiet", ROOT, clone]);
		symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
		writeFileSync(keyFile, keys.privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
	});

	test("builds and starts everything, names what is still to do, and does not tag", async () => {
		const { version } = JSON.parse(readFileSync(join(clone, "package.json"), "utf8"));
		appendFileSync(join(clone, "CHANGELOG.md"), "\n");
		const { stdout } = await release();
		assert.match(stdout, /^before the release: there are uncommitted changes$/m);
		assert.match(stdout, new RegExp(`^checked v${version}; release/ contains `, "m"));
		const sums = readFileSync(join(clone, "release/SHA256SUMS"), "utf8").trim().split("\n");
		assert.equal(sums.length, 6);
		const digests = new Map<string, string>();
		for (const line of sums) {
			const [sum = "", file = ""] = line.split("  ");
			const content = readFileSync(join(clone, "release", file));
			assert.equal(createHash("sha256").update(content).digest("hex"), sum, file);
			digests.set(file, sum);
		}
		assertSbom(JSON.parse(released(version, "cdx.json")));
		await assertProvenance(version, digests);
		const { stdout: tags } = await run("git", ["tag", "--list", `v${version}`], { cwd: clone });
		const { stdout: published } = await run("git", ["tag", "--list", `v${version}`], { cwd: ROOT });
		assert.equal(tags, published);
	});

	const released = (version: string, ending: string): string =>
		readFileSync(join(clone, `release/latchkey-${version}.${ending}`), "utf8");

	function assertSbom(sbom: ReturnType<typeof JSON.parse>): void {
		assert.deepEqual([sbom.bomFormat, sbom.specVersion >= "1.5"], ["CycloneDX", true]);
		const { dependencies } = JSON.parse(readFileSync(join(clone, "package.json"), "utf8"));
		assert.equal(sbom.metadata.component.name, "@latchkey/server");
		const named = new Set<string>(sbom.components.map(({ name }: { name: string }) => name));
		// pino is also a package of Fastify, which only tests need.
		for (const name of [...Object.keys(dependencies), "pino"]) assert.ok(named.has(name), name);
		for (const name of ["fastify", "esbuild"]) assert.ok(!named.has(name), name);
		const refs = new Set(sbom.dependencies.map(({ ref }: { ref: string }) => ref));
		assert.equal(refs.size, sbom.components.length + 1);
	}

	async function assertProvenance(version: string, digests: ReadonlyMap<string, string>): Promise<void> {
		const text = released(version, "provenance.json");
		const { _type, subject, predicateType, predicate } = JSON.parse(text);
		assert.deepEqual(
			[_type, predicateType],
			["https://in-toto.io/Statement/v1", "https://slsa.dev/provenance/v1"],
		);
		assert.equal(subject.length, 4);
		for (const { name, digest } of subject) assert.equal(digest.sha256, digests.get(name), name);
		const [source] = predicate.buildDefinition.resolvedDependencies;
		const { stdout: commit } = await run("git", ["rev-parse", "HEAD"], { cwd: clone });
		assert.deepEqual(source, {
			name: "source",
			digest: { gitCommit: commit.trim() },
			annotations: { uncommittedChanges: true },
		});
		const { payload, payloadType, signatures } = JSON.parse(released(version, "intoto.jsonl"));
		assert.equal(Buffer.from(payload, "base64").toString(), text);
		const signed = `DSSEv1 ${payloadType.length} ${payloadType} ${Buffer.byteLength(text)} ${text}`;
		const signature = Buffer.from(signatures[0].sig, "base64");
		assert.ok(verify(null, Buffer.from(signed), keys.publicKey, signature), "the signature");
		assert.ok(!verify(null, Buffer.from(`${signed} `), keys.publicKey, signature));
	}

	test("fails if files contradict each other", async () => {
		const chart = join(clone, "deploy/helm/latchkey/Chart.yaml");
		const before = readFileSync(chart, "utf8");
		writeFileSync(chart, before.replace(/^version: .*$/m, "version: 9.9.9"));
		await assert.rejects(release(), /Chart\.yaml contains version 9\.9\.9/);
		writeFileSync(chart, before);
	});
});
