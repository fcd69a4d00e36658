// Entry of `/claim`.

import { call } from "../api/client.ts";
import { takeLinkToken } from "../link-token.ts";
import { start } from "../start.tsx";
import { useWords } from "../words/words.ts";
import { ClaimFlow } from "./claim-flow.tsx";

const token = takeLinkToken();
await start(() => <ClaimPage token={token} />);

function ClaimPage({ token }: { token: string }) {
	const t = useWords("claim");
	return (
		<ClaimFlow
			words={t}
			step={2}
			goneCode="claim.not_found"
			token={token}
			takesKeys
			claim={async (key) => (await call("POST /access-requests/claim", { body: { token, ...key } })).data}
		/>
	);
}
