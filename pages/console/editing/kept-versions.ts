// The versions of the records that the console shows: no change overwrites one that its user has not seen.

import { type KeptVersions, versions } from "../../api/client.ts";
import { loadWords } from "../../words/words.ts";

const tags = new Map<string, string>();

function forget(isStale: (target: string) => boolean): void {
	for (const target of tags.keys()) if (isStale(target)) tags.delete(target);
}

versions.kept = {
	of: (target) => tags.get(target),
	note(method, target, etag) {
		const [path = ""] = target.split("?");
		// A change of a part changes the record, and a list shows its records as they are now.
		if (method !== "GET") forget((other) => path.startsWith(`${other}/`));
		else if (etag === null) forget((other) => other.startsWith(`${path}/`));
		if (etag !== null) tags.set(target, etag);
		else if (method === "DELETE") tags.delete(target);
	},
	async ask(conflict) {
		const [{ askConflict }] = await Promise.all([
			import("./conflict-dialog.tsx"),
			loadWords(["console-access", "console-audit"]),
		]);
		await askConflict(conflict);
	},
} satisfies KeptVersions;
