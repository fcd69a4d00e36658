// The statements that decide on frequent requests. Planning each takes longer than running it.

import { FACT_STATEMENTS } from "./access-fact-store.ts";
import { FIND_SIGNING_CLIENT } from "./api-client-store.ts";
import { FIND_ASKED } from "./gate-store.ts";
import { FIND_BY_ID } from "./oauth-client-store.ts";
import { FIND_GRANT } from "./oauth-record-store.ts";
import { SESSION_STATEMENTS } from "./session-store.ts";

/** Their parameters are texts. */
export const KEPT_STATEMENTS = [
	...FACT_STATEMENTS,
	...SESSION_STATEMENTS,
	FIND_SIGNING_CLIENT,
	FIND_ASKED,
	FIND_BY_ID,
	FIND_GRANT,
];
