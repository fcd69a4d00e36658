// The console with a list of people.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../badge.tsx";
import { Button } from "../button.tsx";
import { ConsoleShell } from "../console-shell.tsx";
import { FilterBar } from "../filter-bar.tsx";
import * as icons from "../icons.ts";
import { Identity } from "../identity.tsx";
import { PageHeader } from "../page-header.tsx";
import { Pagination } from "../pagination.tsx";
import { SearchBox } from "../search-box.tsx";
import { Select } from "../select.tsx";
import { announce } from "../status-line.tsx";
import { type Column, type Sort, Table } from "../table.tsx";
import { Time } from "../time.tsx";
import { PEOPLE, type Person } from "./people.ts";

const TONES = { active: "success", invited: "info", disabled: "neutral" } as const;

const SECTIONS = [
	{
		items: [
			{ href: "/console", label: "Overview", icon: icons.home },
			{ href: "/console/requests", label: "Requests", icon: icons.inbox, badge: "12", badgeLabel: "waiting" },
			{ href: "/console/people", label: "People", icon: icons.person },
			{ href: "/console/groups", label: "Groups", icon: icons.people },
		],
	},
	{
		title: "Partners",
		items: [
			{ href: "/console/applications", label: "Applications", icon: icons.application },
			{ href: "/console/clients", label: "API clients", icon: icons.key },
		],
	},
	{
		title: "Operation",
		items: [
			{ href: "/console/audit", label: "Audit trail", icon: icons.list },
			{ href: "/console/webhooks", label: "Webhooks", icon: icons.webhook },
			{ href: "/console/mail", label: "Mail", icon: icons.mail },
			{ href: "/console/branding", label: "Branding", icon: icons.brush },
			{ href: "/console/installation", label: "Installation", icon: icons.server },
		],
	},
] as const;

const COLUMNS: readonly Column<Person>[] = [
	{
		key: "name",
		header: "Name",
		sortable: true,
		cell: ({ name }) => <Identity name={name} />,
	},
	{ key: "email", header: "Email", cell: ({ email }) => email, truncate: true },
	{
		key: "status",
		header: "Status",
		cell: ({ status }) => (
			<Badge tone={TONES[status]} dot>
				{status}
			</Badge>
		),
	},
	{ key: "roles", header: "Roles", cell: ({ roles }) => roles },
	{ key: "seen", header: "Last sign-in", sortable: true, cell: ({ lastSeen }) => <Time at={lastSeen} /> },
	{ key: "sessions", header: "Sessions", align: "end", cell: ({ sessions }) => sessions },
];

export function ExampleShell({ children, current }: { children: ComponentChildren; current: string }) {
	const items = [
		{ label: "Your account", icon: icons.person, href: "#own" },
		{ label: "Theme: dark", icon: icons.eye },
		{ label: "Sign out", icon: icons.signOut, startsGroup: true },
	];
	return (
		<ConsoleShell
			sections={SECTIONS}
			current={current}
			homeHref="#console"
			tenant="Example Industries"
			account={{ name: "Ada Lovelace", detail: "ada@example.com", items, label: "Account" }}
			breadcrumbs={[{ label: "Console", href: "#console" }, { label: "People" }]}
		>
			{children}
		</ConsoleShell>
	);
}

export function ConsoleExample() {
	const [query, setQuery] = useState("");
	const [status, setStatus] = useState("");
	const [page, setPage] = useState(2);
	const [sort, setSort] = useState<Sort>({ key: "name", direction: "asc" });
	return (
		<ExampleShell current="/console/people">
			<PageHeader
				title="People"
				description="Everyone who can sign in to this tenant."
				actions={
					<>
						<Button icon={icons.mail}>Invite</Button>
						<Button variant="primary" icon={icons.plus}>
							Create person
						</Button>
					</>
				}
			/>
			<FilterBar isFiltered={query + status !== ""} onReset={() => [setQuery(""), setStatus("")]}>
				<SearchBox label="Search people" placeholder="Name or email" value={query} onValue={setQuery} />
				<Select
					name="status"
					label="Status"
					hideLabel
					value={status}
					onValue={setStatus}
					options={[
						{ value: "", label: "Every status" },
						{ value: "active", label: "Active" },
					]}
				/>
			</FilterBar>
			<Table
				caption="People"
				columns={COLUMNS}
				rows={PEOPLE.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()))}
				rowKey={({ id }) => id}
				rowName={({ name }) => name}
				hrefOf={({ id }) => `#person-${id}`}
				rowActions={({ name }) => [
					{ label: "Send reset", icon: icons.mail, onSelect: () => announce(`Mail sent to ${name}`) },
					{ label: "End sessions", icon: icons.signOut },
					{ label: "Disable", icon: icons.lock, tone: "danger", startsGroup: true },
				]}
				sort={sort}
				onSort={setSort}
			/>
			<Pagination page={page} pageSize={5} total={1_284} onPage={setPage} />
		</ExampleShell>
	);
}
