// The statistics of a tenant for the command line. Objects have the shape of the API.

import { STATISTICS_STEPS, type StatisticsStep } from "../../domain/statistics.ts";
import { toWireStatistics } from "../../features/record/statistics/endpoints.ts";
import { readStatistics } from "../../features/record/statistics/read-statistics.ts";
import { object, optional, timeInput } from "../../http/schema.ts";
import { fromWire } from "../../http/wire-form.ts";
import { inputOf } from "./check-input.ts";
import type { Operation } from "./operation.ts";

export { STATISTICS_STEPS };

const rangeSchema = object({ from: optional(timeInput()), to: optional(timeInput()) });
const checkRange = inputOf(rangeSchema);
const fromRange = fromWire(rangeSchema);

/** As typed: ISO 8601 with a zone. */
export interface StatsRange {
	readonly from?: string;
	readonly to?: string;
}

/** @throws StartError (`usage`) for an invalid time; AppError as `readStatistics`. */
export async function countStats(operation: Operation, step: StatisticsStep, { from, to }: StatsRange) {
	const { fromMs, toMs } = fromRange(checkRange({ from, to }));
	return toWireStatistics(await readStatistics(operation, { step, fromMs, toMs }, operation.caller.tenantId));
}
