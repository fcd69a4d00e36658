// `/claim`: claims credentials with the link from an approval mail. Only the button claims them.

import { call } from "../api/client.ts";
import { useWords } from "../words/words.ts";
import { ClaimFlow } from "./claim-flow.tsx";

export function ClaimPage({ token }: { token: string }) {
	const t = useWords("claim");
	return (
		<ClaimFlow
			words={t}
			step={2}
			goneCode="claim.not_found"
			token={token}
			claim={async () => (await call("POST /access-requests/claim", { body: { token } })).data}
		/>
	);
}
