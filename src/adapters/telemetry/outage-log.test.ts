import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { logOutages } from "./outage-log.ts";

const TAKEN: ExportResult = { code: ExportResultCode.SUCCESS };
const REFUSED: ExportResult = { code: ExportResultCode.FAILED, error: new Error("refused") };

describe("logOutages", () => {
	it("logs the first failure and the first success after it, and passes every result on", () => {
		const lines: string[] = [];
		const results = [TAKEN, REFUSED, REFUSED, REFUSED, TAKEN, TAKEN, REFUSED];
		const remaining = results.values();
		const exporter = {
			export: (_items: readonly string[], done: (result: ExportResult) => void) =>
				done(remaining.next().value ?? TAKEN),
		};
		const add = (_fields: object, message: string): void => void lines.push(message);
		const log = { isDebug: false, debug: add, info: add, warn: add, error: add };
		const outage = logOutages(exporter, "traces", log);
		const passedOn: ExportResult[] = [];
		const isAway = results.map(() => {
			exporter.export([], (result) => passedOn.push(result));
			return outage.isAway;
		});
		assert.deepEqual(passedOn, results);
		assert.deepEqual(isAway, [false, true, true, true, false, false, true]);
		assert.deepEqual(lines, [
			"the OTLP receiver does not accept traces: they are dropped until it does",
			"the OTLP receiver accepts traces again",
			"the OTLP receiver does not accept traces: they are dropped until it does",
		]);
	});
});
