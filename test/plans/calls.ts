// Calls every method of every store: a missing store or method is a compile error.

import type { Calls } from "./call-table.ts";
import { CALLS_OF_ACCESS } from "./calls-of-access.ts";
import { CALLS_OF_ACCOUNTS } from "./calls-of-accounts.ts";
import { CALLS_OF_RECORDS } from "./calls-of-records.ts";

export const CALLS: Calls = { ...CALLS_OF_ACCESS, ...CALLS_OF_ACCOUNTS, ...CALLS_OF_RECORDS };
