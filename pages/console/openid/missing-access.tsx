// What is in the way of the first sign-in to an application: no one has access, or the person who tried has none.

import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { giveMyself, putGrant } from "../grants/change-grant.ts";

export interface Refused {
	readonly id: string;
	readonly name: string;
	readonly at: string;
}

interface MissingAccessProps {
	readonly id: string;
	readonly refused: Refused | undefined;
	readonly onChanged: () => void;
}

export function MissingAccess({ id, refused, onChanged }: MissingAccessProps) {
	const t = useWords("console-access").openid;
	const give = useAction(() => giveMyself(id).then(onChanged));
	const open = useAction(async () => {
		await call("PATCH /applications/{id}", { path: { id }, body: { access_policy: "open" } });
		onChanged();
	});
	const error = give.error ?? open.error;
	return (
		<Notice
			tone="warning"
			title={t.noAccess}
			action={
				<div class="lk-row">
					<Button pending={give.isPending} onClick={give.run}>
						{t.giveSelf}
					</Button>
					<Button pending={open.isPending} onClick={open.run}>
						{t.openToAll}
					</Button>
				</div>
			}
		>
			<p>{t.noAccessText}</p>
			{refused !== undefined && <RefusedLine {...refused} />}
			{error !== undefined && <p>{error.message}</p>}
		</Notice>
	);
}

interface RefusedPersonProps {
	readonly id: string;
	readonly refused: Refused;
	readonly onChanged: () => void;
}

export function RefusedPerson({ id, refused, onChanged }: RefusedPersonProps) {
	const t = useWords("console-access").openid;
	const give = useAction(() => putGrant(id, { kind: "user", ...refused }, []).then(onChanged));
	return (
		<Notice
			tone="warning"
			title={t.waiting}
			action={
				<Button pending={give.isPending} onClick={give.run}>
					<bdi>{t.giveAccessTo(refused.name)}</bdi>
				</Button>
			}
		>
			<RefusedLine {...refused} />
			{give.error !== undefined && <p>{give.error.message}</p>}
		</Notice>
	);
}

function RefusedLine({ name, at }: Refused) {
	const t = useWords("console-access").openid;
	return (
		<p>
			<bdi>{t.wasRefused(name)}</bdi> · <Time at={at} format="relative" />
		</p>
	);
}
