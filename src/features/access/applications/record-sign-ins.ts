// Buffers the last sign-in to each application.

import type { ApplicationSignIn, ApplicationSignIns } from "../../../domain/application.ts";
import type { Db } from "../../../domain/stores.ts";
import { WriteBehind } from "../../../kernel/write-behind.ts";

const APPLICATIONS_MAX = 10_000;

export function createSignInRecorder(
	db: Db<"applications">,
): ApplicationSignIns & { readonly buffer: WriteBehind<ApplicationSignIn> } {
	const buffer = new WriteBehind<ApplicationSignIn>({
		name: "application_sign_ins",
		max: APPLICATIONS_MAX,
		merge: (_, later) => later,
		write: (signIns) => db.transaction(({ applications }) => applications.noteSignIns(signIns)),
	});
	return { note: (appId, atMs) => buffer.record(appId, { appId, atMs }), buffer };
}
