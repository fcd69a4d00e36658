// Buffers which clients acted for people.

import type { ActorRecorder, OAuthActor } from "../../../domain/oauth-actor.ts";
import type { Db } from "../../../domain/stores.ts";
import { newId } from "../../../kernel/id.ts";
import { WriteBehind } from "../../../kernel/write-behind.ts";

const ACTORS_MAX = 10_000;

export function createActorRecorder(
	db: Db<"oauthActors">,
): ActorRecorder & { readonly buffer: WriteBehind<OAuthActor> } {
	const buffer = new WriteBehind<OAuthActor>({
		name: "oauth_actors",
		max: ACTORS_MAX,
		merge: (earlier, { lastUsedAtMs }) => ({ ...earlier, lastUsedAtMs }),
		write: (actors) => db.transaction(({ oauthActors }) => oauthActors.note(actors)),
	});
	return {
		note(actor) {
			const { grantId, actorId, apiId, lastUsedAtMs } = actor;
			const noted = { ...actor, id: newId(lastUsedAtMs), createdAtMs: lastUsedAtMs };
			buffer.record(`${grantId} ${actorId} ${apiId}`, noted);
		},
		buffer,
	};
}
