// Tells from what is left of an audit trail what was done to it: changed, removed, inserted or reordered.

import { chainHash } from "./chain.ts";
import type { AuditEvent, AuditTrail } from "./model.ts";
import type { BrokenLink } from "./verify-chain.ts";
