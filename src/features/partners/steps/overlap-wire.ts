// How long a replaced secret remains valid, on the wire.

import { OVERLAP_SECONDS_MAX } from "../../../domain/client-secret.ts";
import { integer, optional } from "../../../http/describe/schema.ts";

export function overlapInput(description: string) {
	return optional(integer({ min: 0, max: OVERLAP_SECONDS_MAX, description }));
}
