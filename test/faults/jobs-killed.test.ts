// Kills the process of each job inside a transaction: two nodes then do the rest, nothing is done twice, and nothing is lost.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addApplication } from "../harness/access/applications.ts";
import { setDormancy } from "../harness/access/dormancy.ts";
import { addGroup } from "../harness/access/groups.ts";
import { addReview } from "../harness/access/reviews.ts";
import { addManyUsers } from "../harness/databases/many-users.ts";
import { TEST_ENGINE } from "../harness/databases/test-engine.ts";
import { type JobName, type JobNode, killInTransaction, openNode } from "../harness/processes/job-process.ts";
import { makePlace, type Place } from "../harness/service/installation.ts";

/** More than a transaction, or a run, takes of grants, ends, and accounts. */
const PEOPLE = 600;
const CLIENTS = 100;
const SIX_DAYS_MS = 6 * 86_400_000;
const mails = (kind: string) => ({ column: "recipient", from: `mail_outbox WHERE subject = '${kind}'` });
const events = (action: string) => ({ column: "target", from: `audit_events WHERE action = '${action}'` });

interface Work {
	readonly begin?: readonly string[];
	/** The transaction in which the process is killed. */
	readonly killedIn: number;
	/** What earlier transactions did. */
	readonly before: number;
	readonly total: number;
	/** Each has one row for each thing that is done. */
	readonly traces: readonly { readonly column: string; readonly from: string }[];
}

const WORK: Readonly<Record<JobName, Work>> = {
	ends: { killedIn: 2, before: 500, total: PEOPLE, traces: [events("group.member_expired")] },
	digest: { killedIn: 2, before: 500, total: PEOPLE, traces: [mails("access_ends")] },
	dormancy: {
		killedIn: 30,
		before: 29,
		total: PEOPLE,
		traces: [mails("account_dormant"), events("user.dormancy_warned")],
	},
	// The first transaction begins to close the review.
	reviews: {
		killedIn: 30,
		before: 28,
		total: CLIENTS,
		traces: [events("review.item_ended"), events("api_client.updated")],
	},
	// Every person becomes a reviewer with a digest that is due.
	requests: {
		begin: [
			"UPDATE users SET roles = 'reviewer', status = 'active', disabled_at = NULL, disabled_reason = NULL WHERE id LIKE 'person-%'",
			"INSERT INTO request_mails (user_id, tenant_id, frequency, due_at) SELECT id, tenant_id, 'hourly', 1 FROM users WHERE id LIKE 'person-%'",
			"INSERT INTO requests (id, tenant_id, kind, status, review_note, applicant_name, applicant_name_folded, email, company, company_folded, project_name, project_name_folded, purpose, locale, withdraw_digest, test_calls_ok, test_calls_refused, created_at, updated_at) SELECT 'waits', id, 'partner', 'pending', '', 'Ada', 'ada', 'ada@partner.example', '', '', 'Engine', 'engine', '', 'en', 'none', 0, 0, 1, 1 FROM tenants",
		],
		killedIn: 30,
		before: 29,
		total: PEOPLE,
		traces: [mails("request_digest")],
	},
};

describe("kill -9 while a job runs", () => {
	let place: Place;
	let nodes: JobNode[] = [];

	before(async () => {
		place = await makePlace(TEST_ENGINE);
		const service = await place.serve({ env: {} });
		const { id: appId, tenant_id: tenantId } = await addApplication(service);
		const { id: groupId } = await addGroup(service);
		await setDormancy(service, 30);
		nodes = [await openNode(place.env), await openNode(place.env)];
		const [{ engine }] = nodes as [JobNode];
		await engine.transaction(async (queries) => {
			for (let number = 0; number < CLIENTS; number++)
				await queries.run(
					`INSERT INTO api_clients (id, tenant_id, app_id, mode, name, name_folded, api_key, secret_hint, status, scopes,
						ip_allowlist, ip_allowlist_mode, last_used_ip, created_at, updated_at)
					 VALUES ($1, $2, $3, 'live', $4, $4, $1, '', 'active', '[]', '[]', 'enforce', '', 1, 1)`,
					`01900000-0000-7000-8000-${String(number).padStart(12, "0")}`,
					tenantId,
					appId,
					`partner ${number}`,
				);
		});
		const { id } = await addReview(service, { subject: "partners", app_id: appId, unanswered: "end" });
		// The jobs of the service are to find no work.
		await service.stop();
		await addManyUsers(engine, PEOPLE);
		await engine.transaction(async (queries) => {
			await queries.run("UPDATE reviews SET due_at = 1 WHERE id = $1", id);
			await queries.run(
				`INSERT INTO grants (id, tenant_id, app_id, user_id, expires_at, created_at, updated_at)
				 SELECT 'grant-' || id, tenant_id, CAST($1 AS TEXT), id, CAST($2 AS BIGINT), 1, 1 FROM users WHERE id LIKE 'person-%'`,
				appId,
				Date.now() + SIX_DAYS_MS,
			);
			await queries.run(
				`INSERT INTO group_members (tenant_id, group_id, user_id, added_at, expires_at)
				 SELECT tenant_id, CAST($1 AS TEXT), id, 1, 2 FROM users WHERE id LIKE 'person-%'`,
				groupId,
			);
		});
	});
	after(async () => {
		for (const { engine } of nodes) await engine.close();
		await place.remove();
	});

	/** How often each trace exists, and for how many different subjects. */
	const traced = (traces: Work["traces"]) =>
		Promise.all(
			traces.map(async ({ column, from }) => {
				const sql = `SELECT count(*) AS total, count(DISTINCT ${column}) AS different FROM ${from}`;
				const row = await nodes[0]?.engine.queries.one<{ total: number; different: number }>(sql);
				return [row?.total, row?.different];
			}),
		);

	for (const [name, { begin = [], killedIn, before, total, traces }] of Object.entries(WORK))
		test(`${name}: two nodes do the rest, each once`, async () => {
			const job = name as JobName;
			await nodes[0]?.engine.transaction(async (queries) => {
				for (const sql of begin) await queries.run(sql);
			});
			assert.equal(await killInTransaction(place.env, job, killedIn), "SIGKILL");
			const each = (count: number) => traces.map(() => [count, count]);
			assert.deepEqual(await traced(traces), each(before));
			for (let run = 0; run < 3; run++) await Promise.all(nodes.map((node) => node.run(job)));
			assert.deepEqual(await traced(traces), each(total));
		});
});
