// What a kind of request adds to the decision that all kinds share.

import type { AuditDetails, NamedTarget } from "../../../domain/audit.ts";
import type { AuditAction } from "../../../domain/audit-action.ts";
import type { Administrator } from "../../../domain/caller.ts";
import type { NewMail } from "../../../domain/mail.ts";
import type { RequestKind } from "../../../domain/request.ts";
import type { Decision, RequestOf } from "../../../domain/request-queue.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { ClientSettings } from "../access-requests/create-approved-client.ts";
import type { ProgramApproval } from "../programs/pin-program.ts";

/** What the reviewer sets with an approval. */
export interface SettingsOf {
	readonly partner: ClientSettings;
	readonly program: ProgramApproval;
}

export type RequestStores = Stores<
	| "requests"
	| "accessRequests"
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
	readonly request: RequestOf[K];
	readonly publicUrl: string;
	readonly nowMs: number;
}

/** A request that is decided in the transaction of `stores`. */
export interface Deciding<K extends RequestKind> extends Mailing<K> {
	readonly caller: Administrator;
}

export interface RequestRules<K extends RequestKind> {
	readonly actions: Readonly<Record<Decision["status"] | "resent", AuditAction>>;
	target(request: RequestOf[K]): NamedTarget;
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
