// A field for a new password with its rules. The API enforces them.

import { PasswordInput } from "../ui/password-input.tsx";
import { useWords } from "../words/words.ts";

interface NewPasswordProps {
	/** As the API names it. */
	readonly name: string;
	readonly label: string;
	readonly value: string;
	readonly onValue: (value: string) => void;
}

export function NewPassword(props: NewPasswordProps) {
	return (
		<PasswordInput {...props} autoComplete="new-password" hint={useWords("ui").newPasswordRules} required />
	);
}
