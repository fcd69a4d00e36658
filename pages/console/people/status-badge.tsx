// Status and roles of a person, in words.

import type { Role, User } from "../../api/session.ts";
import { Badge, BadgeList } from "../../ui/badge.tsx";
import { useWords } from "../../words/words.ts";

const TONES = { active: "plain", invited: "info", disabled: "neutral" } as const;

export function StatusBadge({ status }: { readonly status: User["status"] }) {
	const t = useWords("console-people");
	return (
		<Badge tone={TONES[status]} dot={status !== "active"}>
			{t.statuses[status]}
		</Badge>
	);
}

export function RoleBadges({ roles }: { readonly roles: readonly Role[] }) {
	const t = useWords("console-people");
	return <BadgeList names={roles.map((role) => t.roleNames[role])} />;
}
