// Programs that publish a document, and requests for them.

import { randomToken } from "../../../src/crypto/random.ts";
import type { ProgramDocuments } from "../../../src/domain/program-document.ts";
import { ProgramUnreadable } from "../../../src/domain/program-document.ts";
import { UNDECIDED } from "../../../src/domain/request.ts";
import { checkPrograms } from "../../../src/features/partners/programs/check-programs.ts";
import { newId } from "../../../src/kernel/id.ts";
import { openBeside } from "../service/beside-service.ts";
import type { TestService } from "../service/service.ts";

export interface PublishedPrograms {
	readonly documents: ProgramDocuments;
	/** The URLs that were read, in order. */
	readonly read: string[];
	/** Publishes a document with `changes`; null makes it unreadable. */
	publish(url: string, changes?: object | null): void;
}

export const PROGRAM_CALLBACK = "http://127.0.0.1/callback";

/** Stands in for the Internet. */
export function publishPrograms(): PublishedPrograms {
	const texts = new Map<string, string>();
	const read: string[] = [];
	return {
		read,
		documents: {
			read(url) {
				read.push(url);
				const text = texts.get(url);
				return text === undefined
					? Promise.reject(new ProgramUnreadable("returned status 404"))
					: Promise.resolve(text);
			},
		},
		publish(url, changes = {}) {
			if (changes === null) texts.delete(url);
			else texts.set(url, JSON.stringify(documentOf(url, changes)));
		},
	};
}

function documentOf(url: string, changes: object) {
	return { client_id: url, client_name: "Example Agent", redirect_uris: [PROGRAM_CALLBACK], ...changes };
}

/** Runs the check of due programs, as a node does every minute. */
export async function runCheck(service: TestService, { documents }: PublishedPrograms): Promise<void> {
	await using beside = await openBeside(service);
	const { db, clock } = beside;
	const nothing = (): void => undefined;
	const log = { isDebug: false, debug: nothing, info: nothing, warn: nothing, error: nothing };
	await checkPrograms({
		db,
		clock,
		log,
		publicUrl: "https://login.example",
		programDocuments: documents,
		wakeMail: nothing,
	});
}

/** Approves a new program of the first admin's tenant. @returns its application */
export async function addProgram(service: TestService, name?: string): Promise<string> {
	const { tenant_id } = await service.asAdmin("GET", "/api/v1/users/me");
	const id = await addProgramRequest(service, tenant_id, name);
	const path = `/api/v1/requests/${id}/approve` as const;
	const { application_id } = await service.asAdmin("POST", path, { allowed_resources: [] });
	return String(application_id);
}

/** Stores a pending request for a new program. @returns its id */
export async function addProgramRequest(
	service: TestService,
	tenantId: string,
	name = "Example Agent",
	url = newUrl(),
): Promise<string> {
	const now = service.clock.now();
	const id = newId(now);
	await using beside = await openBeside(service);
	await beside.db.transaction(({ programRequests }) =>
		programRequests.insert({
			id,
			tenantId,
			url,
			...UNDECIDED,
			isChange: false,
			document: {
				url,
				name,
				redirectUris: [PROGRAM_CALLBACK],
				authMethod: "none",
				jwks: null,
				jwksUri: null,
				published: documentOf(url, { client_name: name }),
			},
			redirectUri: PROGRAM_CALLBACK,
			resources: [],
			createdAtMs: now,
			updatedAtMs: now,
		}),
	);
	return id;
}

function newUrl(): string {
	const host = randomToken()
		.toLowerCase()
		.replaceAll(/[^a-z0-9]/g, "");
	return `https://${host}.example/client.json`;
}
