// The credentials, shown once: save them, try them, use them.

import { useState } from "preact/hooks";
import { Card } from "../ui/card.tsx";
import { type Description, DescriptionList } from "../ui/description-list.tsx";
import { Icon } from "../ui/icon.tsx";
import { info, success } from "../ui/icons.ts";
import { SecretBox } from "../ui/secret-box.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import type { ClaimedClient } from "./claimed-client.ts";
import { ENVIRONMENT_FILE, environmentFile } from "./environment-file.ts";
import { FirstCall } from "./first-call.tsx";
import { useLeaveWarning } from "./use-leave-warning.ts";
import { YourCode } from "./your-code.tsx";

export function Credentials({ client }: { client: ClaimedClient }) {
	const t = useWords("claim");
	const [isKept, setKept] = useState(false);
	useLeaveWarning(!isKept);
	return (
		<>
			<Card title={t.keepTitle} description={t.keepText}>
				<SecretBox
					warning={t.onlyTime}
					secrets={[
						{ label: t.baseUrl, value: location.origin },
						{ label: t.tenantId, value: client.tenant_id },
						{ label: t.appId, value: client.app_id },
						{ label: t.apiKey, value: client.api_key },
						{ label: t.secret, value: client.secret },
					]}
					file={{ name: ENVIRONMENT_FILE, content: environmentFile(location.origin, client) }}
					onCopied={(label) => setKept(isKept || label === t.secret)}
					onSaved={() => setKept(true)}
				/>
				<p class={isKept ? "claim-kept claim-kept--done" : "claim-kept"} role="status">
					<Icon shape={isKept ? success : info} />
					{isKept ? t.kept : t.notKept}
				</p>
				<DescriptionList items={useLimits(client)} />
			</Card>
			<FirstCall client={client} />
			<YourCode />
		</>
	);
}

/** What the reviewer decided. */
function useLimits({ ip_allowlist, expires_at, scopes }: ClaimedClient): Description[] {
	const t = useWords("claim");
	return [
		{
			term: t.scopes,
			value: scopes.length === 0 ? t.noScopes : <code dir="ltr">{scopes.join(", ")}</code>,
		},
		{
			term: t.allowlist,
			value: ip_allowlist.length === 0 ? t.anyAddress : <code dir="ltr">{ip_allowlist.join(", ")}</code>,
		},
		{ term: t.expires, value: expires_at === null ? t.never : <Time at={expires_at} format="datetime" /> },
	];
}
