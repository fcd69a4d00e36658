// What screens show: charts, code, secrets, lists, and their states while loading or empty.

import { useState } from "preact/hooks";
import { BarChart } from "../bar-chart.tsx";
import { Button } from "../button.tsx";
import { Card } from "../card.tsx";
import { CodeBlock } from "../code-block.tsx";
import { CopyField } from "../copy-field.tsx";
import { DescriptionList } from "../description-list.tsx";
import { EmptyState } from "../empty-state.tsx";
import { inbox } from "../icons.ts";
import { LineChart } from "../line-chart.tsx";
import { Notice } from "../notice.tsx";
import { SecretBox } from "../secret-box.tsx";
import { Skeleton } from "../skeleton.tsx";
import { Table } from "../table.tsx";
import { Tabs } from "../tabs.tsx";
import { Time } from "../time.tsx";
import { ExampleShell } from "./console-example.tsx";
import { PEOPLE } from "./people.ts";

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
	{ key: "node", label: "Node.js", code: "const answer = await fetch(url, { headers });" },
] as const;

export function DataExample() {
	const [tab, setTab] = useState("overview");
	const person = PEOPLE[2];
	return (
		<ExampleShell current="/console">
			<div class="lk-stack">
				<Tabs
					label="Sections"
					selected={tab}
					onSelect={setTab}
					tabs={[
						{ key: "overview", label: "Overview" },
						{ key: "sessions", label: "Sessions", badge: "3" },
						{ key: "events", label: "Recent events" },
					]}
				>
					<DescriptionList
						items={[
							{ term: "Name", value: person?.name },
							{ term: "Email", value: person?.email },
							{ term: "Last sign-in", value: <Time at={person?.lastSeen ?? ""} format="datetime" /> },
							{ term: "Phone", value: "" },
						]}
					/>
				</Tabs>
				<Card>
					<BarChart {...CALLS} />
				</Card>
				<Card>
					<LineChart {...CALLS} />
				</Card>
				<Notice title="A note">This client expires in 9 days.</Notice>
				<Notice tone="success">The mail is on its way.</Notice>
				<Notice tone="warning" action={<Button size="small">Renew</Button>}>
					The certificate expires tomorrow.
				</Notice>
				<Notice tone="danger">The chain is broken at entry 4,311.</Notice>
				<CopyField label="Client id" value="0192f0c4-7b5e-7c1a-9f3e-4d2a6b8c0e1f" />
				<SecretBox
					warning="This is the only time the secret is shown."
					secrets={[
						{ label: "Client id", value: "0192f0c4-7b5e-7c1a-9f3e-4d2a6b8c0e1f" },
						{ label: "Secret", value: "lks_8sYp0bO3n7m2QF5x1JtVQ4m9aLr6cWZd" },
					]}
					file={{ name: ".env", content: "ID=1" }}
				/>
				<CodeBlock label="A signed call" snippets={SNIPPETS} />
				<Card title="Requests" flush>
					<Table
						caption="Requests"
						columns={[{ key: "name", header: "Company", cell: () => "" }]}
						rows={[]}
						rowKey={() => ""}
						empty={
							<EmptyState
								icon={inbox}
								title="No request is waiting"
								action={<Button>Show decided requests</Button>}
							>
								New requests for API access appear here, the oldest first.
							</EmptyState>
						}
					/>
				</Card>
				<Card title="Loading">
					<Skeleton lines={3} />
					<Skeleton height="4rem" />
				</Card>
				<Table
					caption="People"
					columns={["Name", "Email", "Status"].map((header) => ({ key: header, header, cell: () => "" }))}
					rows={undefined}
					rowKey={() => ""}
					expectedRows={3}
				/>
			</div>
		</ExampleShell>
	);
}
