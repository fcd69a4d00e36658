// What the parts of the "Gate" tab are about.

import type { ApiError } from "../../api/error.ts";
import type { CallOptions, Schemas } from "../../api/routes.ts";

export interface GateProps {
	readonly application: Schemas["Application"];
	readonly gate: Schemas["Gate"];
}

/** Settings of a gate that are not saved. */
export type GateDraft = NonNullable<Body["draft"]>;
type Body = NonNullable<CallOptions<"POST /applications/{id}/gate/explain">["body"]>;

/** What the test says about the rules as they were asked about; nothing while there is no decision. */
export interface Tested {
	/** The position of the rule that decides, from 0. */
	readonly rule?: number | undefined;
	/** No rule matches. */
	readonly isUnmatched?: boolean;
	/** Why the draft cannot be decided. */
	readonly error?: ApiError | undefined;
}
