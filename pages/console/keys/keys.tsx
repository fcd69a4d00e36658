// `/console/keys`: the keys that clients use to administer the tenant.

import { call } from "../../api/client.ts";
import { useListState, usePage } from "../../api/list-state.ts";
import type { Schemas } from "../../api/routes.ts";
import { Badge, BadgeList } from "../../ui/badge.tsx";
import { key as keyShape, trash } from "../../ui/icons.ts";
import { List } from "../../ui/list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { confirmAction } from "../dialogs.tsx";
import { useScreenTitle } from "../screen-title.ts";
import { KeyDialog } from "./key-dialog.tsx";
import "./keys.css";

type AdminKey = Schemas["AdminKey"];

export function Keys() {
	const t = useWords("console-settings").keys;
	useScreenTitle(t.title);
	const state = useListState();
	const list = usePage("GET /admin-keys", state);
	const revoke = ({ id, name }: AdminKey) =>
		confirmAction({
			title: t.revokeTitle,
			text: t.revokeText,
			submitLabel: t.revoke,
			typeToConfirm: name,
			act: () => call("DELETE /admin-keys/{id}", { path: { id } }),
			done: t.revoked,
			onDone: list.reload,
		});
	return (
		<List
			title={t.title}
			description={t.description}
			add={{
				label: t.create,
				dialog: (close) => <KeyDialog onClose={close} onCreated={list.reload} />,
			}}
			list={list}
			state={state}
			caption={t.caption}
			columns={keyColumns(t)}
			rowKey={({ id }) => id}
			rowName={({ name }) => name}
			rowActions={(key) => [{ label: t.revoke, icon: trash, tone: "danger", onSelect: () => revoke(key) }]}
			expectedRows={3}
			none={{ icon: keyShape, title: t.none, text: t.noneText }}
		/>
	);
}

type Words = WordsOf<"console-settings">["keys"];

const SOON_MS = 14 * 24 * 3_600_000;

/** The columns of the list. */
function keyColumns(t: Words): readonly Column<AdminKey>[] {
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
