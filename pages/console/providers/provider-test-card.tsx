// The test of a provider: its documents, a trial sign-in in another tab, and what the last test found.

import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Link } from "../../ui/link.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";
import { type Provider, signsIn } from "./provider-kinds.ts";

interface ProviderTestCardProps {
	readonly provider: Provider;
	readonly reload: () => void;
}

export function ProviderTestCard({ provider, reload }: ProviderTestCardProps) {
	const { id, last_test } = provider;
	const t = useWords("console-settings").providers;
	const [trialUrl, setTrialUrl] = useState<string | null>(null);
	const test = useAction(async () => {
		setTrialUrl(null);
		const { data } = await call("POST /identity-providers/{id}/test", { path: { id } });
		setTrialUrl(data.authorization_url);
		if (data.authorization_url === null) reload();
	});
	useEffect(() => {
		// The tab of the trial sign-in returns here. The result is stored, so a reload needs no fragment.
		if (location.hash === "#tested") history.replaceState(history.state, "", location.pathname);
	}, []);
	useEffect(() => {
		if (trialUrl === null) return undefined;
		const look = () => reload();
		window.addEventListener("focus", look);
		return () => window.removeEventListener("focus", look);
	}, [trialUrl, reload]);
	return (
		<Card
			title={signsIn(provider) ? t.test : t.testIssuer}
			description={signsIn(provider) ? t.testText : t.testIssuerText}
		>
			<ErrorNotice error={test.error} />
			{last_test !== null && <TestResult test={last_test} />}
			{trialUrl !== null && (
				<Notice
					action={
						<Link href={trialUrl} external variant="primary">
							{t.trialOpen}
						</Link>
					}
				>
					{t.trialText}
				</Notice>
			)}
			{isAdmin() && (
				<div>
					<Button pending={test.isPending} onClick={() => test.run()}>
						{t.testRun}
					</Button>
				</div>
			)}
		</Card>
	);
}

function TestResult({ test }: { readonly test: NonNullable<Provider["last_test"]> }) {
	const t = useWords("console-settings").providers;
	const { outcome, step, message } = test;
	const hasPassed = outcome === "passed";
	return (
		<Notice tone={hasPassed ? "success" : "danger"} title={hasPassed ? t.testPassed : t.testFailed[step]}>
			<p>{hasPassed ? passedText(test, t) : t.testReasons[outcome]}</p>
			{message !== "" && (
				<p>
					{hasPassed && `${t.testOmitted} `}
					<bdi lang="en">{message}</bdi>
				</p>
			)}
			<Time at={test.at} format="datetime" />
		</Notice>
	);
}

function passedText(
	{ step, has_email, email_verified }: NonNullable<Provider["last_test"]>,
	t: WordsOf<"console-settings">["providers"],
): string {
	if (step === "keys") return t.testKeysRead;
	return t.testAddresses[has_email ? (email_verified ? "verified" : "unverified") : "none"];
}
