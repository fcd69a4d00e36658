// Buffers which clients acted for people.

import type { ActorRecorder, OAuthActor } from "../../../domain/oauth-actor.ts";
import type { Db } from "../../../domain/stores.ts";
import { newId } from "../../../kernel/id.ts";
import { WriteBehind } from "../../../kernel/write-behind.ts";

const ACTORS_MAX = 10_000;

type Noted = Omit<OAuthActor, "id">;

export function createActorRecorder(
	db: Db<"oauthActors">,
): ActorRecorder & { readonly buffer: WriteBehind<Noted> } {
	const buffer = new WriteBehind<Noted>({
		name: "oauth_actors",
		max: ACTORS_MAX,
		merge: (earlier, { lastUsedAtMs }) => ({ ...earlier, lastUsedAtMs }),
		write: (noted) => {
			// Here, because random values cost an exchange more than the rest of its note.
			const actors = noted.map((actor) => ({ ...actor, id: newId(actor.createdAtMs) }));
			return db.transaction(({ oauthActors }) => oauthActors.note(actors));
		},
	});
	return {
		note(actor) {
			const { grantId, actorId, apiId, lastUsedAtMs } = actor;
			buffer.record(`${grantId} ${actorId} ${apiId}`, { ...actor, createdAtMs: lastUsedAtMs });
		},
		buffer,
	};
}
