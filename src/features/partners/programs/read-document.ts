// Reads the metadata document of a program with its keys. Only a request for access and the daily check do so.

import { type ProgramDocument, ProgramUnreadable } from "../../../domain/program-document.ts";
import { refusedField } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import type { Platform } from "../../platform.ts";
import { checkProgramUrl, parseDocument, parsePublishedKeys } from "./parse-document.ts";

/** @throws AppError `program.document`, naming the member, or `document` and `jwks_uri` if they cannot be read. */
export async function readDocument(
	{ programDocuments }: Pick<Platform, "programDocuments">,
	url: string,
): Promise<ProgramDocument> {
	checkProgramUrl(url);
	const read = (field: string, target: string) =>
		programDocuments.read(target).catch((error: unknown) => {
			if (!(error instanceof ProgramUnreadable)) throw error;
			throw refusedField("program.document", field, problem("not_readable", { cause: error.message }));
		});
	const document = parseDocument(await read("document", url), url);
	if (document.jwksUri === null) return document;
	return { ...document, jwks: parsePublishedKeys(await read("jwks_uri", document.jwksUri)) };
}
