// A refused call, and what repairs its cause.

import type { Schemas } from "../../api/routes.ts";

export type Refusal = Schemas["Refusal"];

/** The caller of a request that proved none. */
export const NO_CALLER = "-";

export interface Repair {
	readonly kind: "allow" | "enable" | "extend" | "resend";
	readonly clientId: string;
	/** Only `allow` needs it. */
	readonly ip: string;
}
