// What a proxy needs to ask the gate: its URL, and its key, which is shown once. Also removes the gate.

import { call } from "../../api/client.ts";
import { RegenerateDialog } from "../../dialogs/regenerate-dialog.tsx";
import { SecretOnceDialog } from "../../dialogs/secret-once-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { DescriptionList } from "../../ui/description-list.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";
import { confirmAction, openDialog } from "../dialogs.tsx";
import { isAdmin } from "../roles.ts";
import type { GateProps } from "./gate-props.ts";

interface GateKeyProps extends GateProps {
	readonly onChanged: () => void;
}

export function GateKey({ application, gate, onChanged }: GateKeyProps) {
	const t = useWords("console-gate");
	const { previous_key_expires_at: end } = gate;
	const { id, name } = application;
	const showKey = (keyPlain: string) =>
		openDialog((close) => (
			<GateKeyDialog
				keyPlain={keyPlain}
				onClose={() => {
					close();
					onChanged();
				}}
			/>
		));
	const regenerate = () =>
		openDialog((close) => (
			<RegenerateDialog
				onClose={close}
				title={t.regenerateTitle}
				submitLabel={t.regenerate}
				typeToConfirm={name}
				overlapLabel={t.overlap}
				overlaps={t.overlaps}
				atOnceHint={t.atOnceHint}
				regenerate={async (body) => {
					const { data } = await call("POST /applications/{id}/gate/regenerate-key", { path: { id }, body });
					close();
					if (data.gate_key !== undefined) showKey(data.gate_key);
				}}
			>
				<p>{t.regenerateText}</p>
			</RegenerateDialog>
		));
	const remove = () =>
		confirmAction({
			title: t.removeQuestion(name),
			text: t.removeConsequences,
			submitLabel: t.remove,
			typeToConfirm: name,
			act: () => call("DELETE /applications/{id}/gate", { path: { id } }),
			done: t.removed,
			onDone: onChanged,
		});
	return (
		<>
			<Card
				title={t.key}
				description={t.keyText}
				actions={isAdmin() && <Button onClick={regenerate}>{t.regenerateAsk}</Button>}
			>
				<div class="lk-stack">
					<CopyField label={t.address} value={`${location.origin}/gate/${application.id}`} />
					<DescriptionList
						items={[
							{ term: t.currentKey, value: <code>{`gk_…${gate.key_hint}`}</code> },
							{ term: t.previousKeyUntil, value: end === null ? "" : <Time at={end} format="datetime" /> },
						]}
					/>
				</div>
			</Card>
			{isAdmin() && (
				<Card title={t.removeTitle} description={t.removeText} tone="danger">
					<div class="lk-row">
						<Button variant="danger" onClick={remove}>
							{t.removeAsk}
						</Button>
					</div>
				</Card>
			)}
		</>
	);
}

interface GateKeyDialogProps {
	readonly keyPlain: string;
	readonly onClose: () => void;
}

/** The key of a gate, shown once. */
export function GateKeyDialog({ keyPlain, onClose }: GateKeyDialogProps) {
	const t = useWords("console-gate");
	return (
		<SecretOnceDialog
			title={t.keyTitle}
			onClose={onClose}
			doneLabel={t.done}
			keptLabel={t.keyKept}
			warning={t.keyOnce}
			secrets={[{ label: t.gateKey, value: keyPlain }]}
		/>
	);
}
