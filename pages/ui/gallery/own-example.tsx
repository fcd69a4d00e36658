// A person's own pages.

import { AccountShell } from "../account-shell.tsx";
import { Button } from "../button.tsx";
import { Card } from "../card.tsx";
import { DescriptionList } from "../description-list.tsx";
import { globe, lock, person } from "../icons.ts";
import { PageHeader } from "../page-header.tsx";

const SECTIONS = [
	{
		items: [
			{ href: "/account", label: "Profile", icon: person },
			{ href: "/account/security", label: "Security", icon: lock },
			{ href: "/account/links", label: "Linked accounts", icon: globe },
		],
	},
] as const;

export function OwnExample() {
	return (
		<AccountShell
			homeHref="#own"
			sections={SECTIONS}
			current="/account"
			account={{
				name: "نور الهدى",
				detail: "nour@example.org",
				items: [{ label: "Sign out" }],
				label: "Account",
			}}
		>
			<PageHeader title="Profile" />
			<div class="lk-stack">
				<Card title="About you" actions={<Button size="small">Edit</Button>}>
					<DescriptionList items={[{ term: "Name", value: "نور الهدى" }]} />
				</Card>
				<Card
					title="Delete account"
					description="Your data is removed. This cannot be undone."
					tone="danger"
					actions={<Button variant="danger">Delete account</Button>}
				/>
			</div>
		</AccountShell>
	);
}
