// In place of the password of an account that has none: what proves its owner instead.

import { signOut } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { useField } from "../ui/form-context.ts";
import { Link } from "../ui/link.tsx";
import { Notice } from "../ui/notice.tsx";
import { useWords } from "../words/words.ts";
import { ownUser } from "./own-user.ts";

/** `name` is the field of the password: a refusal is about it. */
export function NoPassword({ name }: { readonly name: "password" | "current_password" }) {
	const t = useWords("account");
	const { error } = useField(name, {});
	const isRefused = error !== undefined;
	// An address that is verified can receive the link for a password, so the API asks for one before the address changes.
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
