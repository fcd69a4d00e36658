// `/health`: the state of this process, for load balancers and operators.

import type { HealthCheck } from "../../../domain/health-check.ts";
import { type EndpointResponse, endpoint } from "../../../http/describe/endpoint.ts";
import { anyObject, choice, object, optional, plain } from "../../../http/describe/schema.ts";
import type { Platform } from "../../platform.ts";

const CHECK_TIMEOUT_MS = 2_000;

const healthSchema = object({
	data: object(
		{
			status: choice(["ok", "stopping", "unavailable"]),
			version: plain(),
			checks: anyObject(
				"The state of each dependency: `ok`; `unavailable` when it is required and down; `degraded` when it is optional and down.",
			),
			details: optional(
				anyObject(
					"By the name of a check that failed, what an operator must know, such as which database servers accept writes. Absent if there is nothing to say.",
				),
			),
		},
		{ title: "Health" },
	),
});

interface Health {
	readonly status: "ok" | "stopping" | "unavailable";
	readonly checks: Record<string, CheckResult>;
	readonly details?: Record<string, string>;
}

type CheckResult = "ok" | "degraded" | "unavailable";

export function healthEndpoints({ version, checks, isStopping }: Platform) {
	const response: EndpointResponse<Health> = {
		status: 200,
		description: "All required dependencies are available.",
		schema: healthSchema,
		statusOf: ({ status }) => (status === "ok" ? 200 : 503),
		isPlanned: ({ status }) => status === "stopping",
		wrap: ({ status, ...results }) => ({ data: { status, version, ...results } }),
	};
	return {
		get: endpoint<undefined>()({
			name: "getHealth",
			summary: "Check service health",
			description:
				"Returns 503 with a body of the same form while a required dependency is unavailable and while this process is stopping.",
			response,
			handle: async () => {
				const health = await runChecks(checks);
				return health.status === "ok" && isStopping() ? { ...health, status: "stopping" } : health;
			},
		}),
	};
}

async function runChecks(checks: readonly HealthCheck[]): Promise<Health> {
	const results: Record<string, CheckResult> = {};
	const details: Record<string, string> = {};
	let status: Health["status"] = "ok";
	await Promise.all(
		checks.map(async ({ name, required, check, detail }) => {
			const isAvailable = await passesInTime(check);
			const text = isAvailable ? undefined : detail?.();
			if (text !== undefined) details[name] = text;
			results[name] = isAvailable ? "ok" : required ? "unavailable" : "degraded";
			if (required && !isAvailable) status = "unavailable";
		}),
	);
	return { status, checks: results, ...(Object.keys(details).length > 0 && { details }) };
}

/** A check that hangs counts as failed. The check logs the reason, which callers do not see. */
async function passesInTime(check: () => Promise<void>): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const timeout = new Promise<false>((resolve) => {
		timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
	});
	const response = check().then(
		() => true,
		() => false,
	);
	try {
		return await Promise.race([response, timeout]);
	} finally {
		clearTimeout(timer);
	}
}
