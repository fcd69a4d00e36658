// A new client secret: beside the old one for a day, or in its place at once.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { RadioGroup } from "../../ui/choice.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { useWords } from "../../words/words.ts";
import type { ClientDialogProps } from "./client-props.ts";
import { SecretDialog } from "./secret-dialog.tsx";

const OVERLAPS = { day: 86_400, none: 0 } as const;
type Overlap = keyof typeof OVERLAPS;

export function RegenerateDialog({ client, onClose, onChanged }: ClientDialogProps) {
	const t = useWords("console-access").openid;
	const [overlap, setOverlap] = useState<Overlap>("day");
	const [made, setMade] = useState<Schemas["OAuthClientWithSecret"]>();
	const regenerate = useAction(async () => {
		const { data } = await call("POST /applications/{id}/oauth-client/regenerate-secret", {
			path: { id: client.client_id },
			body: { overlap_seconds: OVERLAPS[overlap] },
		});
		setMade(data);
	});
	const close = () => {
		onClose();
		onChanged();
	};
	if (made !== undefined) return <SecretDialog client={made} title={t.regenerated} onClose={close} />;
	return (
		<ConfirmDialog
			open
			onClose={onClose}
			title={t.regenerateTitle}
			confirmLabel={t.regenerateNow}
			tone={overlap === "none" ? "danger" : "primary"}
			onConfirm={regenerate.run}
			pending={regenerate.isPending}
			error={regenerate.error}
		>
			<div class="lk-stack">
				<p>{t.regenerateText}</p>
				<RadioGroup
					name="overlap_seconds"
					label={t.overlap}
					value={overlap}
					onValue={setOverlap}
					options={(Object.keys(OVERLAPS) as Overlap[]).map((value) => ({ value, label: t.overlaps[value] }))}
				/>
			</div>
		</ConfirmDialog>
	);
}
