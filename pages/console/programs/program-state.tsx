// Whether a program gets tokens.

import type { Schemas } from "../../api/routes.ts";
import { Badge } from "../../ui/badge.tsx";
import { useWords } from "../../words/words.ts";

type Program = Pick<Schemas["ListedProgram"], "status" | "expires_at">;

export function ProgramState({ program: { status, expires_at: until } }: { readonly program: Program }) {
	const t = useWords("console-partners").programs;
	if (status === "suspended") return <Badge tone="warning">{t.statuses.suspended}</Badge>;
	if (until !== null && Date.parse(until) <= Date.now()) return <Badge tone="warning">{t.expired}</Badge>;
	return <Badge tone="neutral">{t.statuses.active}</Badge>;
}
