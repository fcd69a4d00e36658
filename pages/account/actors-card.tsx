// Applications that act at an API for the user, and a way to end it.

import { call } from "../api/client.ts";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import { EndableCard } from "./endable-card.tsx";

export function ActorsCard() {
	const t = useWords("account");
	return (
		<EndableCard
			name="GET /users/me/actors"
			title={t.actors}
			description={t.actorsText}
			load={(page, signal) => call("GET /users/me/actors", { query: { page }, signal })}
			entryOf={({ id, actor_name, api_name, front_name, last_used_at }) => ({
				key: id,
				title: t.actsFor(actor_name, api_name),
				detail: (
					<>
						{t.signedInAt(front_name)} · {t.actedLast} <Time at={last_used_at} />
					</>
				),
			})}
			endingOf={({ id, actor_name, api_name, front_name }) => ({
				title: t.endActorTitle(actor_name, api_name),
				text: t.endActorText(front_name),
				label: t.endActor,
				done: t.actorEnded(actor_name),
				act: () => call("DELETE /users/me/actors/{id}", { path: { id } }),
			})}
		/>
	);
}
