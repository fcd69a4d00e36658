// The roles of a grant; the first few and a count of the others.

import { Badge } from "../../ui/badge.tsx";
import { format } from "../../words/format.ts";

const SHOWN_MAX = 4;

export function RoleBadges({ roles }: { readonly roles: readonly string[] }) {
	if (roles.length === 0) return <span class="lk-muted">–</span>;
	const more = roles.length - SHOWN_MAX;
	return (
		<span class="lk-row" title={roles.join(", ")}>
			{roles.slice(0, SHOWN_MAX).map((role) => (
				<Badge key={role}>{role}</Badge>
			))}
			{more > 0 && <span class="lk-muted">+{format.number(more)}</span>}
		</span>
	);
}
