// Previews pages and mails with a brand, and checks the contrast of its color.

import type { Schemas } from "../../api/routes.ts";
import { accentOf, type Theme } from "../../ui/accent.ts";
import { Card } from "../../ui/card.tsx";
import { contrast, parsed } from "../../ui/contrast.ts";
import { DescriptionList } from "../../ui/description-list.tsx";
import { format } from "../../words/format.ts";
import { useWords } from "../../words/words.ts";
import { COLOR } from "./color-field.tsx";

type Brand = Schemas["Branding"];

interface PreviewProps {
	readonly brand: Brand;
	/** Used until a color is entered. */
	readonly fallback: string;
}

export function Preview({ brand, fallback }: PreviewProps) {
	const t = useWords("console-settings").branding;
	const color = (COLOR.test(brand.accent_color) ? brand.accent_color : fallback).toLowerCase();
	const light = accentOf(color, "light");
	const isDarkAlike = accentOf(color, "dark").fill === color;
	const use = light.fill !== color ? t.adjusted : isDarkAlike ? t.asChosen : t.lighterInDark;
	const ratio = (one: string, other: string) =>
		t.ratio(format.number(contrast(parsed(one), parsed(other)), { maximumFractionDigits: 1 }));
	return (
		<Card title={t.preview} description={use}>
			<div class="lk-branding__pages">
				<PagePreview brand={brand} color={color} theme="light" label={t.pageLight} />
				<PagePreview brand={brand} color={color} theme="dark" label={t.pageDark} />
			</div>
			<MailPreview brand={brand} color={color} />
			<DescriptionList
				items={[
					{ term: t.contrastText, value: ratio(light.on, light.fill) },
					{ term: t.contrastLink, value: ratio(light.text, "#ffffff") },
				]}
			/>
		</Card>
	);
}

interface PartProps {
	readonly brand: Brand;
	readonly color: string;
}

/** Pictures of controls, not operable. */
function PagePreview({
	brand,
	color,
	theme,
	label,
}: PartProps & { readonly theme: Theme; readonly label: string }) {
	const t = useWords("console-settings").branding;
	const accent = accentOf(color, theme);
	return (
		<figure class="lk-branding__figure">
			<figcaption class="lk-muted">{label}</figcaption>
			<div class="lk-branding__page" style={{ colorScheme: theme }}>
				<strong>
					<bdi>{brand.product_name}</bdi>
				</strong>
				<span class="lk-branding__input" />
				<span class="lk-branding__button" style={{ background: accent.fill, color: accent.on }}>
					{t.signIn}
				</span>
				<span class="lk-branding__link" style={{ color: accent.text }}>
					{t.forgot}
				</span>
			</div>
		</figure>
	);
}

/** Mails use the color unchanged. */
function MailPreview({ brand, color }: PartProps) {
	const t = useWords("console-settings").branding;
	const on = contrast(parsed("#ffffff"), parsed(color)) >= contrast(parsed("#000000"), parsed(color));
	return (
		<figure class="lk-branding__figure">
			<figcaption class="lk-muted">{t.mail}</figcaption>
			<div class="lk-branding__page" style={{ colorScheme: "light" }}>
				<span class="lk-branding__sender">
					{t.from}: <bdi>{brand.sender_name}</bdi> <bdi>&lt;{brand.sender_address}&gt;</bdi>
				</span>
				<strong>{t.mailSubject}</strong>
				<span>{t.mailText}</span>
				<span class="lk-branding__button" style={{ background: color, color: on ? "#ffffff" : "#000000" }}>
					{t.mailAction}
				</span>
				<span class="lk-branding__sender">
					<bdi>{brand.product_name}</bdi>
					{brand.support_email !== "" && (
						<>
							{" "}
							· <bdi>{brand.support_email}</bdi>
						</>
					)}
				</span>
			</div>
		</figure>
	);
}
