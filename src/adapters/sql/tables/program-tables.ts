// The table of reviewed programs.

import type { ProgramStatus, ProgramSuspender } from "../../../domain/program.ts";
import { PROGRAM_AUTH_METHODS, type ProgramDocument } from "../../../domain/program-document.ts";
import { either, isMembers, isText, listOf, objectOf, oneOf, type Shape } from "../../../kernel/shape.ts";
import { integer, json, nullable, text, timestamps } from "../column.ts";
import { table } from "../table.ts";
import { KEPT } from "../table-policy.ts";

const isNull: Shape<null> = (value) => value === null;
export const document = json<ProgramDocument>(
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
