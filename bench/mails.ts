// The scenario of access requests and the delivery of their mails.

import type { MailResult, MailTask } from "./bare-mail.ts";
import { ask, startNode, stopChild } from "./children.ts";
import type { Load, LoadResult } from "./load-generator.ts";
import type { Bench } from "./measure.ts";
import { type Compared, compare, type Round } from "./rounds.ts";
import { startService } from "./service.ts";
import { processorSeconds } from "./usage.ts";

/** Access requests per round: enough for concurrent delivery, and few enough for one minute in total. */
const REQUESTS = 500;
const CONNECTIONS = 8;
/** One to the applicant and one to the only reviewer. */
const MAILS_EACH = 2;
const LIMIT_MS = 120_000;

/** A request is complete when the mail server has received both mails. */
export async function deliveredMails(bench: Bench): Promise<Compared> {
	const { processors } = bench;
	const sink = startNode("bench/mail-sink.ts", [], { processors: processors.load, responses: true });
	const library = startNode("bench/bare-mail.ts", [], { processors: processors.server, responses: true });
	const { port } = await ask<{ port: number }>(sink, {}, 10_000);
	const url = `smtp://127.0.0.1:${port}`;
	const service = await startService(bench.newFolder("mails"), processors.server, { LATCHKEY_SMTP_URL: url });
	let expected = 0;
	const wait = (): Promise<unknown> => {
		expected += REQUESTS * MAILS_EACH;
		return ask(sink, { until: expected }, LIMIT_MS);
	};
	const measure = async (): Promise<Round> => {
		const { port, pid } = service;
		const count = REQUESTS;
		const load: Load = {
			plan: { kind: "access-request" },
			port,
			pid,
			connections: CONNECTIONS,
			count,
			seconds: 60,
		};
		const before = processorSeconds(pid);
		const startedAt = performance.now();
		const { p50Ms, p99Ms } = await ask<LoadResult>(bench.generator, load, LIMIT_MS);
		await wait();
		const seconds = (performance.now() - startedAt) / 1_000;
		const used = (processorSeconds(pid) ?? Number.NaN) - (before ?? Number.NaN);
		return { ...roundOf(seconds, used), p50Ms, p99Ms };
	};
	const compareWith = async (): Promise<Round> => {
		const task: MailTask = { url, count: REQUESTS * MAILS_EACH };
		const result = await ask<MailResult>(library, task, LIMIT_MS);
		await wait();
		return roundOf(result.seconds, result.processorSeconds);
	};
	try {
		return await compare(bench.rounds, measure, compareWith);
	} finally {
		await service.stop();
		await stopChild(library);
		await stopChild(sink);
	}
}

function roundOf(seconds: number, processorSecondsUsed: number): Round {
	return {
		perSecond: REQUESTS / seconds,
		processorMicros: (processorSecondsUsed / REQUESTS) * 1e6,
		requests: REQUESTS,
		seconds,
	};
}
