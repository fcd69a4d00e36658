// An unavailable, slow, or broken receiver: one log line, no delay, bounded memory.

import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { startTelemetry } from "../../src/adapters/telemetry/otlp.ts";
import { createLog } from "../../src/app/log.ts";
import { startTestService } from "../harness/service/service.ts";
import { type OtlpReceiver, startOtlpReceiver } from "../harness/telemetry/otlp-receiver.ts";

const NO_ATTRIBUTES = { attributes: {}, isFailed: false };

function openTelemetry(endpoint: string, timeoutMs = 300) {
	const stream = new PassThrough();
	const lines: { readonly msg: string; readonly level: number; readonly status?: number }[] = [];
	stream.on("data", (chunk: Buffer) => lines.push(JSON.parse(chunk.toString())));
	const telemetry = startTelemetry({
		endpoint,
		headers: {},
		tracePercent: 100,
		version: "1.0.0",
		instanceId: "test",
		log: createLog("info", stream),
		spanDelayMs: 5,
		metricsEveryMs: 1_000,
		timeoutMs,
	});
	const addSpan = (name: string) => telemetry.tracing.openServerSpan(undefined).end(name, NO_ATTRIBUTES);
	return { telemetry, lines, addSpan };
}

async function until(condition: () => boolean): Promise<void> {
	for (const endMs = Date.now() + 20_000; !condition(); ) {
		if (Date.now() > endMs) throw new Error("not in time");
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

/** Three ways in which exports fail and recover. */
const OUTAGES: Readonly<Record<string, (receiver: OtlpReceiver) => Promise<unknown>>> = {
	"is away": (receiver) => receiver.close(),
	"answers 500": async (receiver) => {
		receiver.behaviour = 500;
	},
	"never answers": async (receiver) => {
		receiver.behaviour = "silent";
	},
};

for (const [outage, begin] of Object.entries(OUTAGES))
	describe(`a receiver that ${outage}`, () => {
		it("is logged, and so is its recovery", async () => {
			await using receiver = await startOtlpReceiver();
			await begin(receiver);
			const { telemetry, lines, addSpan } = openTelemetry(receiver.url);
			addSpan("first");
			await until(() => lines.length === 1);
			receiver.behaviour = 200;
			if (outage === "is away") await receiver.reopen();
			await until(() => {
				addSpan("second");
				return receiver.spans.some(({ name }) => name === "second");
			});
			await until(() => lines.length === 2);
			await telemetry.stop(2_000);
			assert.deepEqual(
				lines.map(({ msg, level }) => [level, msg]),
				[
					[40, "the OTLP receiver does not accept traces: they are dropped until it does"],
					[30, "the OTLP receiver accepts traces again"],
				],
			);
			assert.equal(lines[0]?.status, outage === "answers 500" ? 500 : undefined);
		});

		it("delays no request, and lets the service stop", async () => {
			await using receiver = await startOtlpReceiver();
			await begin(receiver);
			const service = await startTestService({ env: { LATCHKEY_OTLP_ENDPOINT: receiver.url } });
			const beganMs = performance.now();
			for (let request = 0; request < 50; request++)
				assert.equal((await service.call("GET", "/health")).status, 200);
			// Requests that waited for an export of 5 s each would take 250 s.
			assert.ok(performance.now() - beganMs < 25_000);
			await service.stop();
		});
	});

describe("a stop with a receiver that never responds", () => {
	it("waits no longer than its grace period", async () => {
		await using receiver = await startOtlpReceiver();
		receiver.behaviour = "silent";
		const { telemetry, addSpan } = openTelemetry(receiver.url, 60_000);
		addSpan("held");
		await receiver.until(({ bodies }) => bodies.length === 1);
		const beganMs = performance.now();
		await telemetry.stop(50);
		// Waiting for an export would take 60 s.
		assert.ok(performance.now() - beganMs < 6_000);
	});
});

describe("spans that the receiver does not accept", () => {
	it("are dropped beyond 2,048", async () => {
		await using receiver = await startOtlpReceiver();
		const { telemetry, addSpan } = openTelemetry(receiver.url, 5_000);
		receiver.behaviour = "silent";
		addSpan("held");
		await receiver.until(({ bodies }) => bodies.length === 1);
		for (let count = 0; count < 20_000; count++) addSpan("waiting");
		receiver.behaviour = 200;
		await telemetry.stop(4_000);
		const { length } = receiver.spans;
		assert.ok(length > 1_000 && length <= 2_048, `${length} spans`);
	});
});

describe("the last spans before a stop", () => {
	it("are sent, and a second stop sends nothing", async () => {
		await using receiver = await startOtlpReceiver();
		const { telemetry, addSpan } = openTelemetry(receiver.url);
		addSpan("last");
		await telemetry.stop(2_000);
		assert.deepEqual(
			receiver.spans.map(({ name }) => name),
			["last"],
		);
		assert.deepEqual(receiver.faults, []);
	});
});
