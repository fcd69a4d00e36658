// Entry of `/`: the product name and three entry points.

import { start } from "../start.tsx";
import "./home-page.css";
import { useDocumentTitle } from "../document-title.ts";
import { Brand } from "../ui/brand.tsx";
import { brand } from "../ui/branding.ts";
import { FooterLinks } from "../ui/footer-links.tsx";
import { Icon } from "../ui/icon.tsx";
import { book, type IconShape, key, person } from "../ui/icons.ts";
import { LanguageSwitch } from "../ui/language-switch.tsx";
import { languageSwitch } from "../words/language-options.ts";
import { useWords } from "../words/words.ts";

function HomePage() {
	const t = useWords("home");
	useDocumentTitle(undefined);
	const { product_name, support_email = "", footer_links = [] } = brand.value;
	return (
		<div class="home">
			<header class="home-head">
				<Brand />
				<LanguageSwitch {...languageSwitch()} />
			</header>
			<main class="home-main">
				<h1>{t.title(product_name)}</h1>
				<p class="home-intro">{t.intro}</p>
				<ul class="home-ways">
					<Way icon={person} title={t.signInTitle} text={t.signInText} href="/sign-in" />
					<Way icon={key} title={t.portalTitle} text={t.portalText} href="/portal" />
					<Way icon={book} title={t.docsTitle} text={t.docsText} href="/docs" />
				</ul>
			</main>
			{(support_email !== "" || footer_links.length > 0) && (
				<footer class="home-foot">
					{support_email !== "" && (
						<span>
							{t.support} <a href={`mailto:${support_email}`}>{support_email}</a>
						</span>
					)}
					<FooterLinks />
				</footer>
			)}
		</div>
	);
}

interface WayProps {
	readonly icon: IconShape;
	readonly title: string;
	readonly text: string;
	readonly href: string;
}

/** The whole card is a link, which is named by its title. */
function Way({ icon, title, text, href }: WayProps) {
	return (
		<li class="home-way">
			<span class="home-way-icon">
				<Icon shape={icon} />
			</span>
			<h2>
				<a href={href}>{title}</a>
			</h2>
			<p>{text}</p>
		</li>
	);
}

await start(HomePage);
