// What the parts of the "Gate" tab are about.

import type { CallOptions, Schemas } from "../../api/routes.ts";

export interface GateProps {
	readonly application: Schemas["Application"];
	readonly gate: Schemas["Gate"];
}

/** Settings of a gate that are not saved. */
export type GateDraft = NonNullable<Body["draft"]>;
type Body = NonNullable<CallOptions<"POST /applications/{id}/gate/explain">["body"]>;
