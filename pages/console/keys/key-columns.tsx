// The columns of the list of admin keys.

import type { Schemas } from "../../api/routes.ts";
import { Badge, BadgeList } from "../../ui/badge.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import type { WordsOf } from "../../words/words.ts";
import "./keys.css";

type AdminKey = Schemas["AdminKey"];
type Words = WordsOf<"console-settings">["keys"];

const SOON_MS = 14 * 24 * 3_600_000;

export function keyColumns(t: Words): readonly Column<AdminKey>[] {
	return [
		{ key: "name", header: t.name, cell: (key) => <Name of={key} t={t} /> },
		{
			key: "roles",
			header: t.roles,
			cell: ({ roles }) => <BadgeList names={roles.map((role) => t.roleNames[role])} />,
		},
		{ key: "ip_allowlist", header: t.allowlist, cell: (key) => <Addresses of={key} t={t} /> },
		{ key: "last_used_at", header: t.lastUsed, cell: (key) => <LastUse of={key} t={t} /> },
		{ key: "expires_at", header: t.ends, cell: (key) => <Ends of={key} t={t} /> },
	];
}

/** With the subjects of its workloads: such a key has no secret. */
function Name({ of: { name, workloads }, t }: { readonly of: AdminKey; readonly t: Words }) {
	if (workloads.length === 0) return <bdi class="lk-key-name">{name}</bdi>;
	return (
		<span class="lk-key-addresses">
			<bdi class="lk-key-name">{name}</bdi>
			<span class="lk-muted">{t.noSecret}</span>
			{workloads.map(({ subject }) => (
				<code key={subject} dir="ltr">
					{subject}
				</code>
			))}
		</span>
	);
}

function Addresses({ of, t }: { readonly of: AdminKey; readonly t: Words }) {
	if (of.ip_allowlist.length === 0) return <span class="lk-muted">{t.anywhere}</span>;
	return (
		<span class="lk-key-addresses">
			{of.ip_allowlist.map((range) => (
				<code key={range}>{range}</code>
			))}
		</span>
	);
}

function LastUse({ of, t }: { readonly of: AdminKey; readonly t: Words }) {
	if (of.last_used_at === null) return <span class="lk-muted">{t.never}</span>;
	return (
		<span class="lk-key-addresses">
			<Time at={of.last_used_at} />
			<span class="lk-muted">
				{t.from} <code>{of.last_used_ip}</code>
			</span>
		</span>
	);
}

function Ends({ of: { expires_at: at }, t }: { readonly of: AdminKey; readonly t: Words }) {
	const left = new Date(at).getTime() - Date.now();
	return (
		<span class="lk-row">
			<Time at={at} format="date" />
			{left <= 0 && <Badge tone="neutral">{t.expired}</Badge>}
			{left > 0 && left < SOON_MS && <Badge tone="warning">{t.soon}</Badge>}
		</span>
	);
}
