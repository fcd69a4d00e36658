// Shown instead of the password field if the account has no password: what authenticates its owner.

import { signOut } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { useField } from "../ui/form-context.ts";
import { Link } from "../ui/link.tsx";
import { Notice } from "../ui/notice.tsx";
import { useWords } from "../words/words.ts";
import { ownUser } from "./own-user.ts";

/** `name` is the password field, so that errors about it appear here. */
export function NoPassword({ name }: { readonly name: "password" | "current_password" }) {
	const t = useWords("account");
	const { error } = useField(name, {});
	const isRefused = error !== undefined;
	// A verified address can receive the link to set a password, so the API requires a password before the address changes.
	if (name === "current_password" && ownUser().email_verified)
		return (
			<Notice
				tone={isRefused ? "danger" : "info"}
				isFormError={isRefused}
				action={<Link href="/account/security">{t.sections.security}</Link>}
			>
				{t.passwordFirst}
			</Notice>
		);
	return (
		<Notice
			tone={isRefused ? "danger" : "info"}
			isFormError={isRefused}
			action={
				<Button size="small" onClick={() => signOut(`/sign-in?return_to=${location.pathname}`)}>
					{t.signInAgain}
				</Button>
			}
		>
			{isRefused ? t.signInTooOld : t.noPasswordProof}
		</Notice>
	);
}
