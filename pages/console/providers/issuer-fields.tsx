// The fields of an issuer that vouches for workloads or people: where its keys are, and what its tokens say.

import { RadioGroup } from "../../ui/choice.tsx";
import { optionsOf } from "../../ui/options.ts";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { Time } from "../../ui/time.tsx";
import type { connectFields } from "../../ui/use-fields.ts";
import { useWords } from "../../words/words.ts";
import { ListField } from "../editing/list-field.tsx";
import { KEY_PLACES, type ProviderFields } from "./provider-kinds.ts";

interface IssuerFieldsProps {
	readonly fields: ProviderFields;
	readonly field: ReturnType<typeof connectFields<ProviderFields>>;
	/** When the stored keys were pasted. */
	readonly keysSetAt: string | null;
}

export function IssuerFields({ fields, field, keysSetAt }: IssuerFieldsProps) {
	const t = useWords("console-settings").providers;
	const age = keysSetAt !== null && (
		<>
			{" "}
			{t.keysPasted} <Time at={keysSetAt} format="relative" />.
		</>
	);
	return (
		<>
			<RadioGroup
				{...field("keys_place")}
				label={t.keys}
				hint={t.keysHint}
				options={optionsOf(KEY_PLACES, t.keyPlaces)}
			/>
			{fields.keys_place === "address" && (
				<TextInput
					{...field("jwks_uri")}
					label={t.keyAddress}
					hint={t.keyAddressHint}
					type="url"
					code
					required
				/>
			)}
			{fields.keys_place === "here" && (
				<TextArea
					{...field("jwks")}
					label={t.keySet}
					hint={
						<>
							{t.keySetHint}
							{age}
						</>
					}
					code
					rows={8}
					required
				/>
			)}
			{fields.uses.includes("workloads") && (
				<TextInput
					{...field("audience")}
					label={t.audience}
					hint={t.audienceHint(location.origin)}
					code
					optional
				/>
			)}
			{fields.uses.includes("assertions") && (
				<ListField
					{...field("mfa_acr")}
					label={t.mfaAcr}
					hint={t.mfaAcrHint}
					addLabel={t.addMfaAcr}
					optional
				/>
			)}
		</>
	);
}
