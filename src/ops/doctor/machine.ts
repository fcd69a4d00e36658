// Checks the machine: the version of Node and free disk space.

import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Config } from "../../config/config.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const NODE_MAJOR_MIN = 24;
const MEGABYTE = 1_000_000;
const LITTLE_MEGABYTES = 1_000;
const TOO_LITTLE_MEGABYTES = 100;

export function examineMachine(config: Config): Finding[] {
	return [examineNode(process.versions.node), examineSpace(config.dataDir)];
}

/** @param version in the form of `process.versions.node`. */
export function examineNode(version: string): Finding {
	if (Number.parseInt(version, 10) >= NODE_MAJOR_MIN) return ok("node", `v${version}`);
	return fail(
		"node",
		`v${version} is too old: ${NODE_MAJOR_MIN} or later is needed; npm start brings its own`,
	);
}

function examineSpace(dataDir: string): Finding {
	const folder = nearestFolder(dataDir);
	const { bavail, bsize } = statfsSync(folder);
	return decideSpace(Math.floor((bavail * bsize) / MEGABYTE), folder);
}

export function decideSpace(megabytes: number, folder: string): Finding {
	const text = `${megabytes} MB free at ${folder}`;
	if (megabytes < TOO_LITTLE_MEGABYTES)
		return fail("disk", `${text}: writes will soon be refused, make room`);
	if (megabytes < LITTLE_MEGABYTES) return warn("disk", `${text}: make room`);
	return ok("disk", text);
}

function nearestFolder(path: string): string {
	const parent = dirname(path);
	return existsSync(path) || parent === path ? path : nearestFolder(parent);
}
