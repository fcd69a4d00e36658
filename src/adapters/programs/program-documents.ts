// Reads the metadata documents of programs, and the keys that a document refers to.

import { type ProgramDocuments, ProgramUnreadable } from "../../domain/program-document.ts";
import { OutboundError, type OutboundRule } from "../outbound.ts";
import { readPublished } from "../read-published.ts";
import { createHostResolver } from "../resolve-host.ts";

type Options = Pick<OutboundRule, "isAllowed"> &
	Partial<OutboundRule> & {
		/** Default 3 s. */
		readonly timeoutMs?: number;
	};

export function createProgramDocuments({ timeoutMs, ...options }: Options): ProgramDocuments {
	const rule = { resolve: createHostResolver(), ...options };
	return {
		async read(url) {
			try {
				return await readPublished(new URL(url), rule, timeoutMs);
			} catch (error) {
				throw error instanceof OutboundError ? new ProgramUnreadable(error.message, { cause: error }) : error;
			}
		},
	};
}
