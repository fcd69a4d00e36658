// The systemd unit: systemd understands every line of it, and finds little to expose.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../harness/folder.ts";
import { skippedWithout } from "../harness/server-process.ts";
import { readDelivered, readEnvFile } from "./delivered.ts";

const run = promisify(execFile);
/** Of 10, where 0 exposes nothing; a service without any protection has 9.6. */
const EXPOSURE_MAX = 2;
const unit = readDelivered("systemd/latchkey.service");

describe("latchkey.service", { skip: skippedWithout("systemd-analyze") }, () => {
	/** The program is not where it will be installed. */
	const inPlace = unit
		.replace("/opt/latchkey/node_modules/.bin/node", process.execPath)
		.replaceAll("/opt/latchkey", "/");

	test("has no line systemd does not know", async () => {
		using folder = temporaryFolder();
		const file = join(folder.path, "latchkey.service");
		writeFileSync(file, inPlace);
		const { stdout, stderr } = await run("systemd-analyze", ["verify", "--man=no", file]);
		const ours = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("latchkey.service"));
		assert.deepEqual(ours, []);
	});

	test("exposes little", async () => {
		using folder = temporaryFolder();
		const file = join(folder.path, "latchkey.service");
		writeFileSync(file, inPlace);
		const { stdout } = await run("systemd-analyze", ["security", "--offline=true", "--no-pager", file]);
		const exposure = Number(/Overall exposure level for \S+: ([0-9.]+)/.exec(stdout)?.[1]);
		assert.ok(exposure <= EXPOSURE_MAX, `exposure ${exposure}\n${stdout}`);
	});
});

test("the unit gives the service the time it takes to stop", () => {
	const env = readEnvFile("systemd/latchkey.env.example", { commented: true });
	assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > Number(env.LATCHKEY_DRAIN_SECONDS) + 10);
});
