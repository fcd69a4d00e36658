// What a kind of request adds to the decision that all kinds share.

import type { AuditDetails, NamedTarget } from "../../../domain/audit.ts";
import type { AuditAction } from "../../../domain/audit-action.ts";
import type { NewMail } from "../../../domain/mail.ts";
import type { PersonApproval } from "../../../domain/person-request.ts";
import type { RequestKind, Reviewed } from "../../../domain/request.ts";
import type { Decision, RequestOf, Reviewer } from "../../../domain/request-queue.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { ClientSettings } from "../access-requests/create-approved-client.ts";
import type { ProgramApproval } from "../programs/pin-program.ts";

/** What the reviewer sets with an approval. */
export interface SettingsOf {
	readonly partner: ClientSettings;
	readonly program: ProgramApproval;
	readonly person: PersonApproval;
}

export type RequestStores = Stores<
	| "requests"
	| "accessRequests"
	| "adminKeys"
	| "apiClients"
	| "applicationRoles"
	| "applications"
	| "audit"
	| "grants"
	| "mail"
	| "oauthClients"
	| "programRequests"
	| "programs"
	| "users"
>;

/** A request whose mails are written. */
export interface Mailing<K extends RequestKind> {
	readonly stores: RequestStores;
	/** As decided. */
	readonly request: RequestOf[K] & Reviewed;
	readonly publicUrl: string;
	readonly nowMs: number;
}

/** A request that is decided in the transaction of `stores`. */
export interface Deciding<K extends RequestKind> extends Mailing<K> {
	readonly caller: Reviewer;
}

export interface RequestRules<K extends RequestKind> {
	/** Throws if the caller may not decide this request; default: every reviewer may. */
	checkDecides?(deciding: Deciding<K>): Promise<void>;
	readonly actions: Readonly<Record<Decision["status"] | "resent", AuditAction>>;
	target(request: RequestOf[K] & Reviewed): NamedTarget;
	/** Of the audit event of an approval. */
	details(request: RequestOf[K], settings: SettingsOf[K]): AuditDetails;
	/** Creates what was requested. @returns the mails of the decision. */
	approve(deciding: Deciding<K>, settings: SettingsOf[K]): Promise<NewMail[]>;
	reject(deciding: Deciding<K>): Promise<NewMail[]>;
	/** The mails that a decision would send. Changes nothing. */
	preview(mailing: Mailing<K>, status: Decision["status"]): Promise<NewMail[]>;
	/** The mails of an approval once more. */
	resend(deciding: Deciding<K>): Promise<NewMail[]>;
}
