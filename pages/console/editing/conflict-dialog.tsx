// Asks what to do with a change of a record that someone else changed in the meantime.

import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Time } from "../../ui/time.tsx";
import { findWords, useWords } from "../../words/words.ts";
import { ChangesTable } from "../audit/changes-table.tsx";
import { openOverlay } from "../overlays.tsx";
import { readScreenAgain } from "../read-again.ts";

/** A change of fields that someone else changed, too, or the removal of a record that someone changed. */
export interface Conflict {
	readonly target: string;
	readonly isRemoval: boolean;
	/** What someone else stored, and what the user wants instead. */
	readonly changes: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
}

/** @returns undefined if the change is to be made; otherwise what to say about it */
export function askConflict(conflict: Conflict): Promise<string | undefined> {
	return new Promise((resolve) => {
		openOverlay((close) => {
			const end = (answer: string | undefined) => {
				close();
				resolve(answer);
			};
			const cancel = () => end(findWords("console-access")?.conflict.canceled ?? "");
			const keepTheirs = () => {
				cancel();
				readScreenAgain();
			};
			return (
				<ConflictDialog
					conflict={conflict}
					onMine={() => end(undefined)}
					onTheirs={keepTheirs}
					onClose={cancel}
				/>
			);
		});
	});
}

interface ConflictDialogProps {
	readonly conflict: Conflict;
	readonly onMine: () => void;
	readonly onTheirs: () => void;
	readonly onClose: () => void;
}

function ConflictDialog({ conflict, onMine, onTheirs, onClose }: ConflictDialogProps) {
	const t = useWords("console-access").conflict;
	const { target, isRemoval, changes } = conflict;
	const [event, setEvent] = useState<Schemas["AuditEvent"]>();
	useEffect(() => {
		lastEvent(target).then(setEvent, () => undefined);
	}, [target]);
	const action = useAction(async () => onMine());
	return (
		<FormDialog
			title={t.title}
			submitLabel={isRemoval ? t.removeAnyway : t.useMine}
			tone={isRemoval ? "danger" : "primary"}
			action={action}
			onClose={onClose}
			cancel={{ label: t.keepTheirs, run: onTheirs }}
			text={
				event === undefined ? (
					t.text
				) : (
					<p>
						{t.changedBy(event.actor_name)} <Time at={event.at} />.
					</p>
				)
			}
		>
			<ChangesTable caption={t.title} from={t.theirs} to={t.mine} changes={changes} />
		</FormDialog>
	);
}

/** How audit events name the records of a path. */
const NOUNS: Readonly<Record<string, string>> = {
	"api-clients": "api_client",
	applications: "application",
	groups: "group",
	"identity-providers": "identity_provider",
	users: "user",
	webhooks: "webhook",
};

/** Undefined where events name another record. */
async function lastEvent(target: string): Promise<Schemas["AuditEvent"] | undefined> {
	const [folder = "", id] = target.replace("/api/v1/", "").split("/");
	const noun = NOUNS[folder];
	if (noun === undefined) return undefined;
	return (await call("GET /audit-events", { query: { target: `${noun}:${id}`, page_size: 1 } })).data[0];
}
