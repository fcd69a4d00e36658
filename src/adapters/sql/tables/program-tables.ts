// Tables of reviewed programs and of the requests for them.

import type { AccessRequestStatus } from "../../../domain/access-request.ts";
import type { ProgramStatus, ProgramSuspender } from "../../../domain/program.ts";
import { PROGRAM_AUTH_METHODS, type ProgramDocument } from "../../../domain/program-document.ts";
import type { ProgramRequestKind } from "../../../domain/program-request.ts";
import { either, isMembers, isText, listOf, objectOf, oneOf, type Shape } from "../../../kernel/shape.ts";
import { integer, json, nullable, ofTenant, text, timestamps } from "../column.ts";
import { table } from "../table.ts";
import { KEPT } from "../table-policy.ts";

const isNull: Shape<null> = (value) => value === null;
const document = json<ProgramDocument>(
	objectOf<ProgramDocument>({
		url: isText,
		name: isText,
		redirectUris: listOf(isText),
		authMethod: oneOf(PROGRAM_AUTH_METHODS),
		jwks: either(objectOf({ keys: listOf(isMembers) }), isNull),
		jwksUri: either(isText, isNull),
		published: isMembers,
	}),
);

export const storedPrograms = table(
	"programs",
	{
		applicationId: text(),
		tenantId: text(),
		url: text(),
		status: text<ProgramStatus>(),
		suspendedBy: nullable(text<ProgramSuspender>()),
		document,
		expiresAtMs: nullable(integer()),
		reviewedBy: nullable(text()),
		reviewedAtMs: integer(),
		readAtMs: integer(),
		nextReadAtMs: integer(),
		...timestamps,
	},
	{ key: ["application_id"], restore: KEPT },
);

export const programRequests = table(
	"program_requests",
	{
		...ofTenant,
		kind: text<ProgramRequestKind>(),
		url: text(),
		status: text<AccessRequestStatus>(),
		document: nullable(document),
		redirectUri: text(),
		resources: json(listOf(isText)),
		applicationId: nullable(text()),
		reviewNote: text(),
		reviewedBy: nullable(text()),
		reviewedAtMs: nullable(integer()),
		...timestamps,
	},
	{ restore: KEPT },
);

export const programAskers = table(
	"program_askers",
	{ requestId: text(), userId: text(), tenantId: text(), reason: text(), createdAtMs: integer() },
	{ key: ["request_id", "user_id"], restore: KEPT },
);
