// What the first administrator of a new tenant needs to begin.

import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useWords } from "../../words/words.ts";
import { signInAddress } from "./sign-in-address.ts";

export interface CreatedTenantDialogProps {
	readonly tenant: Schemas["NewTenant"];
	readonly onClose: () => void;
}

export function CreatedTenantDialog({ tenant, onClose }: CreatedTenantDialogProps) {
	const t = useWords("console-settings").tenants;
	return (
		<Dialog
			onClose={onClose}
			title={t.createdTitle}
			actions={
				<Button variant="primary" onClick={onClose}>
					{t.done}
				</Button>
			}
		>
			<div class="lk-stack">
				<p>{t.createdText(tenant.admin.username)}</p>
				<CopyField label={t.signInAddress} value={signInAddress(tenant)} />
				<CopyField label={t.tenantId} value={tenant.id} />
			</div>
		</Dialog>
	);
}
