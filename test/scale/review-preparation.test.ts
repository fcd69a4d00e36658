// While the items of a large review are made, no other call waits for long.

import assert from "node:assert/strict";
import { it } from "node:test";
import { addApiClient } from "../harness/access/applications.ts";
import { addReview } from "../harness/access/reviews.ts";
import { withDatabase } from "../harness/people/people.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { testService } from "../harness/runs/fixture.ts";
import { copiesOf, copyRows } from "./many-rows.ts";

const ITEMS = atDepth({ quick: 5_000, all: 10_000, long: 99_000 });
const ALONE = 500;

const service = testService();

it("the preparation of a review of many items leaves room for other calls", async (t) => {
	const { app_id } = await addApiClient(service);
	const clients = copiesOf({ person: "", group: "", app: "" }).filter(({ table }) => table === "api_clients");
	await withDatabase(service, (engine) => copyRows(engine, clients, ITEMS));
	const token = await service.adminToken();
	const timed = async (): Promise<number> => {
		const began = performance.now();
		assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 200);
		return performance.now() - began;
	};
	const alone: number[] = [];
	for (let count = 0; count < ALONE; count++) alone.push(await timed());
	let isReady = false;
	const startedAt = performance.now();
	const preparing = addReview(service, { subject: "partners", app_id }).finally(() => {
		isReady = true;
	});
	const beside: number[] = [];
	while (!isReady) beside.push(await timed());
	const tookMs = performance.now() - startedAt;
	assert.equal((await preparing).total, ITEMS + 1);
	const figures = [alone, beside].map((times) => [times.length, p99(times), Math.max(...times)] as const);
	t.diagnostic(`calls, p99, and longest in ms: ${JSON.stringify(figures)}`);
	assert.ok(beside.length > 50, `${beside.length} calls during the preparation`);
	assert.ok(Math.max(...beside) < tookMs / 4, `a call waited ${Math.max(...beside)} of ${tookMs} ms`);
});

function p99(times: readonly number[]): number {
	return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0;
}
