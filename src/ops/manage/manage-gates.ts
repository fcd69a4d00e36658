// Lists and shows gates, and explains their decisions. Objects have the shape of the API, with the name of the application.

import type { Application } from "../../domain/application.ts";
import { CALLER_KINDS, type Gate } from "../../domain/gate.ts";
import { type ExplainedCaller, explainCall } from "../../features/partners/gate/explain-call.ts";
import { explainBody, toQuestion, toWireExplanation } from "../../features/partners/gate/explanation-wire.ts";
import { toWireGate } from "../../features/partners/gate/gate-wire.ts";
import { getGate } from "../../features/partners/gate/manage-gate.ts";
import { mapPage } from "../../kernel/page.ts";
import { StartError } from "../../kernel/start-error.ts";
import { inputOf } from "./check-input.ts";
import { findApplication, findApplicationId, findClient } from "./manage-clients.ts";
import { findUser } from "./manage-users.ts";
import { type Operation, takeFirst } from "./operation.ts";

const checkQuestion = inputOf(explainBody);

/** Newest first. */
export async function listGates({ db, caller: { tenantId } }: Operation, limit: number) {
	const { gates, applications } = db.stores;
	const found = await takeFirst((page) => gates.list(tenantId, page), limit);
	const names = new Map<string, Application | undefined>();
	for (const { applicationId } of found.items)
		names.set(applicationId, await applications.findById(tenantId, applicationId));
	return mapPage(found, (gate) => shown(names.get(gate.applicationId), gate));
}

/** @param name slug, name, or id of the application. @throws AppError `gate.not_found` */
export async function showGate(operation: Operation, name: string) {
	const application = await findApplication(operation, name);
	return shown(application, await getGate(operation, operation.caller.tenantId, application.id));
}

function shown(application: Application | undefined, gate: Gate) {
	return { application: application?.slug ?? "", ...toWireGate(gate) };
}

/**
 * @param caller the kind and the name of a caller, such as `person:ada`; undefined: a request without a proof
 * @returns what the API returns, and the rule that applies
 * @throws StartError for an invalid question or an unknown caller; AppError `gate.not_found`.
 */
export async function explainGate(
	operation: Operation,
	name: string,
	{ method, target, caller }: { readonly method: string; readonly target: string; readonly caller?: string },
) {
	const applicationId = await findApplicationId(operation, name);
	const asked = toQuestion(checkQuestion({ method: method.toUpperCase(), target }));
	const question = {
		...asked,
		caller: caller === undefined ? undefined : await findCaller(operation, caller),
	};
	const explanation = await explainCall(operation, operation.caller.tenantId, applicationId, question);
	return {
		explanation: toWireExplanation(explanation, question.caller),
		applied: explanation.rule,
	};
}

async function findCaller(operation: Operation, text: string): Promise<ExplainedCaller> {
	const [, name, subject = ""] = /^([a-z]+):(.+)$/s.exec(text) ?? [];
	const kind = CALLER_KINDS.find((kind) => kind === name);
	if (kind === undefined)
		throw new StartError(`--caller must be ${CALLER_KINDS.map((kind) => `${kind}:<name>`).join(", or ")}`, {
			kind: "usage",
		});
	if (kind === "partner") return { kind, id: (await findClient(operation, subject)).id };
	if (kind === "person") return { kind, id: (await findUser(operation, subject)).id };
	return { kind, id: await findApplicationId(operation, subject) };
}
