// While the items of a large review are made, no other call waits for long.

import assert from "node:assert/strict";
import { it } from "node:test";
import { addApiClient } from "../harness/access/applications.ts";
import { addReview } from "../harness/access/reviews.ts";
import { withDatabase } from "../harness/people/people.ts";
import { busyMs, longestBusyMs } from "../harness/runs/busy.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { testService } from "../harness/runs/fixture.ts";
import { copiesOf, copyRows } from "./many-rows.ts";

const ITEMS = atDepth({ quick: 5_000, all: 10_000, long: 99_000 });

const service = testService();

it("the preparation of a review of many items leaves room for other calls", async (t) => {
	const { app_id } = await addApiClient(service);
	const clients = copiesOf({ person: "", group: "", app: "" }).filter(({ table }) => table === "api_clients");
	await withDatabase(service, (engine) => copyRows(engine, clients, ITEMS));
	const token = await service.adminToken();
	const startMs = busyMs();
	const preparing = addReview(service, { subject: "partners", app_id });
	const { longestMs, calls } = await longestBusyMs(async () => {
		assert.equal((await service.call("GET", "/api/v1/users/me", { token })).status, 200);
	}, preparing);
	const tookMs = busyMs() - startMs;
	assert.equal((await preparing).total, ITEMS + 1);
	t.diagnostic(`${calls} calls; the longest waited for ${longestMs} of ${tookMs} ms`);
	assert.ok(calls > 50, `${calls} calls during the preparation`);
	assert.ok(longestMs < tookMs / 4, `a call waited for ${longestMs} of ${tookMs} ms`);
});
