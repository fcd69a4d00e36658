// GET /health: the truth about this process, for load balancers and people.

import { type Answer, endpoint } from "../../http/endpoint.ts";
import { anyObject, choice, object, plain } from "../../http/schema.ts";
import type { HealthCheck } from "./model.ts";

const CHECK_TIMEOUT_MS = 2_000;

const healthSchema = object({
	data: object(
		{
			status: choice(["ok", "stopping", "unavailable"]),
			version: plain(),
			checks: anyObject({
				description:
					"Each thing looked at: `ok`; `unavailable` while it is needed and away; `degraded` while it is away and the service does without.",
			}),
		},
		{ title: "Health" },
	),
});

interface Health {
	readonly status: "ok" | "stopping" | "unavailable";
	readonly checks: Record<string, CheckResult>;
}

type CheckResult = "ok" | "degraded" | "unavailable";

export interface HealthDeps {
	readonly version: string;
	readonly checks: readonly HealthCheck[];
	/** Whether the process was asked to stop, and serves on only until nobody sends it anything. */
	readonly isStopping: () => boolean;
}

export function healthEndpoints({ version, checks, isStopping }: HealthDeps) {
	const answer: Answer<Health> = {
		status: 200,
		description: "Everything needed is there.",
		schema: healthSchema,
		statusOf: ({ status }) => (status === "ok" ? 200 : 503),
		wrap: ({ status, checks: results }) => ({ data: { status, version, checks: results } }),
	};
	return {
		get: endpoint<undefined>()({
			name: "getHealth",
			summary: "Check service health",
			description:
				"Answers 503 with the same shape while something the service cannot work without is away, and while this process is stopping.",
			answer,
			handle: async () => {
				const health = await look(checks);
				return health.status === "ok" && isStopping() ? { ...health, status: "stopping" } : health;
			},
		}),
	};
}

async function look(checks: readonly HealthCheck[]): Promise<Health> {
	const results: Record<string, CheckResult> = {};
	let status: Health["status"] = "ok";
	await Promise.all(
		checks.map(async ({ name, required, check }) => {
			const isThere = await answersInTime(check);
			results[name] = isThere ? "ok" : required ? "unavailable" : "degraded";
			if (required && !isThere) status = "unavailable";
		}),
	);
	return { status, checks: results };
}

/** A check that hangs is a check that fails; the reason is the check's to log, not the caller's to read. */
async function answersInTime(check: () => Promise<void>): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<false>((resolve) => {
		timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
	});
	const answer = check().then(
		() => true,
		() => false,
	);
	try {
		return await Promise.race([answer, late]);
	} finally {
		clearTimeout(timer);
	}
}
