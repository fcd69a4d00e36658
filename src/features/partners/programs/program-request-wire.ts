// The wire forms of program requests: in lists, and with the document and the people who asked.

import type { ListedProgram } from "../../../domain/program.ts";
import { hostOf } from "../../../domain/program-document.ts";
import type { NamedAsker } from "../../../domain/program-request.ts";
import type { Reviewed } from "../../../domain/request.ts";
import type { RequestOf } from "../../../domain/request-queue.ts";
import type { Stores } from "../../../domain/stores.ts";
import {
	boolean,
	type Infer,
	list,
	nullable,
	object,
	optional,
	plain,
	time,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { isoTime } from "../../../kernel/clock.ts";
import {
	givenAudiences,
	shownAudiences,
	toWireAudiences,
} from "../../access/oauth-clients/assertion-audience-wire.ts";
import {
	kindFields,
	mixedScripts,
	mixedScriptsField,
	reviewerFields,
	stateFields,
} from "../requests/request-wire.ts";
import { documentDigest } from "./document-digest.ts";
import {
	accessPolicy,
	allowedResources,
	differenceSchema,
	documentSchema,
	toWireDifferences,
	toWireDocument,
} from "./program-wire.ts";

const requestFields = {
	...kindFields("program"),
	is_change: boolean(
		"The document of a reviewed program changed or cannot be read; otherwise, people request the program.",
	),
	client_id: plain({
		description: "The URL of the document.",
		examples: ["https://agent.example/client.json"],
	}),
	host: plain({ description: "Of the URL, in ASCII.", examples: ["agent.example"] }),
	name: nullable(plain("From the document; null if it could not be read.")),
	application_id: nullable(
		plain({ format: "uuid", description: "The program that changed or was created." }),
	),
	...stateFields,
	...reviewerFields,
	...mixedScriptsField(["name"]),
};
export const listedRequestSchema = object(requestFields, { title: "ListedProgramRequest" });

const documentDigestSchema = plain({
	description:
		"Of a program request: identifies the document as read, by its SHA-256 in base64url. With it, an approval returns 409 if the document was read again and differs.",
	maxLength: 43,
	pattern: "^[A-Za-z0-9_-]{43}$",
	examples: ["N4KvJ2sYQ0cF8bXo1pTzR7hLw3dMeG9aUi5kVq6yHxE"],
});

export const programRequestSchema = object(
	{
		...requestFields,
		redirect_uri: plain('The one that the program sent; `""` for a change.'),
		resources: list(plain(), {
			description: "APIs that the program requested; of a change, those that it may use.",
			examples: [["https://api.example.com"]],
		}),
		assertion_audiences: {
			...shownAudiences,
			description: "Of a change: authorization servers to which the program may carry its users.",
		},
		requested_by: list(
			object({ user_id: plain({ format: "uuid" }), username: plain(), reason: plain(), created_at: time() }),
		),
		document: optional(documentSchema),
		document_digest: nullable(documentDigestSchema),
		differences: list(differenceSchema, {
			description: "Of a change: what differs from the reviewed document.",
		}),
	},
	{ title: "ProgramRequest" },
);

/** Of an approval, beside what every kind has. `allowed_resources` is required. */
export const programSettingsBody = object({
	allowed_resources: optional({
		...allowedResources,
		description: `Of a program request, and required there: ${allowedResources.description}`,
	}),
	access_policy: optional({
		...accessPolicy,
		description: `Of a program request: ${accessPolicy.description}`,
	}),
	assertion_audiences: optional({
		...givenAudiences,
		description: `Of a program request, for a program with keys: ${givenAudiences.description} An approval of a change keeps them if they are absent.`,
	}),
	document_digest: optional(documentDigestSchema),
});

type Shown = RequestOf["program"] & Reviewed;

const toWireFields = toWire(listedRequestSchema);

export function toWireListedRequest(request: Shown): Infer<typeof listedRequestSchema> {
	const { url, document, resultId } = request;
	const name = document?.name ?? null;
	const program = { clientId: url, host: hostOf(url), name, applicationId: resultId };
	return toWireFields({ ...request, ...program, mixedScripts: mixedScripts({ name }) });
}

/** With the document, the people who asked, and of a change, the differences to the reviewed document. */
export async function showProgramRequest(
	{ programs, programRequests }: Stores<"programs" | "programRequests">,
	request: Shown,
): Promise<Infer<typeof programRequestSchema>> {
	const { tenantId, id, isChange, resultId } = request;
	const reviewed = isChange && resultId !== null ? await programs.find(tenantId, resultId) : undefined;
	return toWireShown(request, await programRequests.listAskers(tenantId, id), reviewed);
}

/** @param reviewed of a change: the program as it was reviewed; undefined if it was removed. */
function toWireShown(request: Shown, askers: readonly NamedAsker[], reviewed: ListedProgram | undefined) {
	const { redirectUri, resources, document } = request;
	return {
		...toWireListedRequest(request),
		redirect_uri: redirectUri,
		resources: [...(reviewed?.allowedResources ?? resources)],
		assertion_audiences: toWireAudiences(reviewed?.assertionAudiences ?? []),
		requested_by: askers.map(({ userId, username, reason, createdAtMs }) => ({
			user_id: userId,
			username,
			reason,
			created_at: isoTime(createdAtMs),
		})),
		...(document && { document: toWireDocument(document) }),
		document_digest: document && documentDigest(document),
		differences: toWireDifferences(reviewed?.document, document),
	};
}
