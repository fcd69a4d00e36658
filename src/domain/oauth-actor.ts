// A client that acted at an API for a person (RFC 8693), as the person sees it.

import type { Page, PageQuery } from "../kernel/page.ts";

/** One client at one API within one sign-in. */
export interface OAuthActor {
	readonly id: string;
	readonly tenantId: string;
	readonly userId: string;
	/** The sign-in of the person, which also ends it. */
	readonly grantId: string;
	/** The application that acted. */
	readonly actorId: string;
	/** The application of the API. */
	readonly apiId: string;
	readonly createdAtMs: number;
	readonly lastUsedAtMs: number;
}

export interface ListedActor extends OAuthActor {
	readonly actorName: string;
	readonly apiName: string;
	/** The application at which the person signed in. */
	readonly frontName: string;
}

export interface OAuthActorStore {
	/** Inside a transaction: stores when each client acted last. Ignores those whose sign-in has ended or whose application was deleted. */
	note(actors: readonly OAuthActor[]): Promise<void>;
	/** The latest first; none whose sign-in has ended. */
	list(tenantId: string, userId: string, nowMs: number, page: PageQuery): Promise<Page<ListedActor>>;
	find(tenantId: string, userId: string, id: string): Promise<OAuthActor | undefined>;
}

/** Buffers in bounded memory; a job writes every few seconds. */
export interface ActorRecorder {
	note(actor: Omit<OAuthActor, "id" | "createdAtMs">): void;
}
