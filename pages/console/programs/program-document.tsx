// The document of a program as it was read: hosts whole, redirect URIs with what a reviewer must notice, and keys.

import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { isolateRuns } from "../../words/isolate.ts";
import { useWords } from "../../words/words.ts";
import "../../ui/code-block.css";
import "./programs.css";

type Document = Schemas["ProgramDocument"];

export function ProgramDocument({ document }: { readonly document: Document }) {
	const t = useWords("console-partners").programs;
	const { name, redirect_uris: redirects, token_endpoint_auth_method: method, jwks_uri, keys } = document;
	return (
		<Card title={t.document} description={t.documentText}>
			<DescriptionList
				items={[
					{ term: t.members.client_name, value: name },
					{
						term: t.members.redirect_uris,
						value: redirects.map((redirect) => <Redirect key={redirect.uri} redirect={redirect} />),
					},
					{ term: t.members.token_endpoint_auth_method, value: t.methods[method] },
					jwks_uri !== null && { term: "jwks_uri", value: <code>{jwks_uri}</code> },
					keys.length > 0 && {
						term: t.members.keys,
						value: keys.map((key) => (
							<code key={JSON.stringify(key)} class="lk-program__value">
								{JSON.stringify(key)}
							</code>
						)),
					},
				]}
			/>
			<figure class="lk-code-block">
				<figcaption class="lk-code-block__head">{t.published}</figcaption>
				<pre
					class="lk-code-block__code"
					dir="ltr"
					// biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard
					tabIndex={0}
				>
					<code>{isolateRuns(JSON.stringify(document.published, undefined, 2))}</code>
				</pre>
			</figure>
		</Card>
	);
}

function Redirect({ redirect }: { readonly redirect: Document["redirect_uris"][number] }) {
	const t = useWords("console-partners").programs;
	return (
		<span class="lk-program__line">
			<code>{redirect.uri}</code>
			{redirect.is_other_host && <Badge tone="warning">{t.otherHost(redirect.host)}</Badge>}
			{redirect.is_on_device && <Badge tone="neutral">{t.onDevice}</Badge>}
		</span>
	);
}
