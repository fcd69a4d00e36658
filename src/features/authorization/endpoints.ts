// `/access`: decisions about access, explained to administrators.

import { data, endpoint } from "../../http/endpoint.ts";
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
} from "../../http/schema.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { SignedIn } from "../auth/model.ts";
import { NEEDS, type Rule } from "./explain-access.ts";
import { type ExplainDeps, explainDecision } from "./explain-decision.ts";
import { DECISION_REASONS } from "./model.ts";

const named = (what: string): Schema<{ id: string; name: string } | null> =>
	nullable(object({ id: plain({ format: "uuid" }), name: plain() }, { description: what }));

const rule = {
	by: choice(["open", "grant"], { description: "`open`: the application lets every active user in." }),
	grant_id: nullable(plain({ format: "uuid" })),
	group: named("The group the grant came by; null for the user's own."),
	role: named("The role that gives the permission asked for."),
	permission: nullable(plain({ description: "What of the role covers it, e.g. `orders:*`." })),
};

const explanationSchema = object(
	{
		allowed: boolean(),
		reason: choice(DECISION_REASONS),
		user_id: plain({ format: "uuid" }),
		app_id: plain({ format: "uuid" }),
		permission: nullable(plain()),
		at: nullable(time({ description: "The past moment asked about; null for now." })),
		roles: list(plain()),
		permissions: list(plain()),
		rule: nullable(object(rule, { description: "The rule that made the decision; null when denied." })),
		rules: list(object(rule, { title: "AccessRule" }), {
			description:
				"Every rule that allows it by itself, the one above first: to take access away, none may stand. Empty when denied.",
		}),
		needed: list(
			object({
				what: choice(NEEDS),
				roles: list(plain(), {
					description: "For `permission`: the application's roles that give it now. Empty for a past moment.",
				}),
			}),
			{
				description:
					"Everything that must change for it to be allowed, not only the first. Empty when allowed.",
			},
		),
		history: nullable(
			object(
				{
					complete: boolean(),
					missing: list(plain(), { description: "What the audit trail does not tell." }),
				},
				{ description: "How far the audit trail tells of the past moment; null for now." },
			),
		),
	},
	{ title: "AccessExplanation" },
);

export function accessEndpoints(deps: ExplainDeps) {
	return {
		explain: endpoint<SignedIn>()({
			name: "explainAccess",
			summary: "Explain an access decision",
			description:
				"The decision, the rules that make it, and what would be needed if it is a denial. With `at`, as it was right after everything that had happened by that moment, worked out from the audit trail; what the trail does not tell counts as absent and is named in `history`. Unknown users and applications are answers, not errors.",
			body: object({
				user_id: uuid(),
				app_id: uuid(),
				permission: optional(text({ max: 128, description: "e.g. `orders:read`" })),
				at: optional(timeInput({ description: "A past moment; now unless given." })),
			}),
			answer: data(200, explanationSchema, "The decision and why."),
			async handle({ caller, body }) {
				const { user_id: userId, app_id: appId, permission } = body;
				const atMs = body.at === undefined ? undefined : Date.parse(body.at);
				const explained = await explainDecision(deps, caller.tenantId, { userId, appId, permission, atMs });
				const { decision, needed, gaps } = explained;
				const rules = explained.rules.map(toWireRule);
				return {
					allowed: decision.allowed,
					reason: decision.reason,
					user_id: userId,
					app_id: appId,
					permission: permission ?? null,
					at: atMs === undefined ? null : isoTime(atMs),
					roles: [...decision.roles],
					permissions: [...decision.permissions],
					rule: rules[0] ?? null,
					rules,
					needed: needed.map(({ what, roles }) => ({ what, roles: [...roles] })),
					history: gaps === undefined ? null : { complete: gaps.length === 0, missing: [...gaps] },
				};
			},
		}),
	};
}

function toWireRule({ by, grantId, group, role, permission }: Rule) {
	return { by, grant_id: grantId, group, role, permission };
}
