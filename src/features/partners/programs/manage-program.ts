// Changes and removes reviewed programs, and has their documents read again.

import { checkExpiry } from "../../../domain/api-client.ts";
import type { ApplicationChanges } from "../../../domain/application.ts";
import { audienceNames, checkAssertionAudiences } from "../../../domain/assertion.ts";
import type { Administrator, Caller } from "../../../domain/caller.ts";
import { checkAllowedResources } from "../../../domain/oauth-client.ts";
import { type ListedProgram, type Program, programNotFound, programTarget } from "../../../domain/program.ts";
import { changeDetails, differences, fieldChanges, type Patch } from "../../../kernel/changes.ts";
import { found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

type Changeable = Pick<
	ListedProgram,
	"status" | "allowedResources" | "assertionAudiences" | "accessPolicy" | "expiresAtMs"
>;

/** An administrator's suspension replaces the one of the check. */
const SUSPENDED_BY = { active: null, suspended: "administrator" } as const;

const SHOWN = ["status", "allowedResources", "assertionAudiences", "accessPolicy", "expiresAtMs"] as const;

/**
 * Writes nothing if nothing changes.
 *
 * @throws AppError `request.invalid` (`allowed_resources`, `assertion_audiences`, `expires_at`), `program.not_found`.
 */
export async function updateProgram(
	{
		db,
		clock,
		publicUrl,
	}: Needs<"applications" | "oauthClients" | "programs" | "audit", "clock" | "publicUrl">,
	applicationId: string,
	patch: Patch<Changeable>,
	caller: Administrator,
): Promise<ListedProgram> {
	const now = clock();
	const { tenantId } = caller;
	if (patch.expiresAtMs != null) checkExpiry(patch.expiresAtMs, now);
	return await db.transaction(async ({ applications, oauthClients, programs, audit }) => {
		await oauthClients.findForUpdate(tenantId, applicationId);
		const before = found(await programs.find(tenantId, applicationId), programNotFound);
		const changes = differences<Partial<Changeable & Pick<Program, "suspendedBy">>>(before, {
			...patch,
			...(patch.status && { suspendedBy: SUSPENDED_BY[patch.status] }),
		});
		if (Object.keys(changes).length === 0) return before;
		const { allowedResources, assertionAudiences, accessPolicy, ...own } = changes;
		if (assertionAudiences !== undefined) {
			checkAssertionAudiences(assertionAudiences, before.document.authMethod === "none", publicUrl);
			await oauthClients.update(tenantId, applicationId, { assertionAudiences }, now);
		}
		if (allowedResources !== undefined) {
			await checkAllowedResources(oauthClients, tenantId, { resource: null, allowedResources });
			await oauthClients.update(tenantId, applicationId, { allowedResources }, now);
		}
		const access: ApplicationChanges = accessPolicy === undefined ? {} : { accessPolicy };
		if (accessPolicy !== undefined) await applications.update(tenantId, applicationId, access, now);
		await programs.update(tenantId, applicationId, own, now);
		const { assertionAudiences: _, ...others } = changes;
		const shown = { ...others, ...(assertionAudiences && namesOf({ assertionAudiences })) };
		await audit.append(
			caller,
			changes.suspendedBy === "administrator" ? "program.suspended" : "program.updated",
			programTarget(before),
			changeDetails(shown, SHOWN),
			fieldChanges({ ...before, ...namesOf(before) }, shown, ["suspendedBy"]),
		);
		return { ...before, ...changes, updatedAtMs: now };
	});
}

function namesOf({ assertionAudiences }: Pick<ListedProgram, "assertionAudiences">) {
	return { assertionAudiences: audienceNames(assertionAudiences) };
}

/** Ends its consents and tokens at once. @throws AppError `program.not_found`. */
export async function removeProgram(
	{ db, clock }: Needs<"applications" | "oauthClients" | "programs" | "programRequests" | "audit", "clock">,
	applicationId: string,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async ({ applications, oauthClients, programs, programRequests, audit }) => {
		const program = found(await programs.find(tenantId, applicationId), programNotFound);
		found(await oauthClients.remove(tenantId, applicationId), programNotFound);
		await applications.remove(tenantId, applicationId);
		await programRequests.withdrawChange(program, clock());
		await audit.append(caller, "program.removed", programTarget(program), { client_id: program.url });
	});
}

/** The next run of the check reads it. @throws AppError `program.not_found`. */
export async function readProgramAgain(
	{ db, clock }: Needs<"programs", "clock">,
	applicationId: string,
	{ tenantId }: Caller,
): Promise<void> {
	const now = clock();
	const isDue = await db.transaction(({ programs }) =>
		programs.update(tenantId, applicationId, { nextReadAtMs: now }, now),
	);
	if (!isDue) throw programNotFound();
}
