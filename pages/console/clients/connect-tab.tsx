// What a partner's developer needs for a first signed call, except the Secret.

import { useQuery } from "../../api/query.ts";
import { environmentFile, environmentFileName } from "../../claim/environment-file.ts";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { useWords } from "../../words/words.ts";
import type { ApiClient } from "./client-record.ts";

/** In place of the Secret, as in the guide. */
const OPEN_SECRET = "sk_…";

export function ConnectTab({ client }: { readonly client: ApiClient }) {
	const t = useWords("console-partners").clients;
	const code = environmentFile(location.origin, { ...client, secret: OPEN_SECRET });
	const file = environmentFileName(client.mode);
	const query = useQuery("signed-call-code.tsx", () => import("../../claim/signed-call-code.tsx"));
	return (
		<div class="lk-stack">
			<Card title={t.connectTitle} description={t.connectText}>
				<CodeBlock label={file} snippets={[{ key: file, label: file, code: code.trimEnd() }]} />
			</Card>
			<Loaded query={query}>
				{({ SignedCallCode }) => <SignedCallCode title={t.codeTitle} text={t.codeText} file={file} />}
			</Loaded>
		</div>
	);
}
