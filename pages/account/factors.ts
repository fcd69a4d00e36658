// How the user authenticates: password, second factors, recovery codes.

import { call } from "../api/client.ts";
import { type Query, useQuery } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { ownUser } from "./own-user.ts";

export type Factors = Schemas["SecondFactors"];
export type Passkey = Schemas["Passkey"];

/** Callbacks of the factor cards to their screen. */
export interface FactorChange {
	/** Reloads the factors; shows new recovery codes. */
	readonly onChange: (recoveryCodes?: readonly string[]) => void;
}

export function useFactors(): Query<{ readonly data: Schemas["MySecondFactors"] }> {
	return useQuery(`factors ${ownUser().id}`, (signal) => call("GET /users/me/mfa", { signal }));
}
