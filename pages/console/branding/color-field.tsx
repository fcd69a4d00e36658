// A color: typed, or chosen with the system's picker.

import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";

export const COLOR = /^#[0-9a-f]{6}$/i;

interface ColorFieldProps {
	readonly value: string;
	readonly onValue: (value: string) => void;
}

export function ColorField({ value, onValue }: ColorFieldProps) {
	const t = useWords("console-settings").branding;
	const isBad = value !== "" && !COLOR.test(value);
	return (
		<div class="lk-branding__color">
			<TextInput
				name="accent_color"
				label={t.accentColor}
				hint={t.accentHint}
				error={isBad ? t.badColor : undefined}
				code
				value={value}
				onValue={onValue}
			/>
			<input
				type="color"
				class="lk-branding__picker"
				aria-label={t.pickColor}
				value={COLOR.test(value) ? value : "#000000"}
				onInput={(event) => onValue(event.currentTarget.value)}
			/>
		</div>
	);
}
