// GET /health: the truth about this process, for load balancers and people.

import { type Answer, endpoint } from "../../http/endpoint.ts";
import { anyObject, choice, object, plain } from "../../http/schema.ts";
import type { HealthCheck } from "./model.ts";

const CHECK_TIMEOUT_MS = 2_000;

const healthSchema = object({
	data: object(
		{
			status: choice(["ok", "unavailable"]),
			version: plain(),
			checks: anyObject({ description: "Each thing looked at: `ok` or `unavailable`." }),
		},
		{ title: "Health" },
	),
});

interface Health {
	readonly status: "ok" | "unavailable";
	readonly checks: Record<string, "ok" | "unavailable">;
}

export function healthEndpoints({
	version,
	checks,
}: {
	readonly version: string;
	readonly checks: readonly HealthCheck[];
}) {
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
			description: "Answers 503 with the same shape while something the service cannot work without is away.",
			answer,
			handle: () => look(checks),
		}),
	};
}

async function look(checks: readonly HealthCheck[]): Promise<Health> {
	const results: Record<string, "ok" | "unavailable"> = {};
	let status: Health["status"] = "ok";
	await Promise.all(
		checks.map(async ({ name, required, check }) => {
			results[name] = await answersInTime(check);
			if (required && results[name] !== "ok") status = "unavailable";
		}),
	);
	return { status, checks: results };
}

/** A check that hangs is a check that fails; the reason is the check's to log, not the caller's to read. */
async function answersInTime(check: () => Promise<void>): Promise<"ok" | "unavailable"> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<"unavailable">((resolve) => {
		timer = setTimeout(() => resolve("unavailable"), CHECK_TIMEOUT_MS);
	});
	const answer = check().then(
		() => "ok" as const,
		() => "unavailable" as const,
	);
	try {
		return await Promise.race([answer, late]);
	} finally {
		clearTimeout(timer);
	}
}
