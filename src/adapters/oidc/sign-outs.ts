// Sign-outs that wait for their person, among the library's records.

import type { AskedSignOut, OpenIdProvider } from "../../domain/openid-provider.ts";
import type { ProviderParts } from "./parts.ts";
import type { Records } from "./records.ts";

const LIFE_SECONDS = 3_600;

export function createSignOuts(
	{ randomToken }: ProviderParts,
	records: Records,
): Pick<OpenIdProvider, "keepSignOut" | "findSignOut"> {
	return {
		async keepSignOut({ clientId, redirectTo }) {
			const id = randomToken();
			await records.put("SignOut", id, { clientId, redirectTo }, LIFE_SECONDS);
			return id;
		},
		async findSignOut(id) {
			const found = await records.find("SignOut", id);
			if (found === undefined) return undefined;
			const { clientId, redirectTo } = found.payload as unknown as AskedSignOut;
			return { clientId, redirectTo };
		},
	};
}
