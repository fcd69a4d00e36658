// `If-Match`: a change that depends on the version of its record (RFC 9110, section 13.1.1).

import { AppError, invalidField } from "../../kernel/error.ts";
import type { AnyCall } from "../describe/endpoint.ts";
import type { RecordVersion, Route } from "../describe/guard.ts";
import type { Incoming } from "./incoming.ts";

/** @param body of the GET of the record; undefined if the record does not exist. @throws AppError `version.changed`. */
export type Confirm = (body: unknown) => void;

/**
 * Makes the change of a row to the record that it confirms. No other change comes between.
 *
 * @throws AppError of the row, and what `confirm` throws. Nothing was written.
 */
export type ConditionalChange = (route: Route, call: AnyCall, confirm: Confirm) => Promise<unknown>;

const LIST = /^(?:[\t ]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[\t ]*(?:,|$))+$/;

/**
 * @returns what confirms the version of a record, or undefined without the header. `W/` has no effect: a proxy that compresses
 * weakens tags.
 * @throws AppError `request.invalid`.
 */
export function versionCheck({ headers }: Incoming, version: RecordVersion): Confirm | undefined {
	const text = headers["if-match"]?.trim();
	if (text === undefined) return undefined;
	if (text !== "*" && !LIST.test(text)) throw invalidField("If-Match", "entity_tags");
	return (body) => {
		if (body === undefined) throw new AppError("version.changed", "the record does not exist");
		const etag = version.tagOf(body);
		if (text === "*" || text.includes(etag)) return;
		throw new AppError("version.changed", "the record changed since you read it; read it again", {
			headers: { etag },
		});
	};
}
