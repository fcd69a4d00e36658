// The application of a client: a new one, or an existing one found by name.

import { useState } from "preact/hooks";
import { useSettled } from "../../api/settled.ts";
import { useCall } from "../../api/use-call.ts";
import { RadioGroup } from "../../ui/choice.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import "./application-field.css";
import type { ClientSettings } from "./client-settings.ts";

const SHOWN_MAX = 6;

interface ApplicationFieldProps {
	readonly value: ClientSettings["application"];
	readonly onValue: (value: ClientSettings["application"]) => void;
	/** The name of a new application; undefined if one must be chosen. */
	readonly newName?: string | undefined;
}

export function ApplicationField({ value, onValue, newName }: ApplicationFieldProps) {
	const t = useWords("console-partners").settings;
	const [isExisting, setExisting] = useState(newName === undefined || value !== undefined);
	return (
		<div class="lk-stack">
			{newName !== undefined && (
				<RadioGroup
					name="application"
					label={t.application}
					value={isExisting ? "existing" : "new"}
					onValue={(choice) => {
						setExisting(choice === "existing");
						if (choice === "new") onValue(undefined);
					}}
					options={[
						{ value: "new", label: t.newApplication, hint: <bdi>{newName}</bdi> },
						{ value: "existing", label: t.existingApplication },
					]}
				/>
			)}
			{isExisting && (
				<Choose
					label={newName === undefined ? t.application : t.findApplication}
					value={value}
					onValue={onValue}
				/>
			)}
		</div>
	);
}

interface ChooseProps extends Pick<ApplicationFieldProps, "value" | "onValue"> {
	readonly label: string;
}

function Choose({ label, value, onValue }: ChooseProps) {
	const t = useWords("console-partners").settings;
	const [q, setQ] = useState("");
	const settled = useSettled(q);
	const { data, error, isLoading, reload } = useCall("GET /applications", {
		query: { q: settled, status: "active", page_size: SHOWN_MAX },
	});
	const found = data?.data ?? [];
	const shown = value === undefined || found.some(({ id }) => id === value.id) ? found : [value, ...found];
	return (
		<div class="lk-application-field">
			<TextInput
				name="application-search"
				label={label}
				placeholder={t.findApplication}
				value={q}
				onValue={setQ}
			/>
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{data === undefined ? (
				error === undefined && <Skeleton lines={3} />
			) : shown.length === 0 ? (
				<p class="lk-muted">{t.noApplication}</p>
			) : (
				<RadioGroup
					name="app_id"
					label={t.application}
					hideLabel
					value={value?.id}
					onValue={(id) => {
						const chosen = shown.find((one) => one.id === id);
						if (chosen !== undefined) onValue({ id: chosen.id, name: chosen.name });
					}}
					options={shown.map(({ id, name }) => ({ value: id, label: name }))}
				/>
			)}
			{data !== undefined && data.total > found.length && (
				<p class="lk-muted">{t.moreApplications(data.total - found.length)}</p>
			)}
		</div>
	);
}
