// What a rule needs: everyone, anyone who signed in, or a permission of the application, which can be created here.

import { useState } from "preact/hooks";
import type { Schemas } from "../../api/routes.ts";
import { Combobox } from "../../ui/combobox.tsx";
import type { FieldProps } from "../../ui/field.tsx";
import { useWords } from "../../words/words.ts";
import { holdersOf, isPermission, listedPermissions } from "./held-permissions.ts";

const FOR_ALL = ["public", "signed-in"] as const;
const SHOWN_MAX = 8;
/** Not a permission. */
const CREATE = "*";

interface NeedsFieldProps extends Pick<FieldProps, "name" | "label" | "error"> {
	readonly value: string;
	readonly onValue: (value: string) => void;
	/** Undefined until they are loaded. */
	readonly roles: readonly Schemas["ApplicationRole"][] | undefined;
	readonly onCreate: (permission: string) => void;
}

export function NeedsField({ roles, value, onValue, onCreate, ...field }: NeedsFieldProps) {
	const t = useWords("console-gate");
	const [open, setOpen] = useState<"all" | "matching">();
	const text = value.trim();
	const held = (permission: string) => holdersOf(permission, roles ?? []);
	const all = [...FOR_ALL, ...listedPermissions(roles ?? [])];
	const matching = all.filter((one) => one.toLowerCase().includes(text.toLowerCase()));
	// One that a role holds by a pattern is not listed.
	const isListed = all.includes(text);
	const isUnlisted = roles !== undefined && isPermission(text) && !isListed;
	const isHeld = isUnlisted && held(text).length > 0;
	const shown = (open === "all" ? all : matching).slice(0, SHOWN_MAX);
	const option = (one: string) => ({
		key: one,
		content: (
			<span class="lk-needs">
				<code>{one}</code>
				<span class="lk-muted">
					{one === "public" || one === "signed-in" ? t.forAll[one] : <bdi>{t.heldBy(held(one))}</bdi>}
				</span>
			</span>
		),
	});
	const options = [
		...(isHeld ? [option(text)] : []),
		...shown.map(option),
		...(isUnlisted && !isHeld ? [{ key: CREATE, content: t.createPermission(text) }] : []),
	];
	return (
		<Combobox
			{...field}
			hideLabel
			isFree
			code
			placeholder="orders:read"
			value={value}
			onValue={(typed) => {
				onValue(typed);
				setOpen("matching");
			}}
			isOpen={open !== undefined && options.length > 0}
			onOpen={() => setOpen("all")}
			onClose={() => setOpen(undefined)}
			options={options}
			onChoose={(key) => {
				setOpen(undefined);
				if (key === CREATE) onCreate(text);
				else onValue(key);
			}}
		/>
	);
}
