// Support sessions of the last year, in which a supporter could read the account.

import { call } from "../api/client.ts";
import { endSupport } from "../api/end-support.ts";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import { EndableCard } from "./endable-card.tsx";

export function SupportCard() {
	const t = useWords("account");
	return (
		<EndableCard
			name="GET /support-sessions"
			title={t.support}
			description={t.supportText}
			load={(page, signal) => call("GET /support-sessions", { query: { page }, signal })}
			entryOf={({ id, supporter_name, reason, opened_at, created_at }) => ({
				key: id,
				title: supporter_name ?? t.formerSupporter,
				detail: (
					<>
						<bdi>{reason}</bdi> · {opened_at === null ? t.supportUnopened : t.supportOpened}{" "}
						<Time at={opened_at ?? created_at} />
					</>
				),
			})}
			endingOf={({ id, supporter_name, ended_at, expires_at }) =>
				ended_at !== null || Date.parse(expires_at) <= Date.now()
					? undefined
					: {
							title: t.endSupportTitle(supporter_name ?? t.formerSupporter),
							text: t.endSupportText,
							label: t.endActor,
							done: t.supportEnded,
							act: () => endSupport(id),
						}
			}
		/>
	);
}
