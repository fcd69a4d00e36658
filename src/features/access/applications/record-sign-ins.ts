// Buffers the last sign-in to each application, and the last use of each grant.

import type { ApplicationSignIn, ApplicationSignIns } from "../../../domain/application.ts";
import type { GrantUse } from "../../../domain/grant.ts";
import type { Db } from "../../../domain/stores.ts";
import { HOUR_MS } from "../../../kernel/clock.ts";
import { type RecordBuffer, WriteBehind } from "../../../kernel/write-behind.ts";

const APPLICATIONS_MAX = 10_000;
/** Pairs of a subject and an application. */
const USES_MAX = 50_000;

export function createSignInRecorder(
	db: Db<"applications" | "grants">,
): ApplicationSignIns & { readonly buffers: readonly RecordBuffer[] } {
	const signIns = new WriteBehind<ApplicationSignIn>({
		name: "application_sign_ins",
		max: APPLICATIONS_MAX,
		merge: (_, later) => later,
		write: (entries) => db.transaction(({ applications }) => applications.noteSignIns(entries)),
	});
	const uses = new WriteBehind<GrantUse>({
		name: "grant_uses",
		max: USES_MAX,
		merge: (earlier) => earlier,
		write: (entries) => db.transaction(({ grants }) => grants.noteUses(entries)),
	});
	/** Pairs whose use was buffered this hour: almost every decision ends here. A grant may be younger than the hour. */
	const noted = new Set<string>();
	let hour = 0;
	const noteUse = (use: GrantUse): void => {
		const hourOfUse = Math.floor(use.atMs / HOUR_MS);
		if (hourOfUse !== hour || noted.size >= USES_MAX) noted.clear();
		hour = hourOfUse;
		const key = `${use.appId} ${use.subject.id}`;
		if (noted.has(key)) return;
		noted.add(key);
		uses.record(key, use);
	};
	return {
		note(use) {
			signIns.record(use.appId, use);
			noteUse(use);
		},
		noteUse,
		buffers: [signIns, uses],
	};
}
