// What a directory may do, and what its people get: shown, and changed in a dialog.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { useCall } from "../../api/use-call.ts";
import { Button } from "../../ui/button.tsx";
import { RadioGroup } from "../../ui/choice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { optionsOf } from "../../ui/options.ts";
import { Select } from "../../ui/select.tsx";
import { announce } from "../../ui/status-line.tsx";
import { linesOf } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { useWords, type WordsOf } from "../../words/words.ts";
import { ListField } from "../editing/list-field.tsx";
import { RolesField } from "../grants/roles-field.tsx";

export type Directory = Schemas["Directory"];
interface Grant {
	readonly app_id: string;
	readonly roles: readonly string[];
}

const ON_REMOVE = ["disable", "delete"] as const;
const ADOPTIONS = ["off", "verified_email"] as const;
const PREFIX_MAX = 40;
const APPLICATIONS_SHOWN = 100;

/** The names of the first applications, by id. */
export function useApplications(): ReadonlyMap<string, string> {
	const { data } = useCall("GET /applications", { query: { page_size: APPLICATIONS_SHOWN } });
	return new Map((data?.data ?? []).map(({ id, name }) => [id, name]));
}

/** As items of a `DescriptionList`. */
export function settingsOf(
	{ on_remove, adopt, domains, group_prefix, default_grants, client_id }: Directory,
	applications: ReadonlyMap<string, string>,
	t: WordsOf<"console-settings">["providers"]["directory"],
) {
	const nameOf = (id: string) => applications.get(id) ?? id;
	return [
		{ term: t.onRemove, value: t.onRemoveNames[on_remove] },
		{ term: t.adopt, value: t.adoptNames[adopt] },
		{ term: t.domains, value: domains.length === 0 ? t.anyDomain : domains.join(", ") },
		{ term: t.groupPrefix, value: group_prefix },
		{
			term: t.defaultGrants,
			value:
				default_grants.length === 0
					? ""
					: default_grants.map(({ app_id, roles }) => (
							<div key={app_id}>
								<bdi>{nameOf(app_id)}</bdi>
								{roles.length > 0 && (
									<>
										: <bdi>{roles.join(", ")}</bdi>
									</>
								)}
							</div>
						)),
		},
		{ term: t.client, value: client_id === null ? "" : nameOf(client_id) },
	];
}

interface DirectorySettingsDialogProps {
	/** Of the provider. */
	readonly id: string;
	readonly directory: Directory;
	readonly applications: ReadonlyMap<string, string>;
	readonly onClose: () => void;
	readonly onSaved: () => void;
}

export function DirectorySettingsDialog(props: DirectorySettingsDialogProps) {
	const { id, directory, applications, onClose, onSaved } = props;
	const t = useWords("console-settings").providers.directory;
	const { values, set, field } = useFields({
		on_remove: directory.on_remove,
		adopt: directory.adopt,
		domains: directory.domains.join("\n"),
		group_prefix: directory.group_prefix,
		client_id: directory.client_id ?? "",
		default_grants: directory.default_grants as readonly Grant[],
	});
	const save = useAction(async () => {
		await call("PUT /identity-providers/{id}/directory", {
			path: { id },
			body: {
				...values,
				domains: linesOf(values.domains),
				group_prefix: values.group_prefix.trim(),
				client_id: values.client_id.trim() === "" ? null : values.client_id.trim(),
				default_grants: values.default_grants.map(({ app_id, roles }) => ({ app_id, roles: [...roles] })),
			},
		});
		announce(t.saved);
		onClose();
		onSaved();
	});
	return (
		<FormDialog onClose={onClose} title={t.settings} submitLabel={t.save} action={save}>
			<RadioGroup
				{...field("on_remove")}
				label={t.onRemove}
				hint={t.onRemoveHint}
				options={optionsOf(ON_REMOVE, t.onRemoveNames)}
			/>
			<Select
				{...field("adopt")}
				label={t.adopt}
				hint={t.adoptHint}
				options={optionsOf(ADOPTIONS, t.adoptNames)}
			/>
			<ListField
				{...field("domains")}
				label={t.domains}
				hint={t.domainsHint}
				addLabel={t.addDomain}
				optional
			/>
			<TextInput
				{...field("group_prefix")}
				label={t.groupPrefix}
				hint={t.groupPrefixHint}
				limit={PREFIX_MAX}
				optional
			/>
			<DefaultGrants
				grants={values.default_grants}
				onGrants={(default_grants) => set({ default_grants })}
				applications={applications}
			/>
			<TextInput {...field("client_id")} label={t.client} hint={t.clientHint} code optional />
		</FormDialog>
	);
}

interface DefaultGrantsProps {
	readonly grants: readonly Grant[];
	readonly onGrants: (grants: readonly Grant[]) => void;
	readonly applications: ReadonlyMap<string, string>;
}

function DefaultGrants({ grants, onGrants, applications }: DefaultGrantsProps) {
	const t = useWords("console-settings").providers.directory;
	const [isChoosing, setChoosing] = useState(false);
	const others = [...applications].filter(([id]) => grants.every(({ app_id }) => app_id !== id));
	const add = (app_id: string) => {
		setChoosing(false);
		if (app_id !== "") onGrants([...grants, { app_id, roles: [] }]);
	};
	return (
		<fieldset class="lk-choices">
			<legend class="lk-choices__legend">{t.defaultGrants}</legend>
			<div class="lk-field__hint">{t.defaultGrantsHint}</div>
			{grants.map(({ app_id, roles }) => {
				const name = applications.get(app_id) ?? app_id;
				return (
					<fieldset key={app_id} class="lk-choices">
						<legend class="lk-choices__legend">
							<bdi>{name}</bdi>
						</legend>
						<RolesField
							appId={app_id}
							values={roles}
							onValues={(next) =>
								onGrants(grants.map((grant) => (grant.app_id === app_id ? { app_id, roles: next } : grant)))
							}
						/>
						<div>
							<Button
								size="small"
								onClick={() => onGrants(grants.filter((grant) => grant.app_id !== app_id))}
							>
								{t.removeGrant}
								<span class="lk-hidden"> {name}</span>
							</Button>
						</div>
					</fieldset>
				);
			})}
			{isChoosing ? (
				<Select
					name="application"
					label={t.chooseApplication}
					value=""
					onValue={add}
					options={[{ value: "", label: "–" }, ...others.map(([value, label]) => ({ value, label }))]}
				/>
			) : (
				others.length > 0 && (
					<div>
						<Button size="small" onClick={() => setChoosing(true)}>
							{t.addGrant}
						</Button>
					</div>
				)
			)}
		</fieldset>
	);
}
