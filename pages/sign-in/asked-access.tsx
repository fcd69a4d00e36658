// What an application asks for, in words.

import { EntryList } from "../ui/entry-list.tsx";
import { check } from "../ui/icons.ts";
import { useWords } from "../words/words.ts";
import type { Interaction } from "./interaction.ts";

export function AskedAccess({ interaction }: { interaction: Interaction }) {
	const t = useWords("consent");
	const { application, scopes, apis } = interaction;
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
			<p class="lk-muted">{t.onlyOnce}</p>
		</>
	);
}
