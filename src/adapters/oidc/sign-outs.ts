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
		async keepSignOut(asked) {
			const id = randomToken();
			await records.put("SignOut", id, { ...asked }, LIFE_SECONDS);
			return id;
		},
		async findSignOut(id) {
			const found = await records.find("SignOut", id);
			return found?.payload as AskedSignOut | undefined;
		},
	};
}
