// `/console/branding`: name, color and sender of the tenant, with a preview.

import { useMemo, useState } from "preact/hooks";
import { storeBrand } from "../../api/brand.ts";
import { call } from "../../api/client.ts";
import { useAction, useQuery } from "../../api/query.ts";
import { send } from "../../api/request.ts";
import type { Schemas } from "../../api/routes.ts";
import { session } from "../../api/session.ts";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { LoadError } from "../../ui/load-error.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { announce } from "../../ui/status-line.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { TextInput } from "../../ui/text-input.tsx";
import { useUniqueId } from "../../ui/unique-id.ts";
import { useWords } from "../../words/words.ts";
import { ConfiguredBranding } from "../configured.tsx";
import { SaveBar } from "../editing/save-bar.tsx";
import { useEdits } from "../editing/use-edits.ts";
import { LogoField, LogoHint } from "../logo-field.tsx";
import { useScreenTitle } from "../screen-title.ts";
import "./branding.css";
import { PRODUCT_NAME_MAX, SENDER_NAME_MAX, SIGN_IN_TEXT_MAX } from "../../api/limits.ts";
import { ColorField } from "./color-field.tsx";
import { Preview } from "./preview.tsx";

type Brand = Schemas["Branding"];

/** In pixels; the API enforces it. */
const CORNER_RADIUS_MAX = 24;
/** Texts as typed. */
const TEXTS = [
	"product_name",
	"accent_color",
	"support_email",
	"sender_name",
	"sender_address",
	"sign_in_text",
] as const;
/** Set by uploads; sent back unchanged. */
const IMAGES = ["logo_url", "logo_dark_url", "icon_url"] as const;
type Text = (typeof TEXTS)[number];
const FIELDS = [...TEXTS, "footer_links", "corner_radius"] as const;
type Field = (typeof FIELDS)[number];

export function Branding() {
	const t = useWords("console-settings").branding;
	useScreenTitle(t.title);
	const { data, error, isLoading, reload } = useQuery("branding", fetchBranding);
	return (
		<>
			<PageHeader title={t.title} meta={<ConfiguredBranding />} description={t.description} />
			{error !== undefined && <LoadError error={error} onRetry={reload} pending={isLoading} />}
			{data === undefined
				? error === undefined && <Skeleton lines={8} />
				: !isLoading && <Editor before={data.data} />}
		</>
	);
}

function Editor({ before }: { readonly before: Brand }) {
	const t = useWords("console-settings").branding;
	/** The latest value from the API. */
	const [shown, setShown] = useState(before);
	const formId = useUniqueId();
	const edits = useEdits(useMemo(() => fieldsOf(shown), [shown]));
	const { values, set: change, field, changes, saved } = edits;
	const { footer_links: links, corner_radius: radius } = values;
	const applied = (data: Brand) => {
		setShown(data);
		storeBrand(data, session.value.user?.tenant_id);
	};
	const edited = {
		...shown,
		...values,
		footer_links: linksOf(links),
		corner_radius: radius === "" ? null : Number(radius),
	};
	const save = useAction(async () => {
		// A PUT replaces all fields: those that the user did not change may have been changed elsewhere.
		const { data: current } = await fetchBranding();
		// Omitted fields inherit the installation's value: empty ones, and unchanged inherited ones.
		const own = FIELDS.filter((name) => name in changes || current.customized.includes(name));
		const wanted = { ...fieldsOf(current), ...changes };
		const images = IMAGES.filter((name) => current.customized.includes(name));
		const body = Object.fromEntries([
			...own.filter((name) => wanted[name] !== "").map((name) => [name, sentOf(name, wanted[name])]),
			...images.map((name) => [name, current[name]]),
		]);
		const { data } = await call("PUT /branding", { body });
		// Also shows the inherited value of an emptied field.
		saved(fieldsOf(data));
		change(fieldsOf(data));
		applied(data);
		announce(t.saved);
	});
	return (
		<div class="lk-branding">
			<div class="lk-stack">
				<Logos brand={shown} onChanged={applied} />
				<Card title={t.settings}>
					<Form id={formId} action={save} onSubmit={() => (edits.isChanged ? save.run() : undefined)}>
						<TextInput
							{...field("product_name")}
							label={t.productName}
							hint={t.inheritedName(shown.customized.includes("product_name") ? "" : shown.product_name)}
							limit={PRODUCT_NAME_MAX}
						/>
						<ColorField {...field("accent_color")} />
						<TextInput
							{...field("corner_radius")}
							type="number"
							min={0}
							max={CORNER_RADIUS_MAX}
							label={t.cornerRadius}
							hint={t.cornerRadiusHint}
							optional
						/>
						<TextInput
							{...field("sign_in_text")}
							label={t.signInText}
							hint={t.signInTextHint}
							limit={SIGN_IN_TEXT_MAX}
							optional
						/>
						<TextArea
							{...field("footer_links")}
							label={t.footerLinks}
							hint={t.footerLinksHint}
							rows={3}
							optional
						/>
						<TextInput {...field("support_email")} type="email" label={t.supportEmail} optional />
						<TextInput
							{...field("sender_name")}
							label={t.senderName}
							hint={t.inheritedSender}
							limit={SENDER_NAME_MAX}
						/>
						<TextInput
							{...field("sender_address")}
							type="email"
							label={t.senderAddress}
							hint={t.senderHint}
						/>
					</Form>
				</Card>
				<SaveBar form={formId} isShown={edits.isChanged} action={save} onDiscard={edits.discard} />
			</div>
			<Preview brand={edited} fallback={shown.accent_color} />
		</div>
	);
}

interface LogosProps {
	readonly brand: Brand;
	readonly onChanged: (brand: Brand) => void;
}

function Logos({ brand, onChanged }: LogosProps) {
	const t = useWords("console-settings").branding;
	const hintId = useUniqueId();
	const fields = [
		{ variant: "light", label: t.logoLight, url: brand.logo_url, theme: "light" },
		{ variant: "dark", label: t.logoDark, url: brand.logo_dark_url, theme: "dark" },
		{ variant: "icon", label: t.icon, url: brand.icon_url },
	] as const;
	return (
		<Card title={t.logos} description={t.logosText}>
			<div class="lk-stack">
				{fields.map(({ variant, ...field }) => (
					<LogoField
						key={variant}
						{...field}
						hintId={hintId}
						onUpload={async (body) => {
							const { data } = await call("PUT /branding/logo", { query: { variant }, body });
							onChanged(data);
						}}
						onRemove={async () => {
							await call("DELETE /branding/logo", { query: { variant } });
							onChanged((await fetchBranding()).data);
						}}
					/>
				))}
				<LogoHint id={hintId} />
			</div>
		</Card>
	);
}

function fetchBranding(signal?: AbortSignal) {
	const tenantId = session.value.user?.tenant_id;
	const options = { tenantId, ...(signal && { signal }) };
	return send("GET", "/api/v1/branding", options) as Promise<{ readonly data: Brand }>;
}

/** As typed. */
function fieldsOf(brand: Brand): Record<Field, string> {
	const texts = Object.fromEntries(TEXTS.map((name) => [name, brand[name]])) as Record<Text, string>;
	const { corner_radius } = brand;
	return { ...texts, footer_links: linesOf(brand), corner_radius: String(corner_radius ?? "") };
}

/** Colors in lowercase, as the API requires. */
function sentOf(name: Field, value: string): unknown {
	if (name === "footer_links") return linksOf(value);
	if (name === "corner_radius") return Number(value);
	return name === "accent_color" ? value.toLowerCase() : value;
}

function linesOf({ footer_links }: Brand): string {
	return footer_links.map(({ label, url }) => `${label} ${url}`).join("\n");
}

/** The last word of each line is the URL. The API refuses a line without a label, and names it. */
function linksOf(lines: string): Brand["footer_links"] {
	const kept = lines.split("\n").map((line) => line.trim());
	return kept
		.filter((line) => line !== "")
		.map((line) => {
			const at = line.lastIndexOf(" ");
			return { label: line.slice(0, Math.max(at, 0)).trim(), url: line.slice(at + 1) };
		});
}
