// Refuses to migrate while nodes are connected that are too old for the new schema.

import { StartError } from "../../kernel/start-error.ts";
import type { Engine } from "../sql/engine.ts";
import { PREVIOUS_VERSION } from "./migrations.ts";

/** @throws StartError for a node of a version before the previous one, which would return 500 from then on. */
export async function refuseOldNodes(engine: Engine): Promise<void> {
	const old = (await engine.connectedVersions()).filter((version) => isBefore(version, PREVIOUS_VERSION));
	if (old.length === 0) return;
	throw new StartError(
		`a node of version ${old.join(" and of ")} is connected to the database, and the new schema supports nodes of ${PREVIOUS_VERSION} and later: stop it, or upgrade it to ${PREVIOUS_VERSION} first`,
		{ kind: "refused" },
	);
}

/** Compares `major.minor.patch`; a pre-release counts as its release. */
function isBefore(version: string, other: string): boolean {
	const [parts = [], others = []] = [version, other].map((text) =>
		text.split(/[.-]/).slice(0, 3).map(Number),
	);
	const index = parts.findIndex((part, at) => part !== others[at]);
	return index >= 0 && (parts[index] ?? 0) < (others[index] ?? 0);
}
