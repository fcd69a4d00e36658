// Regenerates the Secret: the old one stays valid for a while, or stops working immediately.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { RegenerateDialog } from "../../dialogs/regenerate-dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useWords } from "../../words/words.ts";
import type { ClientChangeProps, ClientWithSecret } from "./client-record.ts";
import { SecretDialog } from "./secret-dialog.tsx";

interface RenewSecretProps extends ClientChangeProps {
	readonly onClose: () => void;
}

export function RenewSecret({ client, onChange, onClose }: RenewSecretProps) {
	const t = useWords("console-partners").clients;
	const [renewed, setRenewed] = useState<ClientWithSecret>();
	const close = () => {
		onClose();
		onChange();
	};
	if (renewed !== undefined) return <SecretDialog client={renewed} title={t.renewed} onClose={close} />;
	const previousUntil = client.previous_secret_expires_at;
	const hasPrevious = previousUntil !== null && new Date(previousUntil).getTime() > Date.now();
	return (
		<RegenerateDialog
			onClose={onClose}
			title={t.renew}
			size="medium"
			confirmLabel={t.renewNow}
			typeToConfirm={client.name}
			overlapLabel={t.overlap}
			overlaps={t.overlaps}
			atOnceHint={t.atOnceHint}
			regenerate={async (body) => {
				const path = { id: client.id };
				setRenewed((await call("POST /api-clients/{id}/regenerate-secret", { path, body })).data);
			}}
		>
			<p>{t.renewText}</p>
			{hasPrevious && <Notice tone="warning">{t.thirdSecret}</Notice>}
		</RegenerateDialog>
	);
}
