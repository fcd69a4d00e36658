// The API's limits, for the counters of forms. The API enforces them.

import type { Schemas } from "../../api/routes.ts";

export type Policy = Schemas["Application"]["access_policy"];

/** Code points. */
export const NAME_MAX = 200;
export const DESCRIPTION_MAX = 2000;
export const SLUG_MAX = 64;
export const ROLE_NAME_MAX = 64;
export const ROLE_DESCRIPTION_MAX = 500;
