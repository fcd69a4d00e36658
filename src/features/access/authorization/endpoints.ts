// `/access`: access decisions explained to administrators.

import { DECISION_REASONS } from "../../../domain/access.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import {
	boolean,
	choice,
	list,
	nullable,
	object,
	optional,
	plain,
	type Schema,
	text,
	time,
	timeInput,
	uuid,
} from "../../../http/schema.ts";
import { fromWire, toWire } from "../../../http/wire-form.ts";
import type { Platform } from "../../platform.ts";
import { NEEDS } from "./explain-access.ts";
import { explainDecision } from "./explain-decision.ts";

const named = (description: string): Schema<{ id: string; name: string } | null> =>
	nullable(object({ id: plain({ format: "uuid" }), name: plain() }, { description }));

const rule = {
	by: choice(["open", "grant"], { description: "`open`: every active user may use the application." }),
	grant_id: nullable(plain({ format: "uuid" })),
	group: named("The group that holds the grant; null for the user's own."),
	role: named("The role that grants the requested permission."),
	permission: nullable(plain({ description: "The role's permission that covers it, e.g. `orders:*`." })),
};

const ruleSchema = object(rule, { title: "AccessRule" });

const explanationSchema = object(
	{
		allowed: boolean(),
		reason: choice(DECISION_REASONS),
		user_id: plain({ format: "uuid" }),
		app_id: plain({ format: "uuid" }),
		permission: nullable(plain()),
		at: nullable(time({ description: "The past moment in question; null for now." })),
		roles: list(plain()),
		permissions: list(plain()),
		rule: nullable(object(rule, { description: "The rule that decided; null when denied." })),
		rules: list(ruleSchema, {
			description:
				"Every rule that is sufficient by itself, the one above first: to revoke access, remove all of them. Empty when denied.",
		}),
		needed: list(
			object({
				what: choice(NEEDS),
				roles: list(plain(), {
					description:
						"For `permission`: the application's roles that grant it now. Empty for a past moment.",
				}),
			}),
			{
				description: "Every requirement that is missing, not only the first. Empty when allowed.",
			},
		),
		history: nullable(
			object(
				{
					complete: boolean(),
					missing: list(plain(), { description: "What the audit trail does not record." }),
				},
				{ description: "How complete the audit trail is for the past moment; null for now." },
			),
		),
	},
	{ title: "AccessExplanation" },
);

const queryBody = object({
	user_id: uuid(),
	app_id: uuid(),
	permission: optional(text({ max: 128, description: "e.g. `orders:read`" })),
	at: optional(timeInput({ description: "A past moment; default now." })),
});

const toQuery = fromWire(queryBody);
const toWireRule = toWire(ruleSchema);
const toWireExplanation = toWire(explanationSchema);

export function accessEndpoints(platform: Platform) {
	return {
		explain: endpoint<Administrator>()({
			name: "explainAccess",
			summary: "Explain an access decision",
			description:
				"The decision, the rules that allow it, and what is missing if it is a denial. With `at`: the decision after all events up to that moment, reconstructed from the audit trail; what the trail does not record counts as absent and is listed in `history`. Unknown users and applications are answers, not errors.",
			body: queryBody,
			response: data(200, explanationSchema, "The decision and its reasons."),
			async handle({ caller, body }) {
				const query = toQuery(body);
				const explained = await explainDecision(platform, caller.tenantId, query);
				const { decision, needed, gaps } = explained;
				const rules = explained.rules.map(toWireRule);
				return toWireExplanation({
					permission: null,
					atMs: null,
					...query,
					...decision,
					rule: rules[0] ?? null,
					rules,
					needed: needed.map(({ what, roles }) => ({ what, roles: [...roles] })),
					history: gaps === undefined ? null : { complete: gaps.length === 0, missing: [...gaps] },
				});
			},
		}),
	};
}
