// Gives a webhook a new secret, and shows it once.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { useWords } from "../../words/words.ts";
import { SecretDialog } from "./secret-dialog.tsx";

export interface RotateDialogProps {
	readonly webhook: Schemas["Webhook"];
	readonly onClose: () => void;
	readonly onRotated: () => void;
}

type Overlap = "0" | "3600" | "86400" | "604800";
const OVERLAPS: readonly Overlap[] = ["0", "3600", "86400", "604800"];

export function RotateDialog({ webhook, onClose, onRotated }: RotateDialogProps) {
	const t = useWords("console-settings").webhooks;
	const [overlap, setOverlap] = useState<Overlap>("86400");
	const [secret, setSecret] = useState<string>();
	const rotate = useAction(async () => {
		const body = { overlap_seconds: Number(overlap) };
		const { data } = await call("POST /webhooks/{id}/rotate-secret", { path: { id: webhook.id }, body });
		setSecret(data.secret);
		onRotated();
	});
	if (secret !== undefined) return <SecretDialog secret={secret} onClose={onClose} />;
	return (
		<FormDialog
			onClose={onClose}
			title={t.rotateTitle}
			size="small"
			submitLabel={t.rotate}
			onSubmit={rotate.run}
			error={rotate.error}
			pending={rotate.isPending}
		>
			<p>{t.rotateText}</p>
			<Select
				name="overlap_seconds"
				label={t.overlap}
				value={overlap}
				onValue={setOverlap}
				options={OVERLAPS.map((value) => ({ value, label: t.overlaps[value] }))}
			/>
		</FormDialog>
	);
}
