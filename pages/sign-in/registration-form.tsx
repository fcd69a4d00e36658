// The last step of a registration: a username, a password and a name.

import { useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useWords } from "../words/words.ts";
import { NewPassword } from "./new-password.tsx";
import { NEW_PASSWORD_CODES, useShownError } from "./shown-error.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import { visitorCall } from "./visitor-call.ts";

const AT_FIELDS = {
	"username.taken": "username",
	...Object.fromEntries(NEW_PASSWORD_CODES.map((code) => [code, "password"])),
};
const USERNAME_MIN = 3;
const USERNAME_MAX = 64;

interface RegistrationFormProps {
	readonly email: string;
	/** Was correct; it can expire while the user types. */
	readonly code: string;
	readonly onCodeExpired: () => void;
	readonly onRegistered: (registered: Registered) => Promise<void>;
}

export function RegistrationForm({ email, code, onCodeExpired, onRegistered }: RegistrationFormProps) {
	const t = useWords("sign-up");
	const [username, setUsername] = useState(usernameFrom(email));
	const [password, setPassword] = useState("");
	const [displayName, setDisplayName] = useState("");
	const step = useFirstFocus();
	const register = useAction(async () => {
		const named = displayName.trim() === "" ? {} : { display_name: displayName };
		await visitorCall("POST /auth/register", { email, code, username: username.trim(), password, ...named });
		await onRegistered({ username: username.trim(), password });
	});
	const error = useShownError(register.error, AT_FIELDS);
	return (
		<div class="lk-stack" ref={step}>
			<Form onSubmit={() => register.run()} error={error} pending={register.isPending}>
				<TextInput
					name="username"
					label={t.username}
					hint={t.usernameRule}
					value={username}
					onValue={setUsername}
					autoComplete="username"
					required
				/>
				<NewPassword name="password" label={t.password} value={password} onValue={setPassword} />
				<TextInput
					name="display_name"
					label={t.displayName}
					value={displayName}
					onValue={setDisplayName}
					autoComplete="name"
					optional
				/>
				<Button type="submit" variant="primary" wide pending={register.isPending}>
					{t.create}
				</Button>
			</Form>
			{register.error?.code === "code.invalid" && (
				<Button variant="quiet" wide onClick={onCodeExpired}>
					{t.enterCodeAgain}
				</Button>
			)}
		</div>
	);
}

/** A suggestion from the part before the `@`, or nothing if that is no username. */
function usernameFrom(email: string): string {
	const [local = ""] = email.split("@");
	const username = local.replaceAll(/[^A-Za-z0-9._-]/g, "").slice(0, USERNAME_MAX);
	return username.length < USERNAME_MIN ? "" : username;
}

/** The credentials for the sign-in that follows. */
export interface Registered {
	readonly username: string;
	readonly password: string;
}
