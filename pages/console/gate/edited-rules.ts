// The rules of a gate while they are edited: each row has a key that stays when the row moves.

import type { Schemas } from "../../api/routes.ts";

type Rule = Schemas["GateRule"];

export interface EditedRule {
	readonly key: number;
	/** As typed: separated by spaces or commas, empty for all. */
	readonly methods: string;
	readonly path: string;
	readonly needs: string;
	readonly mfa: boolean;
	readonly test: boolean;
}

let lastKey = 0;

export function editedRule({ methods = [], path, needs, mfa = false, test = false }: Rule): EditedRule {
	return { key: ++lastKey, methods: methods.join(", "), path, needs, mfa, test };
}

/** The rule as the API accepts it, without default values. */
export function ruleOf({ methods, path, needs, mfa, test }: EditedRule): Rule {
	const listed = methods
		.toUpperCase()
		.split(/[\s,]+/)
		.filter((method) => method !== "");
	return {
		...(listed.length > 0 && { methods: listed }),
		path: path.trim(),
		needs: needs.trim(),
		...(mfa && { mfa }),
		...(test && { test }),
	};
}

/** The same list with one rule at another position. */
export function moved(rules: readonly EditedRule[], from: number, to: number): readonly EditedRule[] {
	const rule = rules[from];
	if (rule === undefined || to < 0 || to >= rules.length) return rules;
	return rules.toSpliced(from, 1).toSpliced(to, 0, rule);
}
