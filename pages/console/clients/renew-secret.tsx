// A new Secret: beside the old one for a while, or in its place at once.

import { useId, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { RadioGroup } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice } from "../../ui/notice.tsx";
import { isSameName } from "../../ui/same-name.ts";
import { TextInput } from "../../ui/text-input.tsx";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import type { ClientChangeProps, ClientWithSecret } from "./client-record.ts";
import { SecretDialog } from "./secret-dialog.tsx";

const OVERLAPS = { hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000, none: 0 } as const;
type Overlap = keyof typeof OVERLAPS;

export function RenewSecret({
	client,
	onChange,
	onClose,
}: ClientChangeProps & { readonly onClose: () => void }) {
	const t = useWords("console-partners").clients;
	const form = useId();
	const [overlap, setOverlap] = useState<Overlap>("day");
	const [typed, setTyped] = useState("");
	const [renewed, setRenewed] = useState<ClientWithSecret>();
	const { run, isPending, error } = useAction(async () => {
		const body = { overlap_seconds: OVERLAPS[overlap] };
		const { data } = await call("POST /api-clients/{id}/regenerate-secret", {
			path: { id: client.id },
			body,
		});
		setRenewed(data);
	});
	if (renewed !== undefined)
		return (
			<SecretDialog
				client={renewed}
				title={t.renewed}
				onClose={() => {
					onClose();
					onChange();
				}}
			/>
		);
	const isAtOnce = overlap === "none";
	const isReady = !isAtOnce || isSameName(typed, client.name);
	const hasPrevious =
		client.previous_secret_expires_at !== null &&
		new Date(client.previous_secret_expires_at).getTime() > Date.now();
	const actions = (
		<>
			<Button onClick={onClose}>{uiWords().cancel}</Button>
			<Button
				type="submit"
				form={form}
				variant={isAtOnce ? "danger" : "primary"}
				pending={isPending}
				disabled={!isReady}
			>
				{t.renewNow}
			</Button>
		</>
	);
	return (
		<Dialog open onClose={onClose} title={t.renew} actions={actions}>
			<Form id={form} onSubmit={() => (isReady ? run() : undefined)} error={error} pending={isPending}>
				<p>{t.renewText}</p>
				{hasPrevious && <Notice tone="warning">{t.thirdSecret}</Notice>}
				<RadioGroup
					name="overlap_seconds"
					label={t.overlap}
					value={overlap}
					onValue={setOverlap}
					options={(Object.keys(OVERLAPS) as Overlap[]).map((value) => ({
						value,
						label: t.overlaps[value],
						...(value === "none" ? { hint: t.atOnceHint } : {}),
					}))}
				/>
				{isAtOnce && (
					<TextInput
						name="confirmation"
						label={uiWords().typeToConfirm(client.name)}
						value={typed}
						onValue={setTyped}
					/>
				)}
			</Form>
		</Dialog>
	);
}
