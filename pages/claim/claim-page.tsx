// `/claim`: claims credentials with the link from an approval mail. Only the button claims them.

import { useEffect, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useAction } from "../api/query.ts";
import { NextSteps } from "../portal/next-steps.tsx";
import { PartnerFrame } from "../portal/partner-frame.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { useWords } from "../words/words.ts";
import { ClaimOffer } from "./claim-offer.tsx";
import "./claim-page.css";
import { Credentials } from "./credentials.tsx";
import type { ClaimedClient } from "./first-call.tsx";

export function ClaimPage({ token }: { token: string }) {
	const t = useWords("claim");
	const [client, setClient] = useState<ClaimedClient>();
	const claim = useAction(async () => {
		const { data } = await call("POST /access-requests/claim", { body: { token } });
		setClient(data);
	});
	useEffect(() => {
		if (client !== undefined) document.querySelector("h1")?.focus();
	}, [client]);
	if (client !== undefined)
		return (
			<PartnerFrame title={t.doneTitle}>
				<PageHeader title={t.doneTitle} description={t.doneIntro} />
				<Credentials client={client} />
			</PartnerFrame>
		);
	return (
		<PartnerFrame title={t.title} aside={<NextSteps current={2} />}>
			<PageHeader title={t.title} description={t.intro} />
			<ClaimOffer
				hasToken={token !== ""}
				error={claim.error}
				isPending={claim.isPending}
				onClaim={() => claim.run()}
			/>
		</PartnerFrame>
	);
}
