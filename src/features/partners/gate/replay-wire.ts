// The wire form of a replay of recent requests against unsaved settings of a gate.

import {
	boolean,
	type Infer,
	integer,
	list,
	nullable,
	object,
	plain,
} from "../../../http/describe/schema.ts";
import { gateBody } from "./gate-wire.ts";
import type { Replay, ReplayedCall, ReplayedOutcome } from "./replay-calls.ts";

export const replayBody = object({
	draft: {
		...gateBody,
		description: "Settings to try, as PUT takes them. They are not stored.",
	},
});

const outcome = object({
	allowed: boolean(),
	code: nullable(plain({ description: "The error code of the refusal.", examples: ["gate.no_rule"] })),
	rule: nullable(integer("The position of the rule that applies, from 0; null if there is none.")),
});

const changeSchema = object(
	{
		method: plain(),
		path: plain("Without the query."),
		caller: plain({
			description: "Of a refusal as in `Latchkey-Caller`; of an allowed request only the kind.",
			examples: ["partner"],
		}),
		count: integer("Equal requests."),
		before: { ...outcome, description: "By the settings of the gate." },
		after: { ...outcome, description: "By the draft." },
	},
	{ title: "GateReplayChange" },
);

export const replaySchema = object(
	{
		refusals: integer("Refusals that were decided again, at most 100."),
		sampled: integer("Allowed requests that were decided again, at most 100."),
		same: integer("Requests that the draft does not change."),
		now_refused: integer("Requests that only the draft refuses."),
		now_allowed: integer("Requests that only the draft lets pass."),
		changes: list(changeSchema, {
			description: "The requests that differ, newest first; equal ones once.",
		}),
	},
	{ title: "GateReplay" },
);

export function toWireReplay({ refusals, sampled, changes }: Replay): Infer<typeof replaySchema> {
	const countOf = (isAllowed: boolean) =>
		changes.reduce(
			(sum, { call, count }) => ((call.after.code === undefined) === isAllowed ? sum + count : sum),
			0,
		);
	const [nowRefused, nowAllowed] = [countOf(false), countOf(true)];
	return {
		refusals,
		sampled,
		same: refusals + sampled - nowRefused - nowAllowed,
		now_refused: nowRefused,
		now_allowed: nowAllowed,
		changes: changes.map(({ call, count }) => toWireChange(call, count)),
	};
}

function toWireChange({ before, after, ...request }: ReplayedCall, count: number) {
	return { ...request, count, before: toWireOutcome(before), after: toWireOutcome(after) };
}

function toWireOutcome({ code, rule }: ReplayedOutcome): Infer<typeof outcome> {
	return { allowed: code === undefined, code: code ?? null, rule: rule ?? null };
}
