// What an issuer is used for, as text.

import { useWords } from "../../words/words.ts";
import type { Provider } from "./provider-kinds.ts";

export function Uses({ provider: { uses } }: { readonly provider: Pick<Provider, "uses"> }) {
	const t = useWords("console-settings").providers;
	return <>{uses.map((use) => t.useNames[use]).join(t.usesSeparator)}</>;
}
