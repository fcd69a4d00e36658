// A field for a new password with its rules and a hint at its strength. The API enforces the rules.

import { PasswordInput } from "../ui/password-input.tsx";
import { useWords } from "../words/words.ts";
import "./new-password.css";

interface NewPasswordProps {
	/** As the API names it. */
	readonly name: string;
	readonly label: string;
	readonly value: string;
	readonly onValue: (value: string) => void;
}

export function NewPassword(props: NewPasswordProps) {
	const t = useWords("ui");
	const strength = strengthOf(props.value);
	return (
		<div>
			<PasswordInput {...props} autoComplete="new-password" hint={t.newPasswordRules} required />
			{props.value !== "" && (
				<p class="password-strength">
					<meter min={0} max={4} low={2} high={3} optimum={4} value={strength} />
					{t.passwordStrength[strength]}
				</p>
			)}
		</div>
	);
}

const LENGTHS = [8, 12, 16];
const KINDS = [/\p{Ll}/u, /\p{Lu}/u, /\p{N}/u, /[^\p{L}\p{N}]/u];

/** 0 to 4. Length counts most; repeated characters are weak at any length. */
function strengthOf(password: string): number {
	const characters = [...password];
	const reached = LENGTHS.filter((length) => characters.length >= length).length;
	if (reached === 0) return 0;
	if (new Set(characters).size < 5) return 1;
	const isMixed = KINDS.filter((kind) => kind.test(password)).length > 2;
	return Math.min(4, reached + (isMixed ? 1 : 0) + (reached > 1 ? 1 : 0));
}
