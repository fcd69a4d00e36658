// Starts the sign-in of a program that names itself by a URL. openid-client is the program.

import * as client from "openid-client";
import { PAGES_URL } from "../browser/pages.ts";
import type { TestService } from "../service/service.ts";
import { type AuthorizationRequest, relyingParty, startAuthorization } from "./openid.ts";
import type { PublishedPrograms } from "./programs.ts";

export const TASKS = "https://tasks.example/mcp";
/** A redirect URI of the origin of the pages, because the browser can reach no other. */
export const BACK = `${PAGES_URL}/docs`;

export interface StartedProgram extends AuthorizationRequest {
	readonly party: client.Configuration;
	/** Of the program, without a port. */
	readonly host: string;
}

let count = 0;

/** Publishes a new program with `changes` of its document, and starts its sign-in for `TASKS`. */
export async function startProgram(
	service: TestService,
	web: PublishedPrograms,
	{ redirectUri = BACK, changes = {} }: { redirectUri?: string; changes?: object } = {},
): Promise<StartedProgram> {
	const host = `agent-${++count}.example`;
	const id = documentUrl(host);
	web.publish(id, { redirect_uris: [BACK, "http://127.0.0.1/callback"], ...changes });
	const party = await relyingParty(service, { id, secret: "" }, client.None(), {}, PAGES_URL);
	const asked = { redirect_uri: redirectUri, scope: "openid", resource: TASKS };
	return { ...(await startAuthorization(party, asked)), party, host };
}

export function documentUrl(host: string): string {
	return `https://${host}/client.json`;
}

/** Sets whether the first admin's tenant accepts requests for programs. */
export async function takeProgramRequests(service: TestService, isOn: boolean): Promise<void> {
	const { tenant_id } = await service.asAdmin("GET", "/api/v1/users/me");
	await service.asAdmin("PATCH", `/api/v1/tenants/${tenant_id}`, { program_requests: isOn });
}
