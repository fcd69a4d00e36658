// Applications the user has consented to, what each can access, and a way to withdraw. Hidden if there are none.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { useQuery } from "../api/query.ts";
import type { Schemas } from "../api/routes.ts";
import { ConfirmAction } from "../dialogs/confirm-action.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { type Entry, EntryList } from "../ui/entry-list.tsx";
import { application } from "../ui/icons.ts";
import { LoadError } from "../ui/load-error.tsx";
import { Pagination } from "../ui/pagination.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";

type Consent = Schemas["Consent"];

export function ConsentsCard() {
	const t = useWords("account");
	const [page, setPage] = useState(1);
	const [withdrawn, setWithdrawn] = useState<Consent>();
	const { data, error, isLoading, reload } = useQuery(`GET /users/me/consents ${page}`, (signal) =>
		call("GET /users/me/consents", { query: { page }, signal }),
	);
	const entryOf = useEntry(setWithdrawn);
	if (data === undefined)
		return error === undefined ? null : <LoadError error={error} onRetry={reload} pending={isLoading} />;
	if (data.total === 0) return null;
	return (
		<>
			<Card title={t.consents} description={t.consentsText} flush>
				<EntryList label={t.consents} entries={data.data.map(entryOf)} />
			</Card>
			{data.total > data.page_size && (
				<Pagination page={page} pageSize={data.page_size} total={data.total} onPage={setPage} />
			)}
			{withdrawn !== undefined && (
				<ConfirmAction
					title={t.withdrawTitle(withdrawn.application.name)}
					submitLabel={t.withdraw}
					act={() => call("DELETE /users/me/consents/{id}", { path: { id: withdrawn.id } })}
					done={t.withdrawn(withdrawn.application.name)}
					onClose={() => setWithdrawn(undefined)}
					onDone={() => (page === 1 ? reload() : setPage(1))}
				>
					{t.withdrawText}
				</ConfirmAction>
			)}
		</>
	);
}

function useEntry(onWithdraw: (consent: Consent) => void): (consent: Consent) => Entry {
	const t = useWords("account");
	const asked = useWords("consent");
	return (consent) => {
		const { scopes, resources, api_scopes: ofApis } = consent;
		const texts = [
			...scopes.map((scope) => asked.scopes[scope] ?? scope),
			...resources.map((resource) => {
				const permissions = ofApis.find((api) => api.resource === resource)?.scopes ?? [];
				return [asked.resource(resource), ...permissions].join(" · ");
			}),
		];
		return {
			key: consent.id,
			icon: application,
			title: consent.application.name,
			detail: (
				<>
					<bdi>{texts.join(" · ")}</bdi>
					<br />
					{t.allowedSince} <Time at={consent.created_at} format="date" />
				</>
			),
			actions: (
				<Button size="small" onClick={() => onWithdraw(consent)}>
					{t.withdraw}
					<span class="lk-hidden"> {consent.application.name}</span>
				</Button>
			),
		};
	};
}
