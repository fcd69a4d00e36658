// Sends all failed deliveries of a webhook again.

import { useRef, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";

interface ReplayDialogProps {
	readonly webhookId: string;
	readonly count: number;
	readonly onClose: () => void;
	readonly onReplayed: () => void;
}

/** One request sends hundreds; closing the dialog stops before the next one. */
export function ReplayDialog({ webhookId, count, onClose, onReplayed }: ReplayDialogProps) {
	const t = useWords("console-settings").webhooks;
	const [done, setDone] = useState(0);
	const isStopped = useRef(false);
	const replay = useAction(async () => {
		let total = 0;
		let more = 0;
		try {
			do {
				const path = { id: webhookId };
				({
					data: { replayed: more },
				} = await call("POST /webhooks/{id}/deliveries/replay", { path, body: {} }));
				total += more;
				setDone(total);
			} while (more > 0 && total < count && !isStopped.current);
		} finally {
			// Also after a later request failed; the count is then of the rest.
			setDone(0);
			onReplayed();
		}
		announce(t.replayedAll(total));
		onClose();
	});
	return (
		<FormDialog
			size="small"
			title={t.replayAllTitle(count)}
			text={done === 0 ? t.replayAllText : t.replayedOf(done, count)}
			submitLabel={t.replay}
			action={replay}
			cancel={replay.isPending ? { label: t.stop } : undefined}
			onClose={() => {
				isStopped.current = true;
				onClose();
			}}
		/>
	);
}
