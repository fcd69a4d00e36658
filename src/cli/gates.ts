// `latchkey gates`: lists and shows gates, and explains their decisions, with the service running or stopped.

import { explainGate, listGates, showGate } from "../ops/manage/manage-gates.ts";
import { type ListOptions, operate, parseLimit, type TenantOption } from "./daily-work.ts";
import { printResult } from "./output.ts";
import { alignedLines, printList, recordLines } from "./table.ts";

export async function gatesList(options: ListOptions): Promise<void> {
	const limit = parseLimit(options);
	await operate(options, async (operation) => {
		const { items, ...total } = await listGates(operation, limit);
		const rows = items.map((gate) => ({ ...gate, rule_count: gate.rules.length }));
		printList({ items: rows, ...total }, [
			"application",
			"rule_count",
			"accept",
			"browser_origin",
			"key_hint",
			"updated_at",
		]);
	});
}

/** Prints the rules below the settings, in the order in which the gate compares them, counted from 1 like in the console. */
export async function gatesShow(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => {
		const gate = await showGate(operation, name);
		const { rules, ...settings } = gate;
		const rows = rules.map(({ methods, path, needs, ...flags }, position) => [
			String(position + 1),
			methods?.join(",") ?? "*",
			path,
			needs,
			Object.entries(flags)
				.filter(([, isSet]) => isSet)
				.map(([flag]) => flag)
				.join(","),
		]);
		printResult(
			gate,
			...recordLines(settings),
			"",
			...alignedLines([["rule", "methods", "path", "needs", ""], ...rows]),
		);
	});
}

export async function gatesExplain(
	name: string,
	method: string,
	target: string,
	options: TenantOption & { readonly caller?: string },
): Promise<void> {
	await operate(options, async (operation) => {
		const { caller } = options;
		const { explanation, applied } = await explainGate(operation, name, {
			method,
			target,
			...(caller && { caller }),
		});
		printResult(explanation, ...recordLines({ ...explanation, rule: applied && describeRule(applied) }));
	});
}

type AppliedRule = NonNullable<Awaited<ReturnType<typeof explainGate>>["applied"]>;

/** `2: GET /orders/* needs orders:read` */
function describeRule({ position, rule: { methods, path, needs } }: AppliedRule): string {
	return `${position + 1}: ${methods?.join(",") ?? "*"} ${path} needs ${needs}`;
}
