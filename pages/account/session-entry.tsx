// One session in the list: device, last use, and a button that revokes it.

import { call } from "../api/client.ts";
import type { Schemas } from "../api/routes.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import type { Entry } from "../ui/entry-list.tsx";
import { laptop, phone } from "../ui/icons.ts";
import { announce } from "../ui/status-line.tsx";
import { Time } from "../ui/time.tsx";
import { useWords } from "../words/words.ts";
import { useAnnouncedAction } from "./announced-action.ts";

type Session = Schemas["Session"];

const PHONES = /Android|iPhone|iPad|iOS/;

/** The current session cannot be revoked here; the account menu has "Sign out". */
export function useSessionEntry(onEnded: () => void): (session: Session) => Entry {
	const t = useWords("account");
	return (session) => ({
		key: session.id,
		icon: PHONES.test(session.device) ? phone : laptop,
		title: t.device(session.device),
		badge: session.current ? (
			<Badge tone="success">{t.thisSession}</Badge>
		) : session.app_id === null ? undefined : (
			<Badge>{t.ofApplication}</Badge>
		),
		detail: (
			<>
				{session.ip} · {t.lastActive} <Time at={session.last_used_at} /> · {t.signedIn}{" "}
				<Time at={session.created_at} format="datetime" />
			</>
		),
		actions: session.current ? undefined : <EndButton session={session} onEnded={onEnded} />,
	});
}

function EndButton({ session, onEnded }: { readonly session: Session; readonly onEnded: () => void }) {
	const t = useWords("account");
	const end = useAnnouncedAction(async () => {
		await call("DELETE /users/me/sessions/{id}", { path: { id: session.id } });
		onEnded();
		announce(t.sessionEnded(t.device(session.device)));
	});
	return (
		<Button size="small" pending={end.isPending} onClick={() => end.run()}>
			{t.end}
			<span class="lk-hidden"> {t.device(session.device)}</span>
		</Button>
	);
}
