// A person requests roles of an application, and withdraws the request.

import type { Allowance } from "../../../domain/address-allowance.ts";
import type { Application } from "../../../domain/application.ts";
import type { ApplicationRole } from "../../../domain/application-role.ts";
import {
	longestMs,
	notRequestable,
	type Offer,
	type OwnRequest,
	PENDING_PERSON_REQUESTS_MAX,
	PERSON_REQUESTS_PER_HOUR,
	type PersonRequest,
	personRequestTarget,
	tooLong,
} from "../../../domain/person-request.ts";
import { requestDecided, requestNotFound, UNDECIDED } from "../../../domain/request.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import { HOUR_MS, isoTime, MINUTE_MS, secondsUntil } from "../../../kernel/clock.ts";
import { AppError, found, tooMany } from "../../../kernel/error.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { mailNewRequest, reviewUrl } from "../steps/address-mail.ts";

const ALLOWANCE: Allowance = { kind: "person", count: PERSON_REQUESTS_PER_HOUR, windowMs: HOUR_MS };

/** `roles`: names. */
export type RoleRequest = Pick<PersonRequest, "appId" | "roles" | "reason" | "untilMs">;

/**
 * Of concurrent requests for one application, one succeeds.
 *
 * @throws AppError `application.token`, `request.not_requestable` (also for an application that does not exist),
 * `request.too_long`, `request.pending_exists`, `request.queue_full`.
 */
export async function requestRoles(
	{
		db,
		clock,
		publicUrl,
		wakeMail,
	}: Needs<
		| "accessFacts"
		| "allowances"
		| "requestMails"
		| "applicationRoles"
		| "applications"
		| "audit"
		| "grants"
		| "mail"
		| "personRequests"
		| "users",
		"clock" | "publicUrl" | "wakeMail"
	>,
	{ appId, roles, reason, untilMs }: RoleRequest,
	caller: SignedIn,
): Promise<OwnRequest> {
	checkInPerson(caller, "request access for its user");
	const now = clock();
	const { tenantId, userId, user } = caller;
	const created = await db.transaction(async (stores) => {
		const { allowances, applications, audit, personRequests } = stores;
		const application = found(await applications.findById(tenantId, appId), notRequestable);
		const requestable = found(await findRequestableRoles(stores, application, userId), notRequestable);
		const names = [...new Set(roles)].sort();
		if (!names.every((name) => requestable.some((role) => role.name === name))) throw notRequestable();
		if (names.length === 0 && application.requestableRoleIds?.length !== 0) throw notRequestable();
		checkEnd(application, untilMs, now);
		const request: PersonRequest = {
			id: newId(now),
			tenantId,
			...UNDECIDED,
			userId,
			appId,
			roles: names,
			reason,
			untilMs,
			createdAtMs: now,
			updatedAtMs: now,
		};
		const pending = await personRequests.countPending(tenantId, userId);
		if (!(await personRequests.insert(request)))
			throw new AppError(
				"request.pending_exists",
				"you have a pending request for this application: withdraw it, or wait for the decision",
			);
		if (pending >= PENDING_PERSON_REQUESTS_MAX) throw queueFull(HOUR_MS / 1000);
		const nextMs = await allowances.take(ALLOWANCE, userId, now);
		if (nextMs !== undefined) throw queueFull(secondsUntil(nextMs, now));
		const { name: appName } = application;
		const details = { app_id: appId, user_id: userId, roles: names, until: isoTime(untilMs) };
		await audit.append(caller, "person_request.submitted", personRequestTarget(request, appName), details);
		await mailNewRequest(
			stores,
			request,
			{
				kind: "person_request_notice",
				username: user.username,
				applicationName: appName,
				roles: names.join(", "),
				reason,
				endsAt: isoTime(untilMs),
				reviewUrl: reviewUrl(publicUrl, request),
			},
			{ groupId: application.requestableReviewers, except: userId },
		);
		return { ...request, appName };
	});
	wakeMail();
	return created;
}

/**
 * The roles of an application that a person may request: not those that a group gives them without an end.
 *
 * @returns undefined if the application takes no requests, or the person has a grant without an end or lacks no role.
 */
export async function findRequestableRoles(
	{ accessFacts, applicationRoles, grants }: Stores<"accessFacts" | "applicationRoles" | "grants">,
	{ id: appId, tenantId, status, accessPolicy, requestableRoleIds: ids }: Offer,
	userId: string,
): Promise<ApplicationRole[] | undefined> {
	if (status !== "active" || ids === null) return undefined;
	const own = await grants.find(tenantId, appId, { kind: "user", id: userId });
	if (own?.expiresAtMs === null) return undefined;
	const facts = await accessFacts.load(tenantId, userId, appId);
	const ofGroups = facts.grants.filter(
		({ group, expiresAtMs }) => group !== undefined && expiresAtMs === null,
	);
	const held = ofGroups.flatMap(({ roles }) => roles.map(({ id }) => id));
	const defined = await applicationRoles.listAll(tenantId, appId);
	const roles = defined.filter(({ id }) => ids.includes(id) && !held.includes(id));
	const takesAccess = ids.length === 0 && accessPolicy === "assigned" && ofGroups.length === 0;
	return roles.length > 0 || takesAccess ? roles : undefined;
}

function checkEnd({ requestableLongest }: Application, untilMs: number, nowMs: number): void {
	const latestMs = nowMs + longestMs(requestableLongest ?? "");
	if (untilMs < nowMs + MINUTE_MS || untilMs > latestMs) throw tooLong(latestMs);
}

function queueFull(seconds: number): AppError {
	return tooMany(
		"request.queue_full",
		`at most ${PENDING_PERSON_REQUESTS_MAX} requests may wait, and be made in an hour`,
		{
			limit: PENDING_PERSON_REQUESTS_MAX,
			seconds,
		},
	);
}

/** @throws AppError `application.token`, `request.not_found` (also for the request of another person), `request.already_decided`. */
export async function withdrawRequest(
	{ db, clock }: Needs<"applications" | "audit" | "personRequests" | "requests", "clock">,
	id: string,
	caller: SignedIn,
): Promise<OwnRequest> {
	checkInPerson(caller, "withdraw requests of its user");
	const { tenantId, userId } = caller;
	return await db.transaction(async ({ applications, audit, personRequests, requests }) => {
		const withdrawn = await personRequests.withdraw(tenantId, userId, id, clock());
		if (withdrawn === undefined) {
			const request = await requests.findById({ tenantId, memberId: null }, id);
			if (request?.kind !== "person" || request.userId !== userId) throw requestNotFound();
			throw requestDecided(request);
		}
		const { name: appName } = found(await applications.findById(tenantId, withdrawn.appId), requestNotFound);
		await audit.append(caller, "person_request.withdrawn", personRequestTarget(withdrawn, appName));
		return { ...withdrawn, appName };
	});
}
