// Creates the gate of an application, or replaces its settings.

import { tokenDigest } from "../../../crypto/digest.ts";
import { randomToken } from "../../../crypto/random.ts";
import { type Application, applicationNotFound } from "../../../domain/application.ts";
import { heldByRoles } from "../../../domain/application-role.ts";
import { named } from "../../../domain/audit.ts";
import type { Caller } from "../../../domain/caller.ts";
import { hintOf } from "../../../domain/client-secret.ts";
import {
	type Gate,
	type GateSettings,
	type GateStore,
	gateOriginTaken,
	type NewGateKey,
	type StoredGate,
} from "../../../domain/gate.ts";
import { METHOD, METHOD_MAX, needsProblem, pathProblem, ruleText } from "../../../domain/gate-rule.ts";
import type { Stores } from "../../../domain/stores.ts";
import { differences, fieldChanges, wireFields, wireNames } from "../../../kernel/changes.ts";
import { CREDENTIAL_PREFIX } from "../../../kernel/credential-prefix.ts";
import { type FieldError, found, invalidField, invalidFields } from "../../../kernel/error.ts";
import { type Problem, problem } from "../../../kernel/field-reason.ts";
import type { Needs } from "../../platform.ts";

interface PutGate {
	readonly gate: Gate;
	readonly isNew: boolean;
	/** To show once; undefined if no key was created. */
	readonly keyPlain?: string | undefined;
}

/**
 * Idempotent: writes nothing if nothing changes. A role that is removed later leaves the rules as they are: the gate
 * then refuses what they need.
 *
 * @throws AppError `request.invalid`, `application.not_found`, `gate.origin_taken`.
 */
export async function putGate(
	{ db, clock }: Needs<"applications" | "applicationRoles" | "gates" | "audit", "clock">,
	applicationId: string,
	settings: GateSettings,
	caller: Caller,
): Promise<PutGate> {
	const now = clock();
	const { tenantId } = caller;
	return db.transaction(async (stores) => {
		const { gates, applicationRoles } = stores;
		const application = found(
			await stores.applications.findById(tenantId, applicationId),
			applicationNotFound,
		);
		checkSettings(settings, heldByRoles(await applicationRoles.listAll(tenantId, applicationId)));
		const before = await gates.findForUpdate(tenantId, applicationId);
		if (before !== undefined) return change(stores, application, before, settings, caller, now);
		const { keyPlain, ...key } = issueGateKey();
		const times = { createdAtMs: now, updatedAtMs: now };
		const stored = { applicationId, tenantId, ...settings, ...key, ...times };
		if (!(await gates.insert(stored)))
			return change(stores, application, await other(gates, stored), settings, caller, now);
		const details = wireFields({ ...settings, rules: settings.rules.length });
		await stores.audit.append(caller, "gate.created", gateTarget(application), details);
		return { gate: withoutDigests(stored), isNew: true, keyPlain };
	});
}

/** The key with which a proxy authenticates: the prefix and 43 base64url characters, 256 bits, to show once. */
export function issueGateKey(): NewGateKey & { readonly keyPlain: string } {
	const keyPlain = `${CREDENTIAL_PREFIX.gateKey}${randomToken()}`;
	return {
		keyPlain,
		keyDigest: tokenDigest(keyPlain),
		keyHint: hintOf(keyPlain),
		previousKeyDigest: null,
		previousKeyExpiresAtMs: null,
	};
}

/** The gate that another request has just created. @throws AppError `gate.origin_taken` if there is none. */
async function other(gates: GateStore, { tenantId, applicationId }: StoredGate): Promise<StoredGate> {
	return found(await gates.findForUpdate(tenantId, applicationId), gateOriginTaken);
}

async function change(
	{ gates, audit }: Stores<"gates" | "audit">,
	application: Application,
	before: StoredGate,
	settings: GateSettings,
	caller: Caller,
	now: number,
): Promise<PutGate> {
	const { tenantId, applicationId } = before;
	const changes = differences<Partial<GateSettings>>(before, settings);
	if (Object.keys(changes).length === 0) return { gate: withoutDigests(before), isNew: false };
	const outcome = await gates.update(tenantId, applicationId, changes, now);
	if (outcome === "origin_taken") throw gateOriginTaken();
	if (outcome === "missing") throw new Error("a locked gate vanished");
	const { rules, ...others } = changes;
	const shown = { ...others, ...(rules && { rules: rules.map(ruleText) }) };
	await audit.append(
		caller,
		"gate.updated",
		gateTarget(application),
		{ fields: wireNames(changes) },
		fieldChanges({ ...before, rules: before.rules.map(ruleText) }, shown),
	);
	return { gate: withoutDigests({ ...before, ...settings, updatedAtMs: now }), isNew: false };
}

export function gateTarget({ id, name }: Pick<Application, "id" | "name">) {
	return named("gate", id, name);
}

function withoutDigests({ keyDigest: _, previousKeyDigest: _previous, ...gate }: StoredGate): Gate {
	return gate;
}

/** @param within precedes the fields in the errors. @throws AppError `request.invalid` */
export function checkSettings(
	{ rules, browserOrigin, corsOrigins }: GateSettings,
	held: ReadonlySet<string>,
	within = "",
): void {
	const complaint = (field: string, found: Problem | undefined): FieldError[] =>
		found === undefined ? [] : [{ field: within + field, ...found }];
	const problems: FieldError[] = corsOrigins.flatMap((origin, index) =>
		isHttpsOrigin(origin) ? [] : complaint(`cors_origins.${index}`, problem("https_origin")),
	);
	const problemsOfRules = rules.flatMap((rule, index) => [
		...complaint(`rules.${index}.path`, pathProblem(rule.path)),
		...complaint(`rules.${index}.needs`, needsProblem(rule.needs, held)),
		...(rule.methods ?? []).flatMap((method, place) =>
			METHOD.test(method) && method.length <= METHOD_MAX
				? []
				: complaint(`rules.${index}.methods.${place}`, problem("rule_method")),
		),
	]);
	problems.push(...problemsOfRules);
	if (problems.length > 0) throw invalidFields(problems);
	if (browserOrigin !== null && !isHttpsOrigin(browserOrigin))
		throw invalidField(`${within}browser_origin`, "https_origin");
}

/** No pattern such as `https://*.example`, which a URL may contain. */
const HTTPS_ORIGIN = /^https:\/\/[a-z0-9.:[\]-]+$/;

/** In the form in which browsers send it in `Origin` (RFC 6454, section 6.2). */
function isHttpsOrigin(text: string): boolean {
	return HTTPS_ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
