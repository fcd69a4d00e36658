// Sends the call from this page with the user's session, only when the button is pressed.

import type { ComponentChildren } from "preact";
import { session } from "../api/session.ts";
import { Link } from "../ui/link.tsx";
import { LoadError } from "../ui/load-error.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import { CallForm, type CallInput } from "./call-form.tsx";
import { securityOf } from "./code-panel.tsx";
import "./try-it.css";
import { useSession } from "./use-session.ts";

export function TryIt(props: CallInput) {
	const t = useWords("docs");
	return (
		<section class="lk-stack docs-panel docs-try" aria-labelledby="try-title">
			<h2 id="try-title">{t.tryIt}</h2>
			<Offer {...props} />
		</section>
	);
}

function Offer(props: CallInput): ComponentChildren {
	const t = useWords("docs");
	const { error, tryAgain } = useSession();
	const { allowed, schemes } = props.operation;
	const { state, user } = session.value;
	const security = securityOf(schemes);
	if (security === "signed") return <p class="lk-muted">{t.trySigned}</p>;
	if (security === "none") {
		if (schemes.length > 0) return <p class="lk-muted">{t.tryCookie}</p>;
		return <CallForm {...props} withToken={false} note={t.tryPublic} />;
	}
	if (allowed === "no caller") return <p class="lk-muted">{t.noCaller}</p>;
	if (error !== undefined) return <LoadError error={error} onRetry={tryAgain} />;
	if (state === "unknown") return <Skeleton lines={3} />;
	if (user === undefined) return <SignInFirst />;
	if (!mayCall(allowed, user.roles)) return <p class="lk-muted">{t.notAllowed(allowed)}</p>;
	return <CallForm {...props} withToken note={<bdi>{t.tryAs(user.username)}</bdi>} />;
}

function SignInFirst() {
	const t = useWords("docs");
	const back = `${location.pathname}${location.hash}`;
	return (
		<>
			<p class="lk-muted">{t.signInToTry}</p>
			<div>
				<Link variant="secondary" href={`/sign-in?return_to=${encodeURIComponent(back)}`}>
					{useWords("ui").signIn}
				</Link>
			</div>
		</>
	);
}

/** `allowed` names roles, or a kind of caller; a platform_admin is also an admin. */
function mayCall(allowed: string, roles: readonly string[]): boolean {
	const admitted = allowed.split(/[,;]\s*/);
	if (admitted.includes("signed-in users") || admitted.includes("everybody")) return true;
	return roles.some(
		(role) => admitted.includes(role) || (role === "platform_admin" && admitted.includes("admin")),
	);
}
