// A Node of the machine that is too old for the program, in front of the one that npm installed.

import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";

/** Its path; undefined if there is none. */
export const olderNode = (process.env.PATH ?? "")
	.split(delimiter)
	.map((path) => join(path, "node"))
	.find((node) => {
		try {
			return Number(/^v(\d+)/.exec(execFileSync(node, ["--version"], { encoding: "utf8" }))?.[1]) < 24;
		} catch {
			return false;
		}
	});
