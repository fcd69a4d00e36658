// Applications the user has consented to, what each can access, and a way to withdraw.

import { call } from "../api/client.ts";
import type { Schemas } from "../api/routes.ts";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import { EndableCard } from "./endable-card.tsx";

export function ConsentsCard() {
	const t = useWords("account");
	const asked = useWords("consent");
	const textsOf = ({ scopes, resources, api_scopes: ofApis }: Schemas["Consent"]) => [
		...scopes.map((scope) => asked.scopes[scope] ?? scope),
		...resources.map((resource) => {
			const permissions = ofApis.find((api) => api.resource === resource)?.scopes ?? [];
			return [asked.resource(resource), ...permissions].join(" · ");
		}),
	];
	return (
		<EndableCard
			name="GET /users/me/consents"
			title={t.consents}
			description={t.consentsText}
			load={(page, signal) => call("GET /users/me/consents", { query: { page }, signal })}
			entryOf={(consent) => ({
				key: consent.id,
				title: consent.application.name,
				detail: (
					<>
						<bdi>{textsOf(consent).join(" · ")}</bdi>
						<br />
						{t.allowedSince} <Time at={consent.created_at} format="date" />
					</>
				),
			})}
			endingOf={({ id, application: { name } }) => ({
				title: t.withdrawTitle(name),
				text: t.withdrawText,
				label: t.withdraw,
				done: t.withdrawn(name),
				act: () => call("DELETE /users/me/consents/{id}", { path: { id } }),
			})}
		/>
	);
}
