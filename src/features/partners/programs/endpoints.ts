// `/programs`: administrators manage the programs that were approved.

import type { Administrator } from "../../../domain/caller.ts";
import { PROGRAM_STATUSES, programNotFound } from "../../../domain/program.ts";
import { data, empty, endpoint, page } from "../../../http/describe/endpoint.ts";
import { oneOf } from "../../../http/describe/query-parameters.ts";
import { choice, nullable, object, optional, timeInput } from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import { found } from "../../../kernel/error.ts";
import { mapPage } from "../../../kernel/page.ts";
import { givenAudiences, toAudiences } from "../../access/oauth-clients/assertion-audience-wire.ts";
import type { Platform } from "../../platform.ts";
import { readProgramAgain, removeProgram, updateProgram } from "./manage-program.ts";
import {
	accessPolicy,
	allowedResources,
	programSchema,
	shownProgramSchema,
	toWireProgram,
	toWireShownProgram,
} from "./program-wire.ts";

const ids = { application_id: "program.not_found" } as const;

const patchBody = object({
	status: optional(choice(PROGRAM_STATUSES)),
	allowed_resources: optional(allowedResources),
	assertion_audiences: optional(givenAudiences),
	access_policy: optional(accessPolicy),
	expires_at: optional(nullable(timeInput("When the program stops getting tokens; null means never."))),
});
const fromPatch = fromWire(patchBody);

export function programsEndpoints(platform: Platform) {
	const { programs, programRequests } = platform.db.stores;
	const shown = async (tenantId: string, applicationId: string) => {
		const program = found(await programs.find(tenantId, applicationId), programNotFound);
		return toWireShownProgram(program, await programRequests.findChange(program));
	};
	return {
		list: endpoint<Administrator>()({
			name: "listPrograms",
			summary: "List reviewed programs",
			query: { status: oneOf(PROGRAM_STATUSES) },
			response: page(programSchema, "Newest first."),
			handle: async ({ caller, query, page }) =>
				mapPage(await programs.list(caller.tenantId, query.status, page), toWireProgram),
		}),

		get: endpoint<Administrator>()({
			name: "getProgram",
			summary: "Get a reviewed program",
			description: "With the reviewed document, and the pending difference to the published one.",
			ids,
			response: data(200, shownProgramSchema, "The program."),
			handle: ({ caller, ids }) => shown(caller.tenantId, ids.application_id),
		}),

		update: endpoint<Administrator>()({
			name: "updateProgram",
			summary: "Change a reviewed program",
			description:
				"Absent fields are unchanged. A suspended or expired program gets no codes, and its refresh tokens return `invalid_grant`.",
			ids,
			body: patchBody,
			response: data(200, shownProgramSchema, "The updated program."),
			async handle({ caller, ids: { application_id: id }, body }) {
				const assertionAudiences = toAudiences(body.assertion_audiences);
				await updateProgram(platform, id, { ...fromPatch(body), assertionAudiences }, caller);
				return await shown(caller.tenantId, id);
			},
		}),

		remove: endpoint<Administrator>()({
			name: "deleteProgram",
			summary: "Remove a program",
			description: "Deletes its application. Its consents, codes, and tokens end at once.",
			ids,
			response: empty(204, "The program was removed."),
			handle: ({ caller, ids }) => removeProgram(platform, ids.application_id, caller),
		}),

		readAgain: endpoint<Administrator>()({
			name: "readProgramAgain",
			summary: "Read the document of a program again",
			description:
				"The service reads it within a minute. If it differs, the program continues with the reviewed document until a reviewer decides.",
			ids,
			response: empty(202, "The document is due."),
			handle: ({ caller, ids }) => readProgramAgain(platform, ids.application_id, caller),
		}),
	};
}
