// systemd accepts every line of the units and rates their exposure as low.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { DEPLOY, readDelivered, readEnvFile } from "./delivered.ts";

const run = promisify(execFile);
/** On a scale from 0 to 10; a service without any protection has 9.6. */
const EXPOSURE_MAX = 2;
const UNITS = ["latchkey.service", "latchkey-backup.service", "latchkey-backup.timer"];
const unit = readDelivered("systemd/latchkey.service");

/** The unit with the paths of this checkout. */
function inPlace(name: string): string {
	return readDelivered(`systemd/${name}`)
		.replaceAll("/usr/local/bin/latchkey", join(DEPLOY, "../bin/latchkey"))
		.replaceAll("/opt/latchkey", "/");
}

describe("the units", { skip: skippedWithout("systemd-analyze") }, () => {
	const folder = lastingFolder();
	before(() => {
		for (const name of UNITS) writeFileSync(join(folder, name), inPlace(name));
	});

	for (const name of UNITS)
		test(`${name} contains no unknown line`, async () => {
			const file = join(folder, name);
			const { stdout, stderr } = await run("systemd-analyze", ["verify", "--man=no", file]);
			const findings = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("latchkey"));
			assert.deepEqual(findings, []);
		});

	for (const name of UNITS.filter((each) => each.endsWith(".service")))
		test(`${name} has a low exposure`, async () => {
			const file = join(folder, name);
			const { stdout } = await run("systemd-analyze", ["security", "--offline=true", "--no-pager", file]);
			const exposure = Number(/Overall exposure level for \S+: ([0-9.]+)/.exec(stdout)?.[1]);
			assert.ok(exposure <= EXPOSURE_MAX, `exposure ${exposure}\n${stdout}`);
		});
});

test("the unit waits until the service has stopped", () => {
	const env = readEnvFile("systemd/latchkey.env.example", { commented: true });
	assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) > Number(env.LATCHKEY_DRAIN_SECONDS) + 10);
});
