// Waits for the first sign-in to an application, and shows the last one.

import { call } from "../../api/client.ts";
import { useQuery, useRenewal } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords } from "../../words/words.ts";

/** A developer watches this while trying out the code. */
const WATCHED_MS = 2_000;

export function FirstSignIn({ application }: { readonly application: Schemas["Application"] }) {
	const { id, last_sign_in_at: known = null } = application;
	return known === null ? <WaitForIt id={id} /> : <SignedIn at={known} />;
}

function WaitForIt({ id }: { readonly id: string }) {
	const t = useWords("console-access").openid;
	const query = useQuery(`last sign-in ${id}`, (signal) =>
		call("GET /applications/{id}", { path: { id }, signal }),
	);
	const { last_sign_in_at: at = null } = query.data?.data ?? {};
	useRenewal(query, at === null ? WATCHED_MS : undefined);
	if (at !== null) return <SignedIn at={at} />;
	if (query.error !== undefined)
		return <LoadError error={query.error} onRetry={query.reload} pending={query.isLoading} />;
	return <Notice title={t.waiting}>{t.waitingText}</Notice>;
}

function SignedIn({ at }: { readonly at: string }) {
	const t = useWords("console-access").openid;
	return (
		<Notice tone="success" title={t.signInWorks}>
			{t.lastSignIn} <Time at={at} format="relative" />
		</Notice>
	);
}
