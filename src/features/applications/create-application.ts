// Makes an application; nobody may use it until somebody is granted it, unless it is made `open`.

import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/error.ts";
import { newId } from "../../kernel/id.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import { type AdminContext, type Application, type ApplicationStore, slugCandidates } from "./model.ts";
import { parseRedirectUris } from "./redirect-uri.ts";

export interface CreateApplicationDeps {
	readonly db: Persistence<{ applications: ApplicationStore; audit: AuditLog }>;
	readonly clock: Clock;
}

export type NewApplication = Omit<Application, "id" | "tenantId" | "slug" | "createdAtMs" | "updatedAtMs"> & {
	/** Undefined: made from the name, with a suffix where that is taken. */
	readonly slug: string | undefined;
};

/** @throws AppError `request.invalid` (redirect addresses), `application.slug_taken`. */
export async function createApplication(
	{ db, clock }: CreateApplicationDeps,
	wanted: NewApplication,
	{ tenantId, actor, origin }: AdminContext,
): Promise<Application> {
	const now = clock();
	const id = newId(now);
	const redirectUris = parseRedirectUris(wanted.redirectUris);
	const slugs = wanted.slug === undefined ? slugCandidates(wanted.name, id) : [wanted.slug];
	return db.transaction(async ({ applications, audit }) => {
		for (const slug of slugs) {
			const application = {
				...wanted,
				id,
				tenantId,
				slug,
				redirectUris,
				createdAtMs: now,
				updatedAtMs: now,
			};
			if (!(await applications.insert(application))) continue;
			await audit.append({
				tenantId,
				actor,
				action: "application.created",
				target: `application:${id}`,
				origin,
				details: {
					name: application.name,
					slug,
					access_policy: application.accessPolicy,
					status: application.status,
					...(application.requireMfa && { require_mfa: true }),
				},
			});
			return application;
		}
		throw slugTaken(slugs[0] ?? "");
	});
}

export function slugTaken(slug: string): AppError {
	const message = "is taken by another application";
	return new AppError("application.slug_taken", `slug ${slug} ${message}`, {
		fields: [{ field: "slug", message }],
	});
}
