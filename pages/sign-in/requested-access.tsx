// What an application requests, in words.

import { EntryList } from "../ui/entry-list.tsx";
import { type IconShape, key, mail, person } from "../ui/icons.ts";
import { language } from "../words/language.ts";
import { useWords } from "../words/words.ts";
import type { Interaction } from "./interaction.ts";

const ICONS: Readonly<Partial<Record<string, IconShape>>> = { profile: person, email: mail };

interface RequestedAccessProps {
	readonly requested: Pick<Interaction, "application" | "scopes" | "apis">;
	/** The same access is not requested again. */
	readonly isOnce?: boolean;
}

export function RequestedAccess({ requested, isOnce = false }: RequestedAccessProps) {
	const t = useWords("consent");
	const { application, scopes, apis } = requested;
	const entries = [
		...scopes.map((scope) => ({ key: scope, icon: ICONS[scope] ?? key, title: t.scopes[scope] ?? scope })),
		...apis.map(({ name, resource, scopes: permissions }) => ({
			key: resource,
			icon: key,
			title: permissions.length === 0 ? t.api(name, resource) : t.apiOnly(name, resource),
			detail: permissions.length === 0 ? undefined : <Permissions permissions={permissions} />,
		})),
	];
	return (
		<>
			{application.homepage_url !== "" && (
				<p class="lk-muted">
					<bdi>{t.runsAt(new URL(application.homepage_url).host)}</bdi>
				</p>
			)}
			<EntryList inset label={t.itGets} entries={entries} />
			{isOnce && <p class="lk-muted">{t.onlyOnce}</p>}
		</>
	);
}

function Permissions({
	permissions,
}: {
	permissions: RequestedAccessProps["requested"]["apis"][number]["scopes"];
}) {
	return (
		<ul>
			{permissions.map(({ name, description }) => (
				<li key={name}>
					{description !== null && <bdi>{language.value === "zh-CN" ? description.zh : description.en} </bdi>}
					<code>{name}</code>
				</li>
			))}
		</ul>
	);
}
