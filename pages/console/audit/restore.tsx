// Restores what an event changed: shows the values first, asks for a note, and links to the new event.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorText } from "../../ui/error-text.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Link } from "../../ui/link.tsx";
import { Notice } from "../../ui/notice.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { format } from "../../words/format.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { type Change, ChangesTable, textOf } from "./changes-table.tsx";

type Event = Schemas["AuditEvent"];
type Preview = Schemas["RestoredAuditEvent"];
type Words = WordsOf<"console-audit">["restore"];

const UPDATES = ["grant", "application_role", "api_client", "oauth_client", "gate"];
const VALUE_MAX = 40;
const NOTE_MAX = 200;

interface RestoreProps {
	readonly event: Event;
	readonly onRestored: () => void;
}

/** Nothing for events that the user cannot restore. */
export function Restore({ event, onRestored }: RestoreProps) {
	const t = useWords("console-audit").restore;
	const [preview, setPreview] = useState<Preview>();
	const [isOpen, setOpen] = useState(false);
	const [newId, setNewId] = useState<string>();
	const look = useAction(async () => {
		const found = await send(event.id, { dry_run: true });
		setPreview(found);
		setOpen(isRestorable(found));
	});
	const label = labelOf(t, event);
	if (label === undefined || !isAdmin()) return null;
	const isDone = preview !== undefined && !isRestorable(preview);
	return (
		<div class="lk-row">
			<Button size="small" onClick={look.run} pending={look.isPending}>
				{label}
			</Button>
			<span role="status">
				{look.error !== undefined && <ErrorText error={look.error} />}
				{isDone && look.error === undefined && t.nothing}
			</span>
			{newId !== undefined && <Link href={pathOfEvent(newId)}>{t.showNew}</Link>}
			{isOpen && preview !== undefined && (
				<RestoreDialog
					eventId={event.id}
					preview={preview}
					onPreview={setPreview}
					onClose={() => setOpen(false)}
					onRestored={(id) => {
						setNewId(id);
						onRestored();
					}}
				/>
			)}
		</div>
	);
}

async function send(id: string, body: { dry_run?: boolean; note?: string; expect?: string }) {
	return (await call("POST /audit-events/{id}/restore", { path: { id }, body })).data;
}

function isRestorable({ changes }: Preview): boolean {
	return Object.keys(changes).length > 0;
}

export function pathOfEvent(id: string): string {
	return `/console/audit?id=${encodeURIComponent(id)}`;
}

/** Undefined where the trail does not have the values before the event. */
function labelOf(t: Words, { action, changes, details }: Event): string | undefined {
	if (action === "grant.created") return t.noAccess;
	if (action === "grant.removed")
		return Array.isArray(details.roles) ? ofValues(t, [["roles", details.roles]]) : undefined;
	const [noun = "", verb] = action.split(".");
	const { fields } = details;
	const isWhole = !Array.isArray(fields) || fields.every((name) => name in changes);
	if (verb !== "updated" || !UPDATES.includes(noun) || !isWhole) return undefined;
	const values = Object.entries(changes as Readonly<Record<string, Change>>);
	return ofValues(
		t,
		values.map(([name, { from }]) => [name, from]),
	);
}

function ofValues(t: Words, values: readonly (readonly [string, unknown])[]): string | undefined {
	const [first] = values;
	if (first === undefined) return undefined;
	if (values.length > 1) return t.several(values.length);
	const text = first[1] === null ? "" : textOf(first[1]);
	return t.one(first[0], text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text);
}

interface RestoreDialogProps {
	readonly eventId: string;
	readonly preview: Preview;
	readonly onPreview: (preview: Preview) => void;
	readonly onClose: () => void;
	readonly onRestored: (eventId: string) => void;
}

function RestoreDialog({ eventId, preview, onPreview, onClose, onRestored }: RestoreDialogProps) {
	const t = useWords("console-audit").restore;
	const { values, field } = useFields({ note: "" });
	const [secret, setSecret] = useState<string>();
	const restore = useAction(async () => {
		const note = values.note.trim();
		try {
			const restored = await send(eventId, { expect: preview.digest, ...(note !== "" && { note }) });
			announce(t.done);
			if (restored.event_id !== null) onRestored(restored.event_id);
			if (restored.client_secret === undefined) onClose();
			else setSecret(restored.client_secret);
		} catch (error) {
			if (error instanceof ApiError && error.code === "audit_event.changed_since")
				onPreview(await send(eventId, { dry_run: true }));
			throw error;
		}
	});
	if (secret !== undefined)
		return (
			<Dialog title={t.done} onClose={onClose}>
				<CopyField label={t.secret} value={secret} />
			</Dialog>
		);
	const { changes, changed_since } = preview;
	return (
		<FormDialog title={t.title} text={t.text} submitLabel={t.submit} action={restore} onClose={onClose}>
			{changed_since.length > 0 && (
				<Notice tone="warning">{t.changedSince(format.list(changed_since))}</Notice>
			)}
			<ChangesTable
				caption={t.title}
				from={t.now}
				to={t.restored}
				changes={changes as Readonly<Record<string, Change>>}
			/>
			<TextInput {...field("note")} label={t.note} hint={t.noteHint} limit={NOTE_MAX} autoFocus />
		</FormDialog>
	);
}
