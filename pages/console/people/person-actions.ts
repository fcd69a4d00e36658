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

export interface PersonAction {
	readonly key: PersonActionKey;
	readonly label: string;
	readonly icon: IconShape;
	/** What will happen. */
	readonly question: string;
	readonly tone?: "danger" | undefined;
	/** Cannot be undone: the user types the username. */
	readonly isFinal?: boolean | undefined;
	readonly startsGroup?: boolean | undefined;
	/** Returns the announcement. */
	readonly run: () => Promise<string>;
	/** Reverses it; returns the announcement. */
	readonly undo?: (() => Promise<string>) | undefined;
}

/** The actions that apply to the person's current state. */
export function usePersonActions(user: User, isLocked: boolean): readonly PersonAction[] {
	const t = useWords("console-people");
	const name = nameOf(user);
	const { email } = user;
	const isToFile = useCounts().data?.data.writes_mails_to_files === true;
	const path = { id: user.id };
	const setStatus = async (status: "active" | "disabled", text: string) => {
		await call("PATCH /users/{id}", { path, body: { status } });
		return text;
	};
	const all: readonly (PersonAction & { readonly isOffered: boolean })[] = [
		{
			key: "unlock",
			label: t.unlock,
			icon: lock,
			isOffered: isLocked,
			question: t.unlockText(name),
			run: async () => {
				await call("POST /users/{id}/unlock", { path });
				return t.unlocked;
			},
		},
		{
			key: "enable",
			label: t.enable,
			icon: success,
			isOffered: user.status === "disabled",
			question: t.enableText(name),
			run: () => setStatus("active", t.enabledNow),
		},
		{
			key: "inviteAgain",
			label: t.inviteAgain,
			icon: mail,
			isOffered: user.status === "invited",
			question: t.inviteAgainText(email),
			run: async () => {
				await call("POST /users/{id}/invite", { path });
				return t.invitedNow(email, isToFile);
			},
		},
		{
			key: "sendReset",
			label: t.sendReset,
			icon: keyShape,
			isOffered: user.status === "active",
			question: t.sendResetText(email),
			run: async () => {
				await call("POST /users/{id}/send-reset", { path });
				return t.resetSent(email);
			},
		},
		{
			key: "endSessions",
			label: t.endSessions,
			icon: signOut,
			isOffered: user.status === "active",
			question: t.endSessionsText(name),
			run: async () => {
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
			question: t.resetFactorsText(name),
			run: async () => {
				await call("POST /users/{id}/mfa/reset", { path });
				return t.factorsReset;
			},
		},
		{
			key: "disable",
			label: t.disable,
			icon: close,
			isOffered: user.status !== "disabled",
			startsGroup: !user.mfa_enabled,
			tone: "danger",
			question: t.disableText(name),
			run: () => setStatus("disabled", t.disabledNow),
			// An invited account would become an active one.
			undo: user.status === "active" ? () => setStatus("active", t.enabledNow) : undefined,
		},
		{
			key: "remove",
			label: t.remove,
			icon: trash,
			isOffered: true,
			startsGroup: user.status === "disabled" && !user.mfa_enabled,
			tone: "danger",
			isFinal: true,
			question: t.removeText(name),
			run: async () => {
				await call("DELETE /users/{id}", { path });
				return t.removed(name);
			},
		},
	];
	return all.filter(({ isOffered }) => isOffered);
}
