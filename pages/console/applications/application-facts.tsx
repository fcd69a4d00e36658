// The settings of an application, read-only.

import type { Schemas } from "../../api/routes.ts";
import { Card } from "../../ui/card.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";

export function ApplicationFacts({ application }: { readonly application: Schemas["Application"] }) {
	const t = useWords("console-access").applications;
	const { id, slug, access_policy, require_mfa, redirect_uris, homepage_url, logo_url } = application;
	return (
		<Card title={t.general}>
			<DescriptionList
				items={[
					{ term: t.whoMayUse, value: t.policies[access_policy] },
					{ term: t.requireMfa, value: require_mfa ? t.yes : t.no },
					{
						term: t.addresses,
						value:
							redirect_uris.length === 0
								? ""
								: redirect_uris.map((address) => (
										<div key={address}>
											<code dir="ltr">{address}</code>
										</div>
									)),
					},
					{ term: t.slug, value: <code>{slug}</code> },
					{ term: t.id, value: <code>{id}</code> },
					{ term: t.homepage, value: homepage_url },
					{ term: t.logo, value: logo_url },
					{ term: t.created, value: <Time at={application.created_at} format="datetime" /> },
				]}
			/>
		</Card>
	);
}
