// `/access`: explains access decisions to administrators.

import { DECISION_REASONS } from "../../../domain/access.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
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
} from "../../../http/describe/schema.ts";
import { fromWire, toWire } from "../../../http/describe/wire-form.ts";
import type { Platform } from "../../platform.ts";
import { explainDecision, NEEDS } from "./explain-access.ts";

const named = (description: string): Schema<{ id: string; name: string } | null> =>
	nullable(object({ id: plain({ format: "uuid" }), name: plain() }, { description }));

const rule = {
	by: choice(["open", "grant"], { description: "`open`: every active user may use the application." }),
	grant_id: nullable(plain({ format: "uuid" })),
	group: named("The group that holds the grant; null for the user's own."),
	role: named("The role that grants the requested permission."),
	permission: nullable(plain("The permission of the role that covers it, such as `orders:*`.")),
};

const ruleSchema = object(rule, { title: "AccessRule" });

const endedSchema = object(
	{
		grant_id: nullable(plain({ format: "uuid" })),
		group: named("The group that held the grant; null for the user's own."),
		ended_at: time(),
	},
	{ title: "EndedAccess" },
);

const explanationSchema = object(
	{
		allowed: boolean(),
		reason: choice(DECISION_REASONS),
		user_id: plain({ format: "uuid" }),
		app_id: plain({ format: "uuid" }),
		permission: nullable(plain()),
		at: nullable(time("The past moment in question; null for now.")),
		roles: list(plain()),
		permissions: list(plain()),
		rule: nullable(object(rule, { description: "The rule that decided; null if denied." })),
		rules: list(ruleSchema, {
			description:
				"Every rule that is sufficient by itself, starting with `rule`. To revoke access, remove all of them. Empty if denied.",
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
				description: "Every missing requirement, not only the first. Empty if allowed.",
			},
		),
		ended: list(endedSchema, {
			description:
				"Grants and memberships that have ended and would otherwise apply, the last first. Empty if allowed.",
		}),
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
	permission: optional(text({ max: 128, description: "Such as `orders:read`." })),
	at: optional(timeInput("A past moment; default now.")),
});

const toQuery = fromWire(queryBody);
const toWireEnded = toWire(endedSchema);
const toWireRule = toWire(ruleSchema);
const toWireExplanation = toWire(explanationSchema);

export function accessEndpoints(platform: Platform) {
	return {
		explain: endpoint<Administrator>()({
			name: "explainAccess",
			summary: "Explain an access decision",
			description:
				"Returns the decision, the rules that allow it, and the missing requirements if it is a denial. With `at`, returns the decision after all events up to that moment, reconstructed from the audit trail; facts that the trail does not record count as absent and are listed in `history`. Unknown users and applications are denials, not errors.",
			body: queryBody,
			response: data(200, explanationSchema, "The decision and its reasons."),
			async handle({ caller, body }) {
				const query = toQuery(body);
				const explained = await explainDecision(platform, caller.tenantId, query);
				const { decision, needed, ended, gaps } = explained;
				const rules = explained.rules.map(toWireRule);
				return toWireExplanation({
					permission: null,
					atMs: null,
					...query,
					...decision,
					rule: rules[0] ?? null,
					rules,
					needed: needed.map(({ what, roles }) => ({ what, roles: [...roles] })),
					ended: ended.map(toWireEnded),
					history: gaps === undefined ? null : { complete: gaps.length === 0, missing: [...gaps] },
				});
			},
		}),
	};
}
