// Plans of a file with 200 applications: `node bench/plans.ts [postgres:// URL of an empty database]` plans it while they are
// new, applies it, and plans it again unchanged and changed.

import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningService, startService } from "./service.ts";

const APPLICATIONS = 200;
const TIMES = 5;

const database = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), "latchkey-plans-"));
const service = await startService(folder, undefined, {
	LATCHKEY_RATE_LIMIT_PER_MINUTE: "0",
	...(database !== undefined && {
		LATCHKEY_DATABASE_URL: database,
		LATCHKEY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
	}),
});
try {
	await measure(service);
} finally {
	await service.stop();
	rmSync(folder, { recursive: true });
}

async function measure({ call, adminToken }: RunningService): Promise<void> {
	const token = await adminToken();
	const time = async (name: string, route: "apply" | "plan", document: string, times = TIMES) => {
		const took: number[] = [];
		for (let count = 0; count < times; count++) {
			const start = performance.now();
			await call("POST", `/api/v1/config/${route}`, { token, body: { document } });
			took.push(performance.now() - start);
		}
		const [first = 0, ...warm] = took;
		const shown = [...warm].sort((one, other) => one - other).map((ms) => ms.toFixed(0));
		console.log(
			`${name.padEnd(16)} first ${first.toFixed(0)} ms${shown.length > 0 ? `, then ${shown.join(", ")} ms` : ""}  load ${loadavg()[0]?.toFixed(1)}`,
		);
	};
	await time("plan, new", "plan", fileOf("write"));
	await time("apply", "apply", fileOf("write"), 1);
	await time("plan, unchanged", "plan", fileOf("write"));
	await time("plan, changed", "plan", fileOf("edit"));
}

/** @param action that one of the two roles of every application permits */
function fileOf(action: string): string {
	const applications = Array.from(
		{ length: APPLICATIONS },
		(_, index) => `  app-${index}:
    name: Application ${index}
    roles:
      editor: { permissions: [a:read, a:${action}] }
      viewer: { permissions: [a:read] }
`,
	);
	return `applications:\n${applications.join("")}`;
}
