// Parses a YAML document without keeping the event loop busy.

import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { Semaphore } from "./semaphore.ts";
import { parseYaml, type YamlDocument, type YamlProblem } from "./yaml-document.ts";

/** In characters: a longer document takes longer than the start of a thread. */
const LONG = 16_384;
/** Ten times what a document of 1 MiB needs. */
const LIMITS = { maxOldGenerationSizeMb: 1_024 };
/** A thread at a time, for its memory. */
const turn = new Semaphore(1);

/** Like `parseYaml`. A long document is parsed in a thread of its own. */
export async function parseYamlAside(
	source: string,
): Promise<YamlDocument | { readonly problems: YamlProblem[] }> {
	if (source.length <= LONG) return parseYaml(source);
	const release = await turn.acquire();
	try {
		return JSON.parse(await parsedInThread(source)) as YamlDocument;
	} finally {
		release();
	}
}

function parsedInThread(source: string): Promise<string> {
	return new Promise((resolve, reject) => {
		const file = new URL(`./yaml-worker${extname(import.meta.filename)}`, import.meta.url);
		// It needs no settings, and settings contain secrets.
		const options = { name: "YAML", env: {}, resourceLimits: LIMITS, workerData: source };
		const worker = new Worker(file, options);
		worker.once("message", resolve);
		worker.once("error", reject);
		worker.once("exit", (code) => reject(new Error(`the thread that parses YAML ended with ${code}`)));
	});
}
