// Builds the pages before a checkout serves them, when its sources changed or nothing is built yet.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Log } from "../kernel/log.ts";
import { isCheckout, isOutputStale, PAGE_BUILDER } from "../pages/page-sources.ts";

/** In a separate process, so that the service does not load the bundler. A failed build is logged. */
export async function buildStalePages(log: Log): Promise<void> {
	if (!isCheckout() || !isOutputStale()) return;
	try {
		const { stderr } = await promisify(execFile)(process.execPath, [PAGE_BUILDER, "--if-stale"]);
		if (stderr !== "") log.warn({ error: stderr.trim() }, "the pages were not built");
	} catch (error) {
		log.warn({ error: String((error as { stderr?: string }).stderr ?? error) }, "the pages were not built");
	}
}
