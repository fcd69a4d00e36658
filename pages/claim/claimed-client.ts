// The response to a claim: the API client with its Secret.

import type { Schemas } from "../api/routes.ts";

export type ClaimedClient = Schemas["ApiClientWithSecret"];
