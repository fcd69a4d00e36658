// What an administrator can do to a person: each action with its question, its call and its announcement.

import { call } from "../../api/client.ts";
import type { User } from "../../api/session.ts";
import {
	close,
	type IconShape,
	key as keyShape,
	lock,
	mail,
	shield,
	signOut,
	success,
	trash,
} from "../../ui/icons.ts";
import { useWords } from "../../words/words.ts";
import type { Confirmation } from "../dialogs.tsx";
import { useCounts } from "../waiting.ts";
import { nameOf } from "./person-rules.ts";

export type PersonActionKey =
	| "sendReset"
	| "inviteAgain"
	| "unlock"
	| "enable"
	| "endSessions"
	| "resetFactors"
	| "disable"
	| "remove";

export interface PersonAction extends Pick<Confirmation, "text" | "act" | "done" | "undo"> {
	readonly key: PersonActionKey;
	readonly label: string;
	readonly icon: IconShape;
	readonly tone?: "danger" | undefined;
	/** Cannot be undone: the user types the username. */
	readonly isFinal?: boolean | undefined;
	readonly startsGroup?: boolean | undefined;
}

/** The actions that apply to the person's current state. */
export function usePersonActions(user: User, isLocked: boolean): readonly PersonAction[] {
	const t = useWords("console-people");
	const name = nameOf(user);
	const { email } = user;
	const isToFile = useCounts().data?.data.writes_mails_to_files === true;
	const path = { id: user.id };
	const setStatus = (status: "active" | "disabled") => call("PATCH /users/{id}", { path, body: { status } });
	const all: readonly (PersonAction & { readonly isOffered: boolean })[] = [
		{
			key: "unlock",
			label: t.unlock,
			icon: lock,
			isOffered: isLocked,
			text: t.unlockText(name),
			act: () => call("POST /users/{id}/unlock", { path }),
			done: t.unlocked,
		},
		{
			key: "enable",
			label: t.enable,
			icon: success,
			isOffered: user.status === "disabled",
			text: t.enableText(name),
			act: () => setStatus("active"),
			done: t.enabledNow,
		},
		{
			key: "inviteAgain",
			label: t.inviteAgain,
			icon: mail,
			isOffered: user.status === "invited",
			text: t.inviteAgainText(email),
			act: () => call("POST /users/{id}/invite", { path }),
			done: t.invitedNow(email, isToFile),
		},
		{
			key: "sendReset",
			label: t.sendReset,
			icon: keyShape,
			isOffered: user.status === "active",
			text: t.sendResetText(email),
			act: () => call("POST /users/{id}/send-reset", { path }),
			done: t.resetSent(email),
		},
		{
			key: "endSessions",
			label: t.endSessions,
			icon: signOut,
			isOffered: user.status === "active",
			text: t.endSessionsText(name),
			act: async () => {
				const { data } = await call("POST /users/{id}/sessions/revoke", { path });
				return t.sessionsEnded(data.sessions_revoked);
			},
		},
		{
			key: "resetFactors",
			label: t.resetFactors,
			icon: shield,
			isOffered: user.mfa_enabled,
			startsGroup: true,
			tone: "danger",
			isFinal: true,
			text: t.resetFactorsText(name),
			act: () => call("POST /users/{id}/mfa/reset", { path }),
			done: t.factorsReset,
		},
		{
			key: "disable",
			label: t.disable,
			icon: close,
			isOffered: user.status !== "disabled",
			startsGroup: !user.mfa_enabled,
			tone: "danger",
			text: t.disableText(name),
			act: () => setStatus("disabled"),
			done: t.disabledNow,
			// An invited account would become an active one.
			undo: user.status === "active" ? { act: () => setStatus("active"), done: t.enabledNow } : undefined,
		},
		{
			key: "remove",
			label: t.remove,
			icon: trash,
			isOffered: true,
			startsGroup: user.status === "disabled" && !user.mfa_enabled,
			tone: "danger",
			isFinal: true,
			text: t.removeText(name),
			act: () => call("DELETE /users/{id}", { path }),
			done: t.removed(name),
		},
	];
	return all.filter(({ isOffered }) => isOffered);
}
