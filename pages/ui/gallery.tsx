// Every component in every state on one page, for designers and developers. Not a document of the service.

import "./base.ts";
import { render } from "preact";
import { useState } from "preact/hooks";
import en from "../words/ui/en.ts";
import zhCn from "../words/ui/zh-cn.ts";
import { Badge } from "./badge.tsx";
import { BarChart } from "./bar-chart.tsx";
import { applyBranding } from "./branding.ts";
import { Button } from "./button.tsx";
import { Card } from "./card.tsx";
import { CheckboxGroup } from "./checkbox-group.tsx";
import { Checkbox, RadioGroup } from "./choice.tsx";
import { CodeBlock } from "./code-block.tsx";
import { CodeInput } from "./code-input.tsx";
import { Combobox } from "./combobox.tsx";
import { ConsoleShell } from "./console-shell.tsx";
import { CopyField } from "./copy-field.tsx";
import { DescriptionList } from "./description-list.tsx";
import { Dialog } from "./dialog.tsx";
import { Divider } from "./divider.tsx";
import { Email } from "./email.tsx";
import { EmptyState } from "./empty-state.tsx";
import { EntryList } from "./entry-list.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { Form, type FormError } from "./form.tsx";
import { FormActions } from "./form-actions.tsx";
import { FormDialog } from "./form-dialog.tsx";
import * as icons from "./icons.ts";
import { Identity } from "./identity.tsx";
import { LanguageSwitch } from "./language-switch.tsx";
import { Link } from "./link.tsx";
import { Menu } from "./menu.tsx";
import { Notice } from "./notice.tsx";
import { OptionList } from "./option-list.tsx";
import { PageHeader } from "./page-header.tsx";
import { Pagination } from "./pagination.tsx";
import { PasswordInput } from "./password-input.tsx";
import { RowsField } from "./rows-field.tsx";
import { SecretBox } from "./secret-box.tsx";
import { Select } from "./select.tsx";
import { useSelection } from "./selection.ts";
import { Skeleton } from "./skeleton.tsx";
import { StatTile } from "./stat-tile.tsx";
import { announce } from "./status-line.tsx";
import { type Column, type Sort, Table } from "./table.tsx";
import { Tabs } from "./tabs.tsx";
import { TextArea } from "./text-area.tsx";
import { TextInput } from "./text-input.tsx";
import { setTheme } from "./theme.ts";
import { Time } from "./time.tsx";
import { setUiWords } from "./words.ts";

/** Names that test a layout: long, right-to-left, and with markup. */
const PEOPLE = [
	["Ada Lovelace", "ada@example.com", "active", 4],
	["王小明", "xiaoming.wang@example.cn", "active", 61],
	["نور الهدى بنت عبد الرحمن", "nour@example.org", "invited", 60 * 26],
	["<img src=x onerror=alert(1)>", "markup@example.com", "disabled", 60 * 24 * 9],
	[
		"Wolfeschlegelsteinhausenbergerdorff Wolfgang-Maximilian der Ältere",
		"w.wolfeschlegelsteinhausenbergerdorff@averyveryverylongdomainname.example",
		"active",
		60 * 24 * 40,
	],
] as const;
type Person = (typeof PEOPLE)[number];

const TONES = { active: "plain", invited: "info", disabled: "neutral" } as const;
const COLUMNS: readonly Column<Person>[] = [
	{ key: "name", header: "Name", sortable: true, cell: ([name]) => <Identity name={name} /> },
	{ key: "email", header: "Email", cell: ([, email]) => <Email address={email} /> },
	{
		key: "status",
		header: "Status",
		cell: ([, , status]) => <Badge tone={TONES[status]} children={status} />,
	},
	{
		key: "seen",
		header: "Last sign-in",
		sortable: true,
		cell: ([, , , minutes]) => <Time at={new Date(Date.now() - minutes * 60_000).toISOString()} />,
	},
	{ key: "minutes", header: "Minutes", align: "end", cell: ([, , , minutes]) => minutes },
];

const SECTIONS = [
	{
		items: [
			{ href: "/console", label: "Overview", icon: icons.home },
			{ href: "/console/requests", label: "Requests", icon: icons.inbox },
			{ href: "/console/people", label: "People", icon: icons.person },
		],
	},
	{ title: "Partners", items: [{ href: "/console/clients", label: "API clients", icon: icons.key }] },
] as const;

const DAYS = Array.from({ length: 14 }, (_, day) => `${day + 8} Nov`);
const CALLS = {
	title: "Signed calls",
	labels: DAYS,
	labelHeader: "Day",
	series: [
		{ key: "accepted", label: "Accepted", values: DAYS.map((_, day) => 420 + ((day * 97) % 260)) },
		{ key: "refused", label: "Refused", tone: "danger", values: DAYS.map((_, day) => (day * 31) % 70) },
	],
} as const;

const SNIPPETS = [
	{
		key: "curl",
		label: "curl",
		code: "curl -sS https://id.example.com/api/v1/external/orders \\\n\t-H 'X-Client-Id: 0192f0c4-7b5e-7c1a-9f3e-4d2a6b8c0e1f' -H 'X-Signature: 4f1c…'",
	},
	{ key: "node", label: "Node.js", code: "const response = await fetch(url, { headers });" },
] as const;

const ERROR: FormError = {
	code: "request.invalid",
	message: "username must be at least 3 characters",
	details: [
		{ field: "username", message: "must be at least 3 characters" },
		{ field: "ip_allowlist.2", message: "must be an IP address or a network" },
		{ field: "tenant", message: "is unknown" },
	],
};
const BUSY: FormError = {
	code: "rate_limit.exceeded",
	message: "Too many requests from this address.",
	retryAfterSeconds: 12,
};

function Gallery() {
	return (
		<ConsoleShell
			sections={SECTIONS}
			current="/console/people"
			homeHref="#"
			tenant={{ name: "Example Industries" }}
			account={{
				name: "نور الهدى",
				detail: "nour@example.org",
				items: [{ label: "Sign out", icon: icons.signOut, startsGroup: true }],
				label: "Account",
			}}
			search={{ label: "Find…", keys: "Ctrl+K", onOpen: () => announce("Search") }}
			breadcrumbs={[{ label: "Console", href: "#" }, { label: "Gallery" }]}
		>
			<PageHeader
				title="Gallery"
				description="Every component in every state."
				actions={<Button variant="primary" icon={icons.plus} children="Create person" />}
			/>
			<div class="lk-stack">
				<Overlays />
				<Views />
				<People />
				<FormExample />
				<Buttons />
				<Choices />
				<Content />
			</div>
		</ConsoleShell>
	);
}

function Overlays() {
	const [open, setOpen] = useState<"dialog" | "confirm">();
	const [name, setName] = useState("");
	const close = () => setOpen(undefined);
	const deleteOrders = () => {
		close();
		announce("Orders was deleted");
	};
	return (
		<div class="lk-row">
			<Button onClick={() => setOpen("dialog")}>Open dialog</Button>
			<Button variant="danger" onClick={() => setOpen("confirm")}>
				Delete Orders
			</Button>
			<Button onClick={() => announce("Saved")}>Announce success</Button>
			<Button onClick={() => announce("The account was disabled.", "success", () => announce("Undone"))}>
				Announce with undo
			</Button>
			<Button onClick={() => announce("The application is disabled.", "danger")}>Announce error</Button>
			<Menu
				items={[
					{ label: "Copy id", icon: icons.copy, onSelect: () => announce("Copied") },
					{ label: "Delete", icon: icons.trash, tone: "danger", startsGroup: true },
				]}
				label="Actions for Orders"
			/>
			{open === "dialog" && (
				<Dialog onClose={close} title="Create application" actions={<Button onClick={close}>Cancel</Button>}>
					<TextInput name="name" label="Name" value={name} onValue={setName} autoFocus />
					<CopyField label="Client ID" value="0192f0c4-7b5e-7c1a-9f3e-4d2a6b8c0e1f" />
				</Dialog>
			)}
			{open === "confirm" && (
				<FormDialog
					tone="danger"
					size="small"
					onClose={close}
					title="Delete Orders?"
					submitLabel="Delete application"
					typeToConfirm="Orders"
					action={{ run: deleteOrders, error: undefined, isPending: false }}
					text="Its roles and grants end immediately. This cannot be undone."
				/>
			)}
		</div>
	);
}

function Views() {
	const [tab, setTab] = useState("overview");
	return (
		<Tabs
			label="Sections"
			selected={tab}
			onSelect={setTab}
			tabs={[
				{ key: "overview", label: "Overview" },
				{ key: "sessions", label: "Sessions" },
				{ key: "events", label: "Recent events" },
			]}
		>
			<DescriptionList
				items={[
					{ term: "Name", value: PEOPLE[2][0] },
					{ term: "Last sign-in", value: <Time at="2026-11-22T08:15:30Z" format="datetime" /> },
					{ term: "Phone", value: "" },
				]}
			/>
		</Tabs>
	);
}

function People() {
	const [query, setQuery] = useState("");
	const [page, setPage] = useState(2);
	const [sort, setSort] = useState<Sort>({ key: "name", direction: "asc" });
	const rows = PEOPLE.filter(([name]) => name.toLowerCase().includes(query.toLowerCase()));
	const selection = useSelection(rows.map(([, email]) => email));
	return (
		<div>
			<FilterBar
				search="Search people"
				state={{
					field: (name) => ({ name, value: query, onValue: setQuery }),
					isFiltered: query !== "",
					reset: () => setQuery(""),
				}}
			/>
			<Table
				caption="People"
				columns={COLUMNS}
				rows={rows}
				selection={selection}
				rowKey={([, email]) => email}
				rowName={([name]) => name}
				hrefOf={([, email]) => `#${email}`}
				rowActions={([name]) => [
					{ label: "Send reset", icon: icons.mail, onSelect: () => announce(`Email sent to ${name}`) },
					{ label: "Disable", icon: icons.lock, tone: "danger", startsGroup: true },
				]}
				sort={sort}
				onSort={setSort}
			/>
			<Pagination page={page} pageSize={5} total={1_284} onPage={setPage} />
		</div>
	);
}

function FormExample() {
	const [error, setError] = useState<FormError>();
	const [values, setValues] = useState({
		username: "",
		password: "correct horse",
		code: "123",
		reason: "We sync orders every night.",
		ip_allowlist: "203.0.113.0/24\n2001:db8::/32\n10.0.0",
		owner: "",
		region: "eu",
		plan: "read",
	});
	const [scopes, setScopes] = useState<readonly string[]>(["orders"]);
	const [isChecked, setChecked] = useState(true);
	const field = (name: keyof typeof values) => ({
		name,
		value: values[name],
		onValue: (value: string) => setValues((before) => ({ ...before, [name]: value })),
	});
	return (
		<Card title="Form" description="The API's error appears at its field.">
			<Form onSubmit={() => setError({ ...ERROR })} error={error}>
				<TextInput {...field("username")} label="Username" required hint="3 to 64 characters." />
				<PasswordInput {...field("password")} label="Password" autoComplete="new-password" />
				<CodeInput {...field("code")} label="Code" hint="From your authenticator app." />
				<TextArea {...field("reason")} label="Reason" optional limit={24} />
				<RowsField
					{...field("ip_allowlist")}
					label="Allowed addresses"
					rowLabel={(row) => `Allowed addresses, row ${row}`}
					removeLabel={(row) => `Remove row ${row}`}
					hint="IP addresses or CIDR ranges."
					addLabel="Add address"
					problemOf={(entry) => (entry.includes(" ") ? "Remove the space." : undefined)}
				/>
				<Select
					{...field("region")}
					label="Region"
					options={[
						{ value: "eu", label: "Europe" },
						{ value: "cn", label: "中国" },
					]}
				/>
				<RadioGroup
					{...field("plan")}
					label="Access"
					options={[
						{ value: "read", label: "Read", hint: "Orders and stock." },
						{ value: "write", label: "Read and write" },
					]}
				/>
				<CheckboxGroup
					name="scopes"
					label="Scopes"
					values={scopes}
					onValues={setScopes}
					options={[
						{ value: "orders", label: "Orders", hint: "Read and create orders." },
						{ value: "stock", label: "Stock" },
					]}
				/>
				<Combobox
					{...field("owner")}
					label="Owner"
					options={PEOPLE.filter(([name]) => name.includes(values.owner)).map(([name, email]) => ({
						key: name,
						content: <Identity name={name} detail={email} />,
					}))}
					isOpen={!["", ...PEOPLE.map(([name]) => name)].includes(values.owner)}
					onChoose={(owner) => setValues((before) => ({ ...before, owner }))}
					onClose={() => setValues((before) => ({ ...before, owner: "" }))}
				/>
				<Checkbox name="notify" label="Send an email" value={isChecked} onValue={setChecked} />
				<TextInput name="fixed" label="Client ID" value="0192f0c4" onValue={() => undefined} readOnly code />
				<FormActions>
					<Button type="submit" variant="primary">
						Save changes
					</Button>
					<Button onClick={() => setError(BUSY)}>Return 429</Button>
					<Button onClick={() => setError({ code: "x.y", message: "This name is taken." })}>
						Return 409
					</Button>
				</FormActions>
			</Form>
		</Card>
	);
}

function Buttons() {
	return (
		<Card title="Buttons" tone="danger">
			<div class="lk-row">
				<Button icon={icons.plus}>Secondary</Button>
				<Button variant="quiet">Quiet</Button>
				<Button variant="danger" icon={icons.trash}>
					Danger
				</Button>
				<Button variant="primary" pending>
					Pending
				</Button>
				<Button disabled>Disabled</Button>
				<Button size="small">Small</Button>
				<Link href="https://example.com/" external>
					External link
				</Link>
			</div>
		</Card>
	);
}

function Choices() {
	const [language, setLanguage] = useState("en");
	return (
		<>
			<OptionList
				asTiles
				options={["Express", "Next.js", "Spring Boot", "FastAPI"].map((title) => ({
					key: title,
					icon: icons.server,
					title,
					text: "OpenID Connect",
					onSelect: () => announce(title),
				}))}
			/>
			<Card title="Sessions" flush>
				<EntryList
					label="Sessions"
					entries={["Firefox on Linux", "Safari on iPhone"].map((device, index) => ({
						key: device,
						icon: icons.laptop,
						title: device,
						badge: index === 0 && <Badge tone="info">This session</Badge>,
						detail: "203.0.113.7 · active 3 minutes ago",
						actions: <Button size="small">End</Button>,
					}))}
				/>
			</Card>
			<Divider>or</Divider>
			<LanguageSwitch
				current={language}
				options={[
					{ tag: "en", label: "English" },
					{ tag: "zh-CN", label: "中文" },
				]}
				onChange={setLanguage}
			/>
		</>
	);
}

function Content() {
	return (
		<>
			<div class="lk-row">
				<Card>
					<StatTile
						label="Sign-ins"
						value="1,204"
						detail="+12% vs. previous period"
						course={[3, 5, 4, 8, 7]}
					/>
				</Card>
				<Card>
					<StatTile
						label="Waiting requests"
						value="43"
						detail="−2 vs. previous period"
						course={[9, 7, 8, 5, 4]}
					/>
				</Card>
			</div>
			<Card>
				<BarChart {...CALLS} />
			</Card>
			<Notice title="A note">This client expires in 9 days.</Notice>
			<Notice tone="success">The email was sent.</Notice>
			<Notice tone="warning" action={<Button size="small">Renew</Button>}>
				The certificate expires tomorrow.
			</Notice>
			<Notice tone="danger">The chain is broken at entry 4,311.</Notice>
			<SecretBox
				warning="The secret is shown only once."
				secrets={[{ label: "Secret", value: "lks_8sYp0bO3n7m2QF5x1JtVQ4m9aLr6cWZd" }]}
				file={{ name: ".env", content: "ID=1" }}
			/>
			<CodeBlock label="A signed call" snippets={SNIPPETS} />
			<Card title="Requests" flush>
				<EmptyState icon={icons.inbox} title="No request is waiting" action={<Button>Show decided</Button>}>
					New requests for API access appear here, the oldest first.
				</EmptyState>
			</Card>
			<Card title="Loading">
				<Skeleton lines={3} />
				<Skeleton height="4rem" />
			</Card>
			<Table
				caption="Loading"
				columns={COLUMNS}
				rows={undefined}
				rowKey={([, email]) => email}
				expectedRows={3}
			/>
		</>
	);
}

// The query may contain `theme`, `dir`, `lang` and `accent` (rrggbb).
const query = new URLSearchParams(location.search);
const root = document.documentElement;
root.lang = query.get("lang") ?? "en";
root.dir = query.get("dir") ?? "ltr";
const theme = query.get("theme");
if (theme === "light" || theme === "dark") setTheme(theme);
const accent = query.get("accent");
if (accent !== null) applyBranding({ product_name: "Looms & Sons", accent_color: `#${accent}` });
setUiWords(() => (root.lang === "zh-CN" ? zhCn : en));
const app = document.querySelector("#app");
if (app === null) throw new Error("the document has no #app");
render(<Gallery />, app);
