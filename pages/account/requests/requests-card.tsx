// The user's requests for access, and a way to withdraw those that wait.

import { call } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { EndableCard } from "../endable-card.tsx";

const TONES = { pending: "warning", approved: "success", rejected: "danger", withdrawn: "neutral" } as const;

export function RequestsCard() {
	const t = useWords("account").requests;
	return (
		<EndableCard
			name="GET /users/me/requests"
			title={t.title}
			description={t.text}
			load={(page, signal) => call("GET /users/me/requests", { query: { page }, signal })}
			entryOf={({ id, app_name, roles, until, status, review_note }) => ({
				key: id,
				title: app_name,
				badge: <Badge tone={TONES[status]}>{t.statuses[status]}</Badge>,
				detail: (
					<>
						{roles.length > 0 && <bdi>{roles.join(", ")} · </bdi>}
						{t.until} <Time at={until} format="datetime" />
						{review_note !== "" && (
							<>
								<br />
								<bdi>{review_note}</bdi>
							</>
						)}
					</>
				),
			})}
			endingOf={({ id, app_name, status }) =>
				status === "pending"
					? {
							title: t.withdrawTitle(app_name),
							text: t.withdrawText,
							label: t.withdraw,
							done: t.withdrawn,
							act: () => call("POST /users/me/requests/{id}/withdraw", { path: { id } }),
						}
					: undefined
			}
		/>
	);
}
