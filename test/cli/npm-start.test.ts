import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { runCommand } from "../harness/processes/command.ts";
import { ownSettings } from "../harness/processes/program.ts";

/** Runs `npm start` in its own process group, so that all its processes can be stopped. */
async function npmStart(dataDir: string) {
	const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...(await ownSettings(dataDir)) };
	const npm = spawn("npm", ["start"], { env, detached: true, stdio: ["ignore", "pipe", "ignore"] });
	const ended = new Promise<void>((resolve) => npm.once("close", () => resolve()));
	await new Promise<void>((resolve, reject) => {
		let printed = "";
		npm.stdout.setEncoding("utf8").on("data", (chunk: string) => {
			printed += chunk;
			if (/^latchkey ready /m.test(printed)) resolve();
		});
		npm.once("close", () => reject(new Error(`ended before it was ready: ${printed}`)));
	});
	return { pid: npm.pid as number, env, ended };
}

describe("npm start", () => {
	for (const signal of ["SIGTERM", "SIGINT"] as const) {
		it(`stops the service too, not only itself, on ${signal}`, async () => {
			const folder = mkdtempSync(join(tmpdir(), "latchkey-npm-"));
			const { pid, env, ended } = await npmStart(folder);
			try {
				process.kill(pid, signal);
				// Standard output closes when the last process that holds it exits.
				await ended;
				const { code, stderr } = await runCommand(["migrate"], { env });
				assert.equal(code, 0, stderr);
			} finally {
				try {
					process.kill(-pid, "SIGKILL");
				} catch {
					// No process is left.
				}
				rmSync(folder, { recursive: true, force: true });
			}
		});
	}
});
