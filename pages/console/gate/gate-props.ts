// What the parts of the "Gate" tab are about.

import type { Schemas } from "../../api/routes.ts";

export interface GateProps {
	readonly application: Schemas["Application"];
	readonly gate: Schemas["Gate"];
}
