// Why a person cannot sign in, with the action that resolves it.

import type { User } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useWords } from "../../words/words.ts";
import type { PersonActionKey } from "./person-actions.ts";

interface PersonNoticesProps {
	readonly user: User;
	readonly isLocked: boolean;
	/** Undefined if the user may not change the person. */
	readonly onAction: ((key: PersonActionKey) => void) | undefined;
}

export function PersonNotices({ user, isLocked, onAction }: PersonNoticesProps) {
	const t = useWords("console-people");
	const button = (key: PersonActionKey, label: string) =>
		onAction && (
			<Button size="small" onClick={() => onAction(key)}>
				{label}
			</Button>
		);
	return (
		<div class="lk-person-notices">
			{user.status === "disabled" && (
				<Notice tone="warning" title={t.disabledTitle} action={button("enable", t.enable)}>
					{user.disabled_reason === "dormant" ? t.dormantText : t.disabledText}
				</Notice>
			)}
			{user.status === "invited" && (
				<Notice title={t.invitedTitle} action={button("inviteAgain", t.inviteAgain)}>
					{t.invitedText}
				</Notice>
			)}
			{isLocked && (
				<Notice tone="warning" title={t.lockedTitle} action={button("unlock", t.unlock)}>
					{t.lockedText}
				</Notice>
			)}
		</div>
	);
}
