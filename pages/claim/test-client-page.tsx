// `/test-client`: creates a test client with the link from a receipt mail. Only the button creates it.

import { call } from "../api/client.ts";
import { useWords } from "../words/words.ts";
import { ClaimFlow } from "./claim-flow.tsx";

export function TestClientPage({ token }: { token: string }) {
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
