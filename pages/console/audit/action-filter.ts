// The filter by action: one action, or a set of them that belong together.

import { format } from "../../words/format.ts";
import type { WordsOf } from "../../words/words.ts";

type Words = WordsOf<"console-audit">;

/** Values of the filter, by the name in `actionSets`. */
export const ACTION_SETS: Readonly<Record<keyof Words["actionSets"], string>> = {
	access: [
		"grant.created,grant.updated,grant.removed,grant.expired",
		"application_role.created,application_role.updated,application_role.deleted",
		"group_member.added,group_member.updated,group_member.removed,group.member_expired",
		"manager.added,manager.removed,user.updated",
	].join(),
	signIn: "user.signed_in,user.sign_in_failed,user.password_locked,user.recovery_code_used,user.signed_out",
};

/** Also actions that this page does not know, from a link. */
export function actionOptions(t: Words, chosen = "") {
	const options = [
		...Object.entries(t.actionSets).map(([set, label]) => ({
			value: ACTION_SETS[set as keyof Words["actionSets"]],
			label,
			group: undefined,
		})),
		...Object.entries(t.actions).map(([value, label]) => ({ value, label, group: groupOf(t, value) })),
	];
	const isKnown = chosen === "" || options.some(({ value }) => value === chosen);
	return isKnown ? options : [{ value: chosen, label: textOf(t, chosen), group: undefined }, ...options];
}

export function actionLabel(t: Words, chosen: string): string {
	return actionOptions(t, chosen).find(({ value }) => value === chosen)?.label ?? chosen;
}

function textOf({ actions }: Words, chosen: string): string {
	return format.list(chosen.split(",").map((action) => actions[action as keyof typeof actions] ?? action));
}

function groupOf(t: Words, action: string): string | undefined {
	const noun = action.slice(0, action.indexOf("."));
	return Object.entries(t.actionGroups).find(([nouns]) => nouns.split(" ").includes(noun))?.[1];
}
