// `/set-up`: the IT of another organization enters its identity provider, proves its domain, signs in once, and finishes.

import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../api/error.ts";
import { useAction, useQuery } from "../api/query.ts";
import { send } from "../api/request.ts";
import type { ResponseOf } from "../api/routes.ts";
import { LinkPage } from "../portal/link-page.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { CopyField } from "../ui/copy-field.tsx";
import { ErrorNotice } from "../ui/error-notice.tsx";
import { Form } from "../ui/form.tsx";
import { Link } from "../ui/link.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Notice } from "../ui/notice.tsx";
import { PasswordInput } from "../ui/password-input.tsx";
import { Select } from "../ui/select.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useFields } from "../ui/use-fields.ts";
import { useWords } from "../words/words.ts";

type SetUp = ResponseOf<"GET /set-up">["data"];
type Kind = "entra" | "okta" | "google" | "other";
const KINDS: readonly Kind[] = ["entra", "okta", "google", "other"];
const GOOGLE = "https://accounts.google.com";

/** @param token undefined in the tab of the trial sign-in */
export function SetUpPage({ token }: { readonly token: string | undefined }) {
	const t = useWords("set-up");
	const [isDone, setDone] = useState(false);
	return (
		<LinkPage token={token} words={t} done={isDone ? <p>{t.doneText}</p> : undefined}>
			{token === undefined ? (
				<Notice>{t.trialEnded}</Notice>
			) : (
				<Steps token={token} onDone={() => setDone(true)} />
			)}
		</LinkPage>
	);
}

interface StepsProps {
	readonly token: string;
	readonly onDone: () => void;
}

/** As the holder of the link. */
type Call = (
	method: "GET" | "PUT" | "POST",
	path: string,
	more?: { readonly body: object },
) => Promise<unknown>;

function Steps({ token: accessToken, onDone }: StepsProps) {
	const t = useWords("set-up");
	const [isOver, setOver] = useState(false);
	const call: Call = async (method, path, more) => {
		try {
			return await send(method, `/api/v1/set-up${path}`, { accessToken, ...more });
		} catch (error) {
			if (error instanceof ApiError && error.code === "token.invalid") setOver(true);
			throw error;
		}
	};
	const shown = useQuery("set-up", async () => ((await call("GET", "")) as ResponseOf<"GET /set-up">).data);
	const finish = useAction(async () => {
		await call("POST", "/finish");
		onDone();
	});
	const { data, reload } = shown;
	if (isOver) return <Notice tone="danger">{t.over}</Notice>;
	if (data === undefined) return <Loaded query={shown}>{() => null}</Loaded>;
	return (
		<div class="lk-stack">
			<p>
				{data.application === null
					? t.lead(data.domain, data.tenant)
					: t.leadFor(data.domain, data.application)}
			</p>
			<IssuerCard setUp={data} call={call} onSaved={reload} />
			<Card title={t.domainTitle} description={data.verified_at === null ? t.domainText : t.domainVerified}>
				{data.verified_at === null && (
					<>
						<CopyField label={t.recordName} value={data.record.name} />
						<CopyField label={t.recordValue} value={data.record.value} />
					</>
				)}
			</Card>
			{data.issuer !== null && <TrialCard setUp={data} call={call} onTried={reload} />}
			<ErrorNotice error={finish.error} />
			<p class="lk-muted">{t.finishText}</p>
			<Button
				variant="primary"
				wide
				disabled={data.tested_at === null}
				pending={finish.isPending}
				onClick={() => finish.run()}
			>
				{t.finish}
			</Button>
		</div>
	);
}

interface IssuerCardProps {
	readonly setUp: SetUp;
	readonly call: Call;
	readonly onSaved: () => void;
}

function IssuerCard({ setUp, call, onSaved }: IssuerCardProps) {
	const t = useWords("set-up");
	const [kind, setKind] = useState<Kind>(kindOf(setUp));
	const { values, field } = useFields({
		issuer: setUp.issuer ?? "",
		client_id: setUp.client_id ?? "",
		client_secret: "",
	});
	const save = useAction(async () => {
		const issuer = kind === "google" ? GOOGLE : values.issuer;
		const body = { ...values, issuer, subject_claim: kind === "entra" ? "oid" : "sub" };
		await call("PUT", "", { body });
		onSaved();
	});
	return (
		<Card title={t.issuerTitle} description={t.how[kind]}>
			<Form onSubmit={() => save.run()} error={save.error} pending={save.isPending}>
				<Select
					name="kind"
					label={t.kind}
					value={kind}
					onValue={(value) => setKind(value as Kind)}
					options={KINDS.map((value) => ({ value, label: t.kinds[value] }))}
				/>
				<CopyField label={t.callback} value={setUp.callback_url} />
				{kind !== "google" && <TextInput {...field("issuer")} label={t.issuer} hint={t.issuerHints[kind]} />}
				<TextInput {...field("client_id")} label={t.clientId} />
				<PasswordInput {...field("client_secret")} label={t.clientSecret} autoComplete="off" />
				<Button type="submit" pending={save.isPending}>
					{t.save}
				</Button>
			</Form>
			{setUp.issuer !== null && <Notice tone="success">{t.saved}</Notice>}
		</Card>
	);
}

function kindOf({ issuer, subject_claim }: SetUp): Kind {
	if (issuer === GOOGLE) return "google";
	if (issuer === null || subject_claim === "oid") return "entra";
	return /\.okta\.com$/.test(new URL(issuer).hostname) ? "okta" : "other";
}

interface TrialCardProps {
	readonly setUp: SetUp;
	readonly call: Call;
	readonly onTried: () => void;
}

/** The trial opens in a tab of its own: a provider that refuses the callback shows its error there and never returns. */
function TrialCard({ setUp, call, onTried }: TrialCardProps) {
	const t = useWords("set-up");
	const [url, setUrl] = useState<string | null>(null);
	const test = useAction(async () => {
		const { data } = (await call("POST", "/test")) as ResponseOf<"POST /set-up/test">;
		setUrl(data.authorization_url);
		if (data.authorization_url === null) onTried();
	});
	const { last_test, tested_at, tested_by, domain } = setUp;
	useEffect(() => {
		if (url === null) return undefined;
		// The trial in the other tab used the address up, whether it succeeded or not.
		const returned = () => {
			setUrl(null);
			onTried();
		};
		window.addEventListener("focus", returned);
		return () => window.removeEventListener("focus", returned);
	}, [url]);
	// A trial that began before other settings were saved proves nothing.
	useEffect(() => setUrl(null), [setUp.issuer, setUp.client_id, setUp.subject_claim]);
	return (
		<Card title={t.trialTitle} description={t.trialText(domain)}>
			<ErrorNotice error={test.error} />
			{tested_at !== null && <Notice tone="success">{t.trialPassed(tested_by)}</Notice>}
			{tested_at === null && tested_by !== "" && (
				<Notice tone="danger">{t.otherDomain(tested_by, domain)}</Notice>
			)}
			{tested_at === null && last_test !== null && last_test.outcome !== "passed" && (
				<Notice tone="danger" title={t.trialFailed}>
					<bdi lang="en">{last_test.message}</bdi>
				</Notice>
			)}
			{url === null ? (
				<Button pending={test.isPending} onClick={() => test.run()}>
					{t.trialStart}
				</Button>
			) : (
				<Link href={url} external variant="primary">
					{t.trialOpen}
				</Link>
			)}
		</Card>
	);
}
