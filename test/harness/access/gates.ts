// Gates for tests.

import type { GateRule } from "../../../src/domain/gate-rule.ts";
import type { TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";
import { APPLICATIONS, addApplication, addRole } from "./applications.ts";

interface GateFields extends Readonly<Record<string, unknown>> {
	readonly rules?: readonly GateRule[];
}

/**
 * Puts a gate in front of an application, by default without rules, and of a new one with a role that holds what the rules
 * need.
 */
export async function addGate(
	service: TestService,
	fields: GateFields = {},
	appId?: string,
): Promise<DataOf<"PUT /api/v1/applications/{id}/gate">> {
	const id = appId ?? (await addApplication(service)).id;
	const needs = new Set(fields.rules?.map((rule) => rule.needs).filter((need) => need.includes(":")));
	if (appId === undefined && needs.size > 0) await addRole(service, id, "passing", [...needs]);
	return await service.asAdmin("PUT", `${APPLICATIONS}/${id}/gate`, { rules: [], ...fields });
}
