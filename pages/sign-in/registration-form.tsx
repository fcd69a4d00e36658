// The last step of a registration: a username, a password and a name.

import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useFields } from "../ui/use-fields.ts";
import { useWords } from "../words/words.ts";
import { NewPassword } from "./new-password.tsx";
import { NEW_PASSWORD_CODES } from "./shown-error.ts";
import { StepForm } from "./step-form.tsx";
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
	const suggested = usernameFrom(email);
	const { values, field } = useFields({ username: suggested, password: "", display_name: "" });
	const register = useAction(async () => {
		const named = values.display_name.trim() === "" ? {} : { display_name: values.display_name };
		const credentials = { username: values.username.trim(), password: values.password };
		await visitorCall("POST /auth/register", { email, code, ...credentials, ...named });
		await onRegistered(credentials);
	});
	const again = (
		<Button variant="quiet" wide onClick={onCodeExpired}>
			{t.enterCodeAgain}
		</Button>
	);
	return (
		<StepForm
			action={register}
			atFields={AT_FIELDS}
			submitLabel={t.create}
			focus={suggested === "" ? undefined : "[name=password]"}
			below={register.error?.code === "code.invalid" && again}
		>
			<TextInput
				{...field("username")}
				label={t.username}
				hint={t.usernameRule}
				autoComplete="username"
				required
			/>
			<NewPassword {...field("password")} label={t.password} />
			<TextInput {...field("display_name")} label={t.displayName} autoComplete="name" optional />
		</StepForm>
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
