// Entry of `/test-client`.

import { call } from "../api/client.ts";
import { takeLinkToken } from "../link-token.ts";
import { start } from "../start.tsx";
import { useWords } from "../words/words.ts";
import { ClaimFlow } from "./claim-flow.tsx";

const token = takeLinkToken();
await start(() => <TestClientPage token={token} />);

function TestClientPage({ token }: { token: string }) {
	const t = useWords("claim").test;
	return (
		<ClaimFlow
			words={t}
			step={1}
			goneCode="test_link.not_found"
			token={token}
			claim={async () => (await call("POST /access-requests/test-client", { body: { token } })).data}
		/>
	);
}
