// The table of reviewed programs.

import type { ProgramStatus, ProgramSuspender } from "../../../domain/program.ts";
import { PROGRAM_AUTH_METHODS, type ProgramDocument } from "../../../domain/program-document.ts";
import { isMembers, isText, listOf, objectOf, oneOf, orNull } from "../../../kernel/shape.ts";
import { integer, json, key, nullable, text, timestamps } from "../column.ts";
import { table } from "../table.ts";
import { KEPT } from "../table-policy.ts";

export const document = json<ProgramDocument>(
	objectOf<ProgramDocument>({
		url: isText,
		name: isText,
		redirectUris: listOf(isText),
		authMethod: oneOf(PROGRAM_AUTH_METHODS),
		jwks: orNull(objectOf({ keys: listOf(isMembers) })),
		jwksUri: orNull(isText),
		published: isMembers,
	}),
);

export const storedPrograms = table("programs", KEPT, {
	applicationId: key(text()),
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
});
