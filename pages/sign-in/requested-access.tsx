// What an application requests, in words.

import { EntryList } from "../ui/entry-list.tsx";
import { check } from "../ui/icons.ts";
import { useWords } from "../words/words.ts";
import type { Interaction } from "./interaction.ts";

interface RequestedAccessProps {
	readonly requested: Pick<Interaction, "application" | "scopes" | "apis">;
	/** The same access is not requested again. */
	readonly isOnce?: boolean;
}

export function RequestedAccess({ requested, isOnce = false }: RequestedAccessProps) {
	const t = useWords("consent");
	const { application, scopes, apis } = requested;
	const texts = [
		...scopes.map((scope) => t.scopes[scope] ?? scope),
		...apis.map(({ name, resource }) => t.api(name, resource)),
	];
	return (
		<>
			{application.homepage_url !== "" && (
				<p class="lk-muted">
					<bdi>{t.runsAt(new URL(application.homepage_url).host)}</bdi>
				</p>
			)}
			<EntryList
				inset
				label={t.itGets}
				entries={texts.map((title) => ({ key: title, icon: check, title }))}
			/>
			{isOnce && <p class="lk-muted">{t.onlyOnce}</p>}
		</>
	);
}
