// Explains what a gate would decide for a request by a caller with a valid proof.

import type { AccessFacts, DecisionReason } from "../../../domain/access.ts";
import { isUsable } from "../../../domain/api-client.ts";
import { heldByRoles } from "../../../domain/application-role.ts";
import type { CallerKind, Gate, GateSettings } from "../../../domain/gate.ts";
import { judgeCaller, judgeTestClient } from "../../../domain/gate-decision.ts";
import {
	findRule,
	isHeld,
	meetings,
	type PlacedRule,
	PUBLIC,
	placeRules,
} from "../../../domain/gate-rule.ts";
import { pathOf } from "../../../domain/request-readings.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { applicationDisabled, noRule, proofMissing } from "./gate-refusals.ts";
import { getGate } from "./manage-gate.ts";
import { checkSettings } from "./put-gate.ts";

export type ExplainNeeds = Needs<
	"applications" | "applicationRoles" | "gates" | "accessFacts" | "apiClients",
	"clock"
>;

export interface ExplainedCaller {
	readonly kind: CallerKind;
	readonly id: string;
}

export interface CallQuestion {
	readonly method: string;
	readonly target: string;
	/** Undefined: a request without a proof. */
	readonly caller: ExplainedCaller | undefined;
	/** Settings that decide instead of those of the gate. */
	readonly draft?: GateSettings | undefined;
}

export interface CallExplanation {
	/** Undefined if the gate refuses before it finds a rule. */
	readonly rule: PlacedRule | undefined;
	/** Undefined if the request passes. */
	readonly refusal: AppError | undefined;
	readonly permissions: readonly string[];
}

/**
 * Makes the same decision as the gate. The proof of the caller counts as valid, without the limits of a token, and with
 * a second factor.
 *
 * @throws AppError `application.not_found`, `gate.not_found`; `request.invalid` for a draft that the gate would not take.
 */
export async function explainCall(
	needs: ExplainNeeds,
	tenantId: string,
	applicationId: string,
	{ method, target, caller, draft }: CallQuestion,
): Promise<CallExplanation> {
	const gate = { ...(await getGate(needs, tenantId, applicationId)), ...draft };
	if (draft !== undefined) {
		const roles = await needs.db.stores.applicationRoles.listAll(tenantId, applicationId);
		checkSettings(draft, heldByRoles(roles), "draft.");
	}
	let rule: PlacedRule | undefined;
	try {
		const facts = caller && (await factsOf(needs, gate, caller));
		await requireActive(needs, gate);
		rule = findRule(placeRules(gate.rules), method, target);
		if (rule === undefined) throw noRule();
		if (rule.rule.needs === PUBLIC) return { rule, refusal: undefined, permissions: [] };
		if (caller === undefined || facts === undefined) throw proofMissing();
		if (await isTestClient(needs, tenantId, caller))
			return { rule, refusal: undefined, permissions: judgeTestClient(gate.accept, rule.rule) };
		const proved = { ...caller, name: "", facts, hasSecondFactor: true };
		const permissions = judgeCaller(gate.accept, rule.rule, proved);
		return { rule, refusal: undefined, permissions };
	} catch (error) {
		if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
		if (isMissingPermission(error))
			return { rule, refusal: await explainMissing(needs, gate, rule, error), permissions: [] };
		const refusal = error.code === "gate.path" ? explainPath(gate, method, target, error) : error;
		return { rule, refusal, permissions: [] };
	}
}

function isMissingPermission({ headers }: AppError): boolean {
	return headers["latchkey-reason"] === ("missing_permission" satisfies DecisionReason);
}

/** Names the rules between which the path is ambiguous, if it is. */
function explainPath({ rules }: Gate, method: string, target: string, refusal: AppError): AppError {
	try {
		const [met, other] = meetings(placeRules(rules), method, pathOf(target));
		if (met === undefined || other === undefined) return refusal;
		const nameOf = (placed: PlacedRule | undefined) =>
			placed === undefined ? "no rule" : `the rule ${placed.rule.path}`;
		const message = `the path meets ${nameOf(met.rule)}, but read as ${other.reading} it meets ${nameOf(other.rule)}`;
		return new AppError(refusal.code, message);
	} catch (error) {
		if (error instanceof AppError) return refusal;
		throw error;
	}
}

/** A role may have been removed since the rule was created. */
async function explainMissing(
	{ db }: ExplainNeeds,
	{ tenantId, applicationId }: Gate,
	placed: PlacedRule | undefined,
	refusal: AppError,
): Promise<AppError> {
	const held = heldByRoles(await db.stores.applicationRoles.listAll(tenantId, applicationId));
	if (placed === undefined || isHeld(placed.rule.needs, held)) return refusal;
	const message = `no caller passes this rule: no role of the application holds ${placed.rule.needs}`;
	return new AppError(refusal.code, message, { headers: refusal.headers });
}

export async function isTestClient(
	{ db, clock }: ExplainNeeds,
	tenantId: string,
	{ kind, id }: ExplainedCaller,
): Promise<boolean> {
	const client = kind === "partner" ? await db.stores.apiClients.findById(tenantId, id) : undefined;
	return client?.mode === "test" && isUsable(client, clock());
}

async function requireActive({ db }: ExplainNeeds, { tenantId, applicationId }: Gate): Promise<void> {
	const application = await db.stores.applications.findById(tenantId, applicationId);
	if (application?.status !== "active") throw applicationDisabled();
}

export async function factsOf(
	{ db: { stores }, clock }: ExplainNeeds,
	{ tenantId, applicationId }: Gate,
	{ kind, id }: ExplainedCaller,
): Promise<AccessFacts> {
	const { accessFacts, apiClients } = stores;
	if (kind === "person") return await accessFacts.load(tenantId, id, applicationId);
	if (kind === "program")
		return await accessFacts.loadOfCaller(tenantId, { kind: "program", id }, applicationId);
	const facts = await accessFacts.loadOfCaller(tenantId, { kind: "api_client", id }, applicationId);
	const client = await apiClients.findById(tenantId, id);
	const isExpired = client !== undefined && !isUsable(client, clock());
	return isExpired && facts.user !== undefined ? { ...facts, user: { status: "disabled" } } : facts;
}
