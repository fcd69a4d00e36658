// Decides recent requests of a gate twice, by its settings and by a draft, and finds those that differ.

import { heldByRoles } from "../../../domain/application-role.ts";
import { CALLER_KINDS, type Gate, type GateSettings } from "../../../domain/gate.ts";
import { judgeCaller, judgeTestClient, type ProvedCaller } from "../../../domain/gate-decision.ts";
import { findRule, type GateRule, type PlacedRule, PUBLIC, placeRules } from "../../../domain/gate-rule.ts";
import type { SampledRequest } from "../../../domain/gate-sample.ts";
import { NO_CALLER, type Refusal } from "../../../domain/refusal.ts";
import { AppError } from "../../../kernel/error.ts";
import { PAGE_SIZE_MAX } from "../../../kernel/page.ts";
import type { Needs } from "../../platform.ts";
import { type ExplainedCaller, type ExplainNeeds, factsOf, isTestClient } from "./explain-call.ts";
import { noRule, proofMissing } from "./gate-refusals.ts";
import { getGate } from "./manage-gate.ts";
import { checkSettings } from "./put-gate.ts";

type Needed = ExplainNeeds & Needs<"refusals" | "secondFactors", "gateSample">;

export interface ReplayedOutcome {
	/** Undefined if the request passes. */
	readonly code: string | undefined;
	/** The position of the rule, from 0; undefined for none. */
	readonly rule: number | undefined;
}

export interface ReplayedCall {
	readonly method: string;
	readonly path: string;
	/** Of a refusal as in `Latchkey-Caller`; of the sample only the kind. */
	readonly caller: string;
	readonly before: ReplayedOutcome;
	readonly after: ReplayedOutcome;
}

export interface Replay {
	/** How many refusals and how many requests of the sample were decided. */
	readonly refusals: number;
	readonly sampled: number;
	/** Equal ones once, with their number, newest first. */
	readonly changes: readonly { readonly call: ReplayedCall; readonly count: number }[];
}

/**
 * Judges the caller of a request by a rule that is not public.
 *
 * @returns the code of a refusal that remains
 * @throws AppError if the request must not pass
 */
type Judge = (settings: GateSettings, rule: GateRule) => string | undefined;
type Replayable = Pick<ReplayedCall, "method" | "path" | "caller"> & { readonly judge: Judge };

/** Before these, the gate does not ask who calls. */
const UNASKED: readonly string[] = ["gate.no_rule", "gate.path", "application.disabled"];
/** What a draft can change for a caller that is known. Other refusals remain unless the rule is public. */
const JUDGED: readonly string[] = [
	"gate.caller_kind",
	"gate.test_client",
	"application.access_denied",
	"scope.missing",
	"mfa.required",
];

/**
 * Both decisions use what is stored now, so that they differ only by the draft. Requests whose caller the gate did not learn
 * count as anonymous, and a token that lacked a scope still lacks it.
 *
 * @throws AppError `application.not_found`, `gate.not_found`; `request.invalid` for a draft that the gate would not take.
 */
export async function replayCalls(
	needs: Needed,
	tenantId: string,
	applicationId: string,
	draft: GateSettings,
): Promise<Replay> {
	const { stores } = needs.db;
	const gate = await getGate(needs, tenantId, applicationId);
	checkSettings(draft, heldByRoles(await stores.applicationRoles.listAll(tenantId, applicationId)), "draft.");
	const ofGate = { tenantId, applicationId, subject: "gate" } as const;
	const { items } = await stores.refusals.list(ofGate, { page: 1, pageSize: PAGE_SIZE_MAX });
	const refused = await replayableRefusals(needs, gate, items);
	const sampled = (needs.gateSample?.of(applicationId) ?? []).map(replayableSample);
	const [before, after] = [decider(gate), decider(draft)];
	const changed = new Map<string, { readonly call: ReplayedCall; readonly count: number }>();
	for (const { judge, ...request } of [...refused, ...sampled]) {
		const call = { ...request, before: before(request, judge), after: after(request, judge) };
		if ((call.before.code === undefined) === (call.after.code === undefined)) continue;
		const key = JSON.stringify(call);
		changed.set(key, { call, count: (changed.get(key)?.count ?? 0) + 1 });
	}
	return { refusals: refused.length, sampled: sampled.length, changes: [...changed.values()] };
}

function decider(settings: GateSettings) {
	const rules = placeRules(settings.rules);
	return ({ method, path }: Pick<ReplayedCall, "method" | "path">, judge: Judge): ReplayedOutcome => {
		let placed: PlacedRule | undefined;
		try {
			placed = findRule(rules, method, path);
			if (placed === undefined) throw noRule();
			const code = placed.rule.needs === PUBLIC ? undefined : judge(settings, placed.rule);
			return { code, rule: placed.position };
		} catch (error) {
			if (!(error instanceof AppError)) throw error;
			return { code: error.code, rule: placed?.position };
		}
	};
}

function replayableSample({ method, path, kind, ...held }: SampledRequest): Replayable {
	return {
		method,
		path,
		caller: kind ?? PUBLIC,
		judge: (settings, rule) => judgeSampled(settings, rule, kind, held),
	};
}

function judgeSampled(
	{ accept }: GateSettings,
	rule: GateRule,
	kind: SampledRequest["kind"],
	{
		isTest,
		hasSecondFactor,
		permissions,
	}: Pick<SampledRequest, "isTest" | "hasSecondFactor" | "permissions">,
): undefined {
	if (kind === undefined) throw proofMissing();
	const facts = {
		user: { status: "active" },
		application: { status: "active", accessPolicy: "open" },
		grants: [{ id: "", group: undefined, roles: [{ id: "", name: "", permissions }], expiresAtMs: null }],
	} as const;
	if (isTest) judgeTestClient(accept, rule);
	else judgeCaller(accept, rule, { kind, id: "", name: "", facts, hasSecondFactor });
}

async function replayableRefusals(
	needs: Needed,
	gate: Gate,
	refusals: readonly Refusal[],
): Promise<Replayable[]> {
	const { tenantId, applicationId } = gate;
	const isFactorRequired = await needs.db.stores.secondFactors.isRequired(tenantId, applicationId);
	const callers = new Map<string, Promise<Known | undefined>>();
	const knownBy = (caller: string) => {
		const known = callers.get(caller) ?? load(needs, gate, caller);
		callers.set(caller, known);
		return known;
	};
	return await Promise.all(
		refusals.map(async ({ method, path, caller, code }) => {
			const known = JUDGED.includes(code) ? await knownBy(caller) : undefined;
			return { method, path, caller, judge: judgeOfRefusal(code, known, isFactorRequired) };
		}),
	);
}

interface Known {
	readonly isTest: boolean;
	readonly caller: ProvedCaller;
}

async function load(needs: Needed, gate: Gate, caller: string): Promise<Known | undefined> {
	if (caller === NO_CALLER) return undefined;
	const [name, id = ""] = caller.split(":");
	const kind = CALLER_KINDS.find((each) => each === name);
	if (kind === undefined) return undefined;
	const asked: ExplainedCaller = { kind, id };
	const [isTest, facts] = await Promise.all([
		isTestClient(needs, gate.tenantId, asked),
		factsOf(needs, gate, asked),
	]);
	return { isTest, caller: { ...asked, name: "", facts, hasSecondFactor: true } };
}

function judgeOfRefusal(code: string, known: Known | undefined, isFactorRequired: boolean): Judge {
	return ({ accept }, rule) => {
		if (known === undefined) return UNASKED.includes(code) ? proofMissing().code : code;
		if (known.isTest) judgeTestClient(accept, rule);
		else
			judgeCaller(accept, rule, {
				...known.caller,
				...(code === "scope.missing" && { scopes: [] }),
				...(code === "mfa.required" && { hasSecondFactor: false, isFactorRequired }),
			});
		return undefined;
	};
}
