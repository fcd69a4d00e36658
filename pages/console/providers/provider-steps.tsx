// The steps after adding a provider: register its callback URL, and test the sign-in.

import { useQuery } from "../../api/query.ts";
import { send } from "../../api/request.ts";
import { session } from "../../api/session.ts";
import { Card } from "../../ui/card.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Link } from "../../ui/link.tsx";
import { useWords } from "../../words/words.ts";
import type { Provider } from "./provider-kinds.ts";

interface MethodsResponse {
	readonly data: { readonly tenant: { readonly slug: string } };
}

export function ProviderSteps({ provider }: { readonly provider: Provider }) {
	const t = useWords("console-settings").providers;
	const { data } = useQuery("methods", (signal) => {
		const tenantId = session.value.user?.tenant_id;
		return send("GET", "/api/v1/auth/methods", { tenantId, signal }) as Promise<MethodsResponse>;
	});
	const slug = data?.data.tenant.slug;
	const path = slug === undefined || slug === "default" ? "/sign-in" : `/sign-in?tenant=${slug}`;
	return (
		<>
			<Card title={t.register} description={t.setUp[provider.kind]}>
				<CopyField label={t.callback} value={provider.callback_url} />
			</Card>
			<Card title={t.test} description={provider.enabled ? t.testText : t.disabledText}>
				<CopyField label={t.testAddress} value={`${location.origin}${path}`} />
				<div>
					<Link href={path} external>
						{t.open}
					</Link>
				</div>
			</Card>
		</>
	);
}
