// Asks what to do with a change of a record that someone else changed in the meantime.

import { useEffect, useState } from "preact/hooks";
import { type Conflict, call } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { findWords, useWords } from "../../words/words.ts";
import { ChangesTable } from "../audit/changes-table.tsx";
import { overlays } from "../bulk/task.ts";
import { readScreenAgain } from "../loaded-screen.tsx";

/** Resolves if the change is to be made; otherwise rejects. */
export function askConflict(conflict: Conflict): Promise<void> {
	return new Promise((resolve, reject) => {
		const end = (settle: () => void) => () => {
			overlays.value = overlays.value.filter((other) => other !== dialog);
			settle();
		};
		const text = findWords("console-access")?.conflict.canceled ?? "";
		const cancel = end(() => reject(new ApiError(0, "change.canceled", text)));
		const keepTheirs = () => {
			cancel();
			readScreenAgain();
		};
		const dialog = (
			<ConflictDialog
				key={Date.now()}
				conflict={conflict}
				onMine={end(resolve)}
				onTheirs={keepTheirs}
				onClose={cancel}
			/>
		);
		overlays.value = [...overlays.value, dialog];
	});
}

interface ConflictDialogProps {
	readonly conflict: Conflict;
	readonly onMine: () => void;
	readonly onTheirs: () => void;
	readonly onClose: () => void;
}

type Fields = Readonly<Record<string, unknown>>;

function ConflictDialog({ conflict, onMine, onTheirs, onClose }: ConflictDialogProps) {
	const t = useWords("console-access").conflict;
	const [theirs, setTheirs] = useState<Fields>();
	const [event, setEvent] = useState<Schemas["AuditEvent"]>();
	useEffect(() => {
		readRecord(conflict).then(setTheirs, () => setTheirs({}));
		lastEvent(conflict).then(setEvent, () => undefined);
	}, [conflict]);
	const action = useAction(async () => onMine());
	const isRemoval = conflict.method === "DELETE";
	return (
		<FormDialog
			title={t.title}
			submitLabel={isRemoval ? t.removeAnyway : t.useMine}
			tone={isRemoval ? "danger" : "primary"}
			action={{ ...action, isPending: action.isPending || theirs === undefined }}
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
			{theirs === undefined ? (
				<Skeleton lines={3} />
			) : (
				<ChangesTable
					caption={t.title}
					from={t.theirs}
					to={t.mine}
					changes={differences(theirs, (conflict.input.body ?? {}) as Fields)}
				/>
			)}
		</FormDialog>
	);
}

/** Also keeps the version for which the change is then made. */
async function readRecord({ template, input }: Conflict): Promise<Fields> {
	const read = `GET ${template}` as "GET /groups/{id}";
	const { data } = await call(read, { path: input.path as { id: string } });
	return data;
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

async function lastEvent({ target }: Conflict): Promise<Schemas["AuditEvent"] | undefined> {
	const [folder = "", id] = target.replace(/^.api.v1./, "").split("/");
	const noun = NOUNS[folder];
	if (noun === undefined) return undefined;
	const query = { target: `${noun}:${id}`, page_size: 1 };
	return (await call("GET /audit-events", { query })).data[0];
}

function differences(theirs: Fields, mine: Fields): Record<string, { from: unknown; to: unknown }> {
	const changed = Object.entries(mine).filter(
		([name, value]) => name in theirs && JSON.stringify(theirs[name]) !== JSON.stringify(value),
	);
	return Object.fromEntries(changed.map(([name, value]) => [name, { from: theirs[name], to: value }]));
}
