// Adds a domain, changes where its people sign in, and creates the link with which its organization sets that up.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { forgetQueries, useAction } from "../../api/query.ts";
import { useCall } from "../../api/use-call.ts";
import { SecretOnceDialog } from "../../dialogs/secret-once-dialog.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Select } from "../../ui/select.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { type Choice, ChooseField } from "../grants/choose-field.tsx";
import { findApplications } from "../grants/find-choices.ts";
import type { Domain } from "./domain-state.ts";
import { type Provider, signsIn } from "./provider-kinds.ts";

const DAY_SECONDS = 86_400;
/** A tenant has fewer. */
const PROVIDERS_SHOWN = 100;
const LINK_DAYS = ["1", "3", "7"] as const;

interface DialogProps {
	readonly onClose: () => void;
	readonly onDone: () => void;
}

export function AddDomainDialog({
	provider,
	onClose,
	onDone,
}: DialogProps & { readonly provider: Provider | undefined }) {
	const t = useWords("console-settings").domains;
	const { values, field } = useFields({ domain: "" });
	const add = useAction(async () => {
		const body = { domain: values.domain.trim(), ...(provider && { issuer_id: provider.id }) };
		await call("POST /domains", { body });
		announce(t.added);
		onClose();
		onDone();
	});
	return (
		<FormDialog onClose={onClose} title={t.add} submitLabel={t.add} action={add} size="small">
			<TextInput {...field("domain")} label={t.domain} hint={t.domainHint} code required autoFocus />
		</FormDialog>
	);
}

interface ChangeDomainDialogProps extends DialogProps {
	readonly domain: Domain;
}

export function ChangeDomainDialog({ domain, onClose, onDone }: ChangeDomainDialogProps) {
	const t = useWords("console-settings").domains;
	const { data, error, isLoading, reload } = useCall("GET /identity-providers", {
		query: { page_size: PROVIDERS_SHOWN },
	});
	const providers = (data?.data ?? []).filter(signsIn);
	const { values, field } = useFields({ issuer_id: domain.issuer_id ?? "", enforce: domain.enforce });
	const chosen = providers.find(({ id }) => id === values.issuer_id);
	const missing =
		data === undefined
			? ""
			: domain.verified_at === null
				? t.enforceNeeds.verified
				: chosen === undefined
					? t.enforceNeeds.provider
					: chosen.enabled
						? undefined
						: t.enforceNeeds.enabled;
	const save = useAction(async () => {
		if (data === undefined) return;
		const issuer_id = values.issuer_id === "" ? null : values.issuer_id;
		// Without its checkbox, the enforcement stays as it is, unless the domain loses the provider that it needs.
		const isKept = missing !== undefined && issuer_id === domain.issuer_id;
		await call("PATCH /domains/{domain}", {
			path: { domain: domain.domain },
			body: { issuer_id, ...(!isKept && { enforce: values.enforce && missing === undefined }) },
		});
		announce(t.changed(domain.domain));
		onClose();
		onDone();
	});
	return (
		<FormDialog onClose={onClose} title={t.changeTitle(domain.domain)} submitLabel={t.save} action={save}>
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			<Select
				{...field("issuer_id")}
				label={t.provider}
				hint={t.providerHint}
				options={[
					{ value: "", label: t.noProvider },
					...providers.map(({ id, display_name }) => ({ value: id, label: display_name })),
				]}
			/>
			{missing === undefined ? (
				<Checkbox {...field("enforce")} label={t.enforce} hint={t.enforceHint} />
			) : (
				<Notice title={t.enforce}>{missing}</Notice>
			)}
		</FormDialog>
	);
}

/** @param domain if it is known */
export function SetUpLinkDialog({
	domain,
	onClose,
	onDone,
}: DialogProps & { readonly domain: string | undefined }) {
	const t = useWords("console-settings").domains;
	const { values, field } = useFields({
		domain: domain ?? "",
		application_id: undefined as Choice | undefined,
		days: "7" as (typeof LINK_DAYS)[number],
	});
	const [url, setUrl] = useState<string>();
	const create = useAction(async () => {
		const { data } = await call("POST /identity-providers/set-up-links", {
			body: {
				domain: values.domain.trim(),
				expires_in: Number(values.days) * DAY_SECONDS,
				...(values.application_id && { application_id: values.application_id.id }),
			},
		});
		forgetQueries("GET /domains");
		setUrl(data.url);
	});
	const done = () => {
		onClose();
		onDone();
	};
	if (url !== undefined)
		return (
			<SecretOnceDialog
				title={t.linkTitle(values.domain.trim())}
				onClose={done}
				doneLabel={t.done}
				keptLabel={t.linkKept}
				warning={t.linkOnce}
				secrets={[{ label: t.link, value: url }]}
			/>
		);
	return (
		<FormDialog
			onClose={onClose}
			title={t.createLink}
			submitLabel={t.createLink}
			action={create}
			text={t.linkText}
		>
			<TextInput
				{...field("domain")}
				label={t.domain}
				hint={t.domainHint}
				code
				required
				readOnly={domain !== undefined}
			/>
			<ChooseField
				{...field("application_id")}
				label={t.application}
				source="applications"
				find={findApplications}
			/>
			<Select
				{...field("days")}
				name="expires_in"
				label={t.validFor}
				options={LINK_DAYS.map((value) => ({ value, label: t.days(Number(value)) }))}
			/>
		</FormDialog>
	);
}
