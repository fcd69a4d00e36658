// Changes the names, the sign-in, the sender addresses, the test clients, and the program requests of a tenant.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { TENANT_NAME_MAX } from "../../api/limits.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { session } from "../../api/session.ts";
import { keepTenant } from "../../api/tenant.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { linesOf } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import { ListField } from "../editing/list-field.tsx";

interface ChangeTenantDialogProps {
	readonly tenant: Schemas["Tenant"];
	readonly onClose: () => void;
	readonly onSaved: () => void;
}

export function ChangeTenantDialog({ tenant, onClose, onSaved }: ChangeTenantDialogProps) {
	const t = useWords("console-settings").tenants;
	const [name, setName] = useState(tenant.name);
	const [slug, setSlug] = useState(tenant.slug);
	const [require_mfa, setRequireMfa] = useState(tenant.require_mfa);
	const [senderAddresses, setSenderAddresses] = useState(tenant.sender_addresses.join("\n"));
	const [mailed_code, setMailedCode] = useState(tenant.mailed_code);
	const [test_clients, setTestClients] = useState(tenant.test_clients);
	const [program_requests, setProgramRequests] = useState(tenant.program_requests);
	const isFirst = tenant.slug === "default";
	const save = useAction(async () => {
		const body = {
			name: name.trim(),
			require_mfa,
			mailed_code,
			test_clients,
			program_requests,
			sender_addresses: linesOf(senderAddresses),
			...(!isFirst && { slug: slug.trim() }),
		};
		const { data } = await call("PATCH /tenants/{id}", { path: { id: tenant.id }, body });
		if (data.id === session.value.user?.tenant_id) keepTenant(data);
		onSaved();
	});
	return (
		<FormDialog onClose={onClose} title={tenant.name} submitLabel={t.save} action={save}>
			<TextInput name="name" label={t.name} limit={TENANT_NAME_MAX} value={name} onValue={setName} required />
			<TextInput
				name="slug"
				label={t.slug}
				hint={isFirst ? t.slugFixed : t.slugHint}
				code
				value={slug}
				onValue={setSlug}
				readOnly={isFirst}
				required
			/>
			<Checkbox
				name="require_mfa"
				label={t.requireMfa}
				hint={t.requireMfaHint}
				checked={require_mfa}
				onValue={setRequireMfa}
			/>
			<Checkbox
				name="mailed_code"
				label={t.mailedCode}
				hint={t.mailedCodeHint}
				checked={mailed_code}
				onValue={setMailedCode}
			/>
			<Checkbox
				name="test_clients"
				label={t.testClients}
				hint={t.testClientsHint}
				checked={test_clients}
				onValue={setTestClients}
			/>
			<Checkbox
				name="program_requests"
				label={t.programRequests}
				hint={t.programRequestsHint}
				checked={program_requests}
				onValue={setProgramRequests}
			/>
			<ListField
				name="sender_addresses"
				label={t.senderAddresses}
				hint={t.senderAddressesHint}
				addLabel={t.addSenderAddress}
				value={senderAddresses}
				onValue={setSenderAddresses}
			/>
			<CopyField label={t.signInAddress} value={signInAddress(tenant)} />
			<CopyField label={t.tenantId} value={tenant.id} />
		</FormDialog>
	);
}

/** Where the people of a tenant sign in. */
export function signInAddress({ slug }: { readonly slug: string }): string {
	return slug === "default" ? `${location.origin}/sign-in` : `${location.origin}/sign-in?tenant=${slug}`;
}
