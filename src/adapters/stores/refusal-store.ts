// Refused calls in SQL.

import {
	type NamedRefusal,
	NO_CALLER,
	REFUSAL_SUBJECTS,
	REFUSALS_KEPT,
	REFUSALS_KEPT_MS,
	type Refusal,
	type RefusalStore,
	type RefusalSubject,
} from "../../domain/refusal.ts";
import { listRows } from "../sql/page.ts";
import { type Queries, type Statement, statement } from "../sql/queries.ts";
import { refusals } from "../sql/tables/record-tables.ts";

const insert = refusals.insertWith({
	where: `({apiClientId} IS NULL OR EXISTS (SELECT 1 FROM api_clients WHERE id = {apiClientId} AND tenant_id = {tenantId}))
		AND ({applicationId} IS NULL OR EXISTS (SELECT 1 FROM applications WHERE id = {applicationId} AND tenant_id = {tenantId}))`,
	leavesCache: true,
});

const NAMED = `${refusals.columns}, coalesce(CASE subject
	WHEN 'api_client' THEN (SELECT name FROM api_clients WHERE id = refusals.api_client_id)
	ELSE (SELECT name FROM applications WHERE id = refusals.application_id) END, '') AS "subjectName"`;

/** Keeps the newest refusals of each code and, of those, the newest with and without a recognized caller. */
function pruneStatement(subject: RefusalSubject): Statement {
	const { ofCode, ofCallers } = REFUSALS_KEPT[subject];
	const ofSubject = `${subject === "api_client" ? "api_client_id" : "application_id"} = $1 AND subject = '${subject}'`;
	const isUnknown = `caller = '${NO_CALLER}'`;
	const newest = "ORDER BY at DESC, id DESC";
	return statement(
		`DELETE FROM refusals WHERE ${ofSubject} AND id NOT IN (
	SELECT id FROM (
		SELECT id, row_number() OVER (PARTITION BY ${isUnknown} ${newest}) AS place
		FROM (
			SELECT id, at, caller, row_number() OVER (PARTITION BY ${isUnknown}, code ${newest}) AS place_of_code
			FROM refusals WHERE ${ofSubject}
		) AS by_code WHERE place_of_code <= ${ofCode}
	) AS by_caller WHERE place <= ${ofCallers})`,
		{ leavesCache: true },
	);
}

const PRUNES = REFUSAL_SUBJECTS.map((subject) => ({ subject, sql: pruneStatement(subject) }));

export function createRefusalStore(queries: Queries): RefusalStore {
	return {
		async add(added) {
			for (const refusal of added) await insert(queries, refusal);
			for (const { subject, sql } of PRUNES)
				for (const id of idsOf(added.filter((refusal) => refusal.subject === subject)))
					await queries.run(sql, id);
		},
		list({ tenantId, subject, apiClientId, applicationId, requestId, code, fromMs, toMs }, page) {
			const filter = refusals
				.matching({ tenantId })
				.maybe("subject = ?", subject)
				.maybe("api_client_id = ?", apiClientId)
				.maybe("application_id = ?", applicationId)
				.maybe("request_id = ?", requestId)
				.maybe("code = ?", code)
				.maybe("at >= ?", fromMs)
				.maybe("at < ?", toMs);
			// Each filter has an index, their combinations do not.
			if (filter.parameters.length > 2) filter.separately();
			const select = { columns: NAMED, from: refusals.from, order: "at DESC, id DESC", filter };
			// No column is stored in another form.
			return listRows<NamedRefusal>(queries, select, page);
		},
		purge: (nowMs, limit) => refusals.purge(queries, "at < $1", nowMs - REFUSALS_KEPT_MS, limit),
	};
}

/** Sorted, so that two nodes cannot deadlock. */
function idsOf(added: readonly Refusal[]): string[] {
	const ids = added.map(({ subject, apiClientId, applicationId }) =>
		subject === "api_client" ? apiClientId : applicationId,
	);
	return [...new Set(ids)].filter((id) => id !== null).sort();
}
