// The overview of the reference: where to start, how to sign, errors, and the groups of endpoints.

import type { ComponentChildren } from "preact";
import { Card } from "../ui/card.tsx";
import { CodeBlock } from "../ui/code-block.tsx";
import { Icon } from "../ui/icon.tsx";
import { type IconShape, key, person, server, webhook } from "../ui/icons.ts";
import { Link } from "../ui/link.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { useWords } from "../words/words.ts";
import type { Api } from "./api.ts";
import { GUIDES, guidePath } from "./guides.ts";
import { ForeignNote, GuideLink } from "./prose.tsx";
import "./overview.css";

/** Header names and values are not translated. */
const LINES = `V1-HMAC-SHA256
METHOD
path and query, exactly as sent
X-Tenant-ID
X-App-ID
X-API-Key
X-Timestamp
X-Nonce
SHA-256 of the raw body, lower-case hex`;

export function Overview({ api }: { readonly api: Api | undefined }) {
	const t = useWords("docs");
	return (
		<div class="docs-overview lk-stack">
			<header>
				<h1 tabIndex={-1}>
					{t.title} <span class="docs-version">{api?.spec.info?.version}</span>
				</h1>
				<p class="docs-lead">{t.lead}</p>
				<ForeignNote />
			</header>
			<section aria-label={t.start}>
				<ul class="docs-ways">
					<Way icon={key} href={guidePath("signing")} words={t.ways.signing} />
					<Way icon={person} href="/docs/third-party-login" words={t.ways.thirdParty} />
					<Way icon={server} href="/docs/automation" words={t.ways.automation} />
					<Way icon={webhook} href="/docs/webhooks" words={t.ways.webhooks} />
				</ul>
			</section>
			<Section id="endpoints" title={t.endpoints}>
				{api === undefined ? <Skeleton height="24rem" /> : <Groups api={api} />}
			</Section>
			{/* Shown with the groups above them, which would move them. */}
			{api !== undefined && <Rest />}
		</div>
	);
}

function Rest() {
	const t = useWords("docs");
	return (
		<>
			<Section id="guides" title={t.guides}>
				<ul class="docs-guides">
					{GUIDES.map((name) => (
						<li key={name}>
							<GuideLink name={name} class="lk-link" />
						</li>
					))}
					<li>
						<Link href="/openapi.json">{t.openApi}</Link>
					</li>
				</ul>
			</Section>
			<Signing />
			<Section id="errors" title={t.errors}>
				<p>{t.errorsIntro}</p>
				<p>
					{t.errorsMore} <Link href={guidePath("errors")}>{t.guideTitles.errors}</Link>
				</p>
			</Section>
		</>
	);
}

interface WayProps {
	readonly icon: IconShape;
	readonly href: string;
	readonly words: { readonly title: string; readonly text: string };
}

function Way({ icon, href, words }: WayProps) {
	return (
		<li class="docs-way">
			<Icon shape={icon} />
			<div>
				<a href={href}>{words.title}</a>
				<p class="lk-muted">{words.text}</p>
			</div>
		</li>
	);
}

function Groups({ api }: { readonly api: Api }) {
	const t = useWords("docs");
	return (
		<ul class="docs-groups">
			{api.groups.map(({ id, name, description, operations }) => (
				<li key={id}>
					<a href={`#${id}`} lang="en">
						{name}
					</a>
					<p class="lk-muted" lang="en">
						{description}
					</p>
					<span class="docs-groups-count">{t.count(operations.length)}</span>
				</li>
			))}
		</ul>
	);
}

function Signing() {
	const t = useWords("docs");
	return (
		<Section id="signing" title={t.signingTitle}>
			<p>{t.signingIntro}</p>
			<Card flush>
				<dl class="docs-headers">
					{Object.entries(t.headers).map(([name, text]) => (
						<div key={name}>
							<dt>
								<code>{name}</code>
							</dt>
							<dd>{text}</dd>
						</div>
					))}
				</dl>
			</Card>
			<p>{t.signingLines}</p>
			<CodeBlock label={t.textToSign} snippets={[{ key: "text", label: t.textToSign, code: LINES }]} />
			<ul class="docs-hints">
				{t.hints.map((hint) => (
					<li key={hint}>{hint}</li>
				))}
			</ul>
			<p>
				{t.signingMore} <Link href={guidePath("signing")}>{t.guideTitles.signing}</Link>
			</p>
		</Section>
	);
}

interface SectionProps {
	readonly id: string;
	readonly title: string;
	readonly children: ComponentChildren;
}

function Section({ id, title, children }: SectionProps) {
	return (
		<section id={id} class="docs-section lk-stack" aria-labelledby={`${id}-title`}>
			<h2 id={`${id}-title`}>
				<a href={`#${id}`}>{title}</a>
			</h2>
			{children}
		</section>
	);
}
