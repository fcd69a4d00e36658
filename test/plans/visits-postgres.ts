// The rows that a statement visits on PostgreSQL, as `EXPLAIN ANALYZE` counts them.

import type { SqlValue } from "../../src/adapters/sql/engine.ts";
import type { CountVisits } from "./count-visits.ts";
import { SMALL } from "./filled-rows.ts";

interface Node {
	readonly "Node Type": string;
	readonly "Relation Name"?: string;
	readonly "Index Name"?: string;
	readonly "Actual Rows": number;
	readonly "Actual Loops": number;
	readonly "Rows Removed by Filter"?: number;
	readonly "Rows Removed by Index Recheck"?: number;
	readonly Plans?: readonly Node[];
}

/** Disables sequential scans, which PostgreSQL prefers for small tables even if an index exists. */
const ALTERNATIVES = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"];

/** Has no plan. */
const UTILITY = /^DO /;

/** Runs the statement and rolls it back. */
export const visitsOnPostgres: CountVisits = async (queries, sql, parameters) => {
	if (UTILITY.test(sql)) return { visited: 0, plan: "" };
	for (const alternative of ALTERNATIVES) await queries.run(`SET LOCAL ${alternative} = off`);
	await queries.run("SAVEPOINT explained");
	const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`;
	const [row] = await queries.all<{ "QUERY PLAN": SqlValue | readonly { readonly Plan: Node }[] }>(
		explain,
		...parameters,
	);
	await queries.run("ROLLBACK TO explained");
	const told = row?.["QUERY PLAN"];
	const plans = (typeof told === "string" ? JSON.parse(told) : told) as readonly { readonly Plan: Node }[];
	const nodes = plans
		.flatMap(({ Plan }) => nodesOf(Plan))
		.filter(
			(node) =>
				node["Relation Name"] !== undefined &&
				!node["Node Type"].startsWith("Modify") &&
				!(node["Relation Name"] in SMALL),
		);
	return {
		visited: nodes.reduce((sum, node) => sum + visitedBy(node), 0),
		plan: nodes
			.map(
				(node) =>
					`${node["Node Type"]} ${node["Relation Name"]} ${node["Index Name"] ?? ""}: ${visitedBy(node)}`,
			)
			.join("; "),
	};
};

function nodesOf(node: Node): Node[] {
	return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function visitedBy(node: Node): number {
	const rows =
		node["Actual Rows"] +
		(node["Rows Removed by Filter"] ?? 0) +
		(node["Rows Removed by Index Recheck"] ?? 0);
	return Math.ceil(rows * node["Actual Loops"]);
}
