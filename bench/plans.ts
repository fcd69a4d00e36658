// Plans of a file with 200 applications: `node bench/plans.ts [postgres:// URL of an empty database]` plans it while they are
// new, applies it, and plans it again unchanged and changed.

import { loadavg } from "node:os";
import { type RunningService, withUnlimitedService } from "./service.ts";

const APPLICATIONS = 200;
const TIMES = 5;

await withUnlimitedService("plans", process.argv[2], measure);

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
