// The thread of `yaml-thread.ts`: parses one document.

import { parentPort, workerData } from "node:worker_threads";
import { parseYaml } from "./yaml-document.ts";

// As text, which the other side reads in a fraction of the time of a structured clone.
parentPort?.postMessage(JSON.stringify(await parseYaml(workerData as string)));
