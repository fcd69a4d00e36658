// Previews pages and mails with a brand, and checks the contrast of its color.

import { Fragment } from "preact";
import type { Schemas } from "../../api/routes.ts";
import { StartStep } from "../../sign-in/start-step.tsx";
import { accentOf, type Theme } from "../../ui/accent.ts";
import { brandTokens, PreviewedBrand, uploadedImage } from "../../ui/branding.ts";
import { Card } from "../../ui/card.tsx";
import { CenteredContent } from "../../ui/centered-shell.tsx";
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

/** The components of the sign-in page itself, not operable. A frame would need a page that others may frame. */
function PagePreview({
	brand,
	color,
	theme,
	label,
}: PartProps & { readonly theme: Theme; readonly label: string }) {
	const t = useWords("sign-in");
	const shown = { ...brand, accent_color: color };
	return (
		<figure class="lk-branding__figure">
			<figcaption class="lk-muted">{label}</figcaption>
			<div
				class="lk-centered lk-branding__sign-in"
				data-theme={theme}
				style={{ colorScheme: theme, ...brandTokens(shown) }}
				inert
			>
				<PreviewedBrand.Provider value={shown}>
					<CenteredContent
						title={t.signIn}
						lead={shown.sign_in_text === "" ? undefined : <bdi>{shown.sign_in_text}</bdi>}
						footer={shown.support_email !== "" && <span class="lk-link">{useWords("frame").help}</span>}
						isPreview
					>
						<StartStep
							Frame={Fragment}
							methods={METHODS}
							username="ada"
							onUsername={nothing}
							isUserFixed={false}
							priorError={undefined}
							onOutcome={nothing}
							onRestart={nothing}
							onForgotten={nothing}
							onMailedCode={nothing}
						/>
					</CenteredContent>
				</PreviewedBrand.Provider>
			</div>
		</figure>
	);
}

/** Without passkeys, which would wait for one while the preview is open. */
const METHODS = {
	tenant: { id: "", slug: "", name: "" },
	passkeys: false,
	mailed_code: false,
	registration: false,
	providers: [],
};
const nothing = async (): Promise<void> => undefined;

/** As `layout.ts` of the mails. */
const MAIL_RADIUS = 6;

/** Mails use the color unchanged. */
function MailPreview({ brand, color }: PartProps) {
	const t = useWords("console-settings").branding;
	const on = contrast(parsed("#ffffff"), parsed(color)) >= contrast(parsed("#000000"), parsed(color));
	const logo = uploadedImage(brand.logo_url);
	return (
		<figure class="lk-branding__figure">
			<figcaption class="lk-muted">{t.mail}</figcaption>
			<div class="lk-branding__page" style={{ colorScheme: "light" }}>
				<span class="lk-branding__sender">
					{t.from}: <bdi>{brand.sender_name}</bdi> <bdi>&lt;{brand.sender_address}&gt;</bdi>
				</span>
				{logo !== undefined && <img class="lk-branding__logo" src={logo} alt={brand.product_name} />}
				<strong>{t.mailSubject}</strong>
				<span>{t.mailText}</span>
				<span
					class="lk-branding__button"
					style={{
						background: color,
						color: on ? "#ffffff" : "#000000",
						borderRadius: `${brand.corner_radius ?? MAIL_RADIUS}px`,
					}}
				>
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
