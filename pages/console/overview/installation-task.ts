// A failed check of the installation, as a task of the overview: read in the background, because the checks take seconds.

import { call } from "../../api/client.ts";
import { server } from "../../ui/icons.ts";
import { findWords, loadWords } from "../../words/words.ts";
import { countFailed } from "../installation/count-failed.ts";
import { failedChecks } from "../waiting.ts";
import type { Task } from "./task.ts";

export async function readInstallation(label: string): Promise<readonly Task[]> {
	const [{ data }] = await Promise.all([call("GET /installation"), loadWords(["console-installation"])]);
	const count = countFailed(data.checks);
	failedChecks.value = count;
	const text = findWords("console-installation")?.failedTask(count);
	return count === 0 ? [] : [{ icon: server, text, label, href: "/console/installation", tone: "danger" }];
}
