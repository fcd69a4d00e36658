// `/users/me/export` and `/users/{id}/export`: all data about a user as one JSON file.

import { Readable } from "node:stream";
import { OWN_EXPORTS_PER_DAY } from "../../../domain/personal-data.ts";
import { FRESH_SIGN_IN_SECONDS } from "../../../domain/second-factor.ts";
import { type InPerson, type SignedIn, sessionOf } from "../../../domain/session.ts";
import { type EndpointResponse, endpoint } from "../../../http/describe/endpoint.ts";
import { object } from "../../../http/describe/schema.ts";
import type { Platform } from "../../platform.ts";
import { beginExportOf, beginOwnExport } from "./export-user.ts";
import { readersOf } from "./personal-data-parts-wire.ts";
import { type PersonalData, personalDataSchema } from "./personal-data-wire.ts";
import { jsonParts } from "./stream-json.ts";

const CONTENT =
	"The file has the profile, sessions, devices, second factors by kind, linked accounts, groups, grants, consents, requests, mails, and audit events of the user. It has no password, secret, or token, no digest, and nothing about other users. If the connection ends early, the file is incomplete.";

/** Streamed list by list, so that the size of the trail does not matter. */
const FILE: EndpointResponse<AsyncIterable<string>, { readonly data: PersonalData }> = {
	status: 200,
	description: "The data of the user.",
	schema: object({ data: personalDataSchema }),
	wrap: (parts) => Readable.from(parts),
	headersOf: () => ({
		"content-type": "application/json; charset=utf-8",
		"content-disposition": 'attachment; filename="personal-data.json"',
	}),
};

export function exportEndpoints(platform: Platform) {
	return {
		exportMine: endpoint<SignedIn>()({
			name: "exportMe",
			summary: "Export the current user's data",
			description: `Requires a session whose sign-in is at most ${FRESH_SIGN_IN_SECONDS / 60} minutes old (401 \`session.too_old\`). Refuses a token issued for an application. At most ${OWN_EXPORTS_PER_DAY} exports in 24 hours. The owner is notified by mail. ${CONTENT}`,
			response: FILE,
			errors: ["application.token", "session.too_old", "export.too_many"],
			secret: true,
			async handle({ caller }) {
				const user = await beginOwnExport(platform, caller);
				return jsonParts(readersOf(platform, user, caller.sessionId));
			},
		}),

		exportOne: endpoint<InPerson>()({
			name: "exportUser",
			summary: "Export a user's data",
			description: `For an administrator who responds to a request of the user; admin keys are refused. The audit trail records the export. ${CONTENT}`,
			ids: { id: "user.not_found" },
			response: FILE,
			secret: true,
			async handle({ caller, ids }) {
				const user = await beginExportOf(platform, ids.id, caller);
				return jsonParts(readersOf(platform, user, sessionOf(caller)));
			},
		}),
	};
}
