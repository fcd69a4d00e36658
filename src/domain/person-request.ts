// A person's request for roles of an application until a time, and which roles an application lets people request.

import { DAY_MS, HOUR_MS, isoTime } from "../kernel/clock.ts";
import { AppError, refusedField } from "../kernel/error.ts";
import { problem } from "../kernel/field-reason.ts";
import type { Page, PageQuery } from "../kernel/page.ts";
import type { Application } from "./application.ts";
import { type NamedTarget, named } from "./audit.ts";
import type { RequestState } from "./request.ts";

/** Limits: the reason in code points. */
export const PERSON_REASON_MIN = 10;
export const PERSON_REASON_MAX = 500;
/** Of one person, in all applications. */
export const PENDING_PERSON_REQUESTS_MAX = 20;
/** Of one person: each mails the reviewers. */
export const PERSON_REQUESTS_PER_HOUR = 20;
/** An ISO 8601 duration of days or hours. */
export const LONGEST = /^P(?:[1-9][0-9]{0,2}D|T[1-9][0-9]{0,2}H)$/;

export interface PersonRequest extends RequestState {
	readonly userId: string;
	readonly appId: string;
	/** Names, sorted. */
	readonly roles: readonly string[];
	readonly reason: string;
	readonly untilMs: number;
}

/** As the person sees it. */
export interface OwnRequest extends PersonRequest {
	readonly appName: string;
}

/** What decides which roles of an application a person may request. */
export type Offer = Pick<Application, "id" | "tenantId" | "status" | "accessPolicy" | "requestableRoleIds">;

/** An application with roles that a person may request. */
export interface RequestableApplication
	extends Pick<Application, "name" | "description" | "homepageUrl" | "logoUrl" | "requestableLongest">,
		Offer {
	/** The pending request of the person for this application. */
	readonly pendingRequestId: string | null;
}

export interface PersonRequestStore {
	/** @returns false if the person has a pending request for the application: decided by the unique index. */
	insert(request: PersonRequest): Promise<boolean>;
	/** Inside a transaction: locks the person, so that concurrent requests cannot exceed the limit. */
	countPending(tenantId: string, userId: string): Promise<number>;
	/** Newest first. */
	list(tenantId: string, userId: string, page: PageQuery): Promise<Page<OwnRequest>>;
	/** Inside a transaction. @returns the withdrawn request; undefined if the person has no such pending request. */
	withdraw(tenantId: string, userId: string, id: string, nowMs: number): Promise<PersonRequest | undefined>;
	/** Active applications with a role that the person may request and does not hold without an end, by name. */
	listRequestable(tenantId: string, userId: string, page: PageQuery): Promise<Page<RequestableApplication>>;
}

/** @param longest matches `LONGEST` */
export function longestMs(longest: string): number {
	const count = Number(longest.replaceAll(/[^0-9]/g, ""));
	return count * (longest.endsWith("D") ? DAY_MS : HOUR_MS);
}

/** As audit events name it. */
export function personRequestTarget({ id }: Pick<PersonRequest, "id">, appName: string): NamedTarget {
	return named("person_request", id, appName);
}

/** @param latestMs the latest end */
export function tooLong(latestMs: number): AppError {
	return refusedField("request.too_long", "until", problem("until_max", { until: isoTime(latestMs) }));
}

/** The same for an application that does not exist, so that it reveals no application that the user may not use. */
export function notRequestable(): AppError {
	return new AppError(
		"request.not_requestable",
		"the application takes no requests for these roles, or you have them already",
	);
}

/** Absent: as requested. */
export interface PersonApproval {
	readonly roles?: readonly string[] | undefined;
	readonly untilMs?: number | undefined;
}
