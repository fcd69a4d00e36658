// `/console/branding`: name, color and sender of the tenant, with a preview.

import { useState } from "preact/hooks";
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
import { TextInput } from "../../ui/text-input.tsx";
import { useWords } from "../../words/words.ts";
import { useScreenTitle } from "../screen-title.ts";
import "./branding.css";
import { PRODUCT_NAME_MAX, SENDER_NAME_MAX } from "../../api/limits.ts";
import { ColorField } from "./color-field.tsx";
import { Preview } from "./preview.tsx";

type Brand = Schemas["Branding"];

const FIELDS = [
	"product_name",
	"logo_url",
	"accent_color",
	"support_email",
	"sender_name",
	"sender_address",
] as const;
type Field = (typeof FIELDS)[number];

export function Branding() {
	const t = useWords("console-settings").branding;
	useScreenTitle(t.title);
	const { data, error, isLoading, reload } = useQuery("branding", (signal) => {
		const tenantId = session.value.user?.tenant_id;
		return send("GET", "/api/v1/branding", { tenantId, signal }) as Promise<{ readonly data: Brand }>;
	});
	return (
		<>
			<PageHeader title={t.title} description={t.description} />
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
	const [brand, setBrand] = useState(before);
	const set = (name: Field) => (value: string) => setBrand({ ...brand, [name]: value });
	const save = useAction(async () => {
		// Omitted fields inherit the installation's value: empty ones, and unchanged inherited ones.
		const isOwn = (name: Field) => shown.customized.includes(name) || brand[name] !== shown[name];
		const own = FIELDS.filter((name) => brand[name].trim() !== "" && isOwn(name));
		const body = Object.fromEntries(own.map((name) => [name, textOf(brand, name)]));
		const { data } = await call("PUT /branding", { body });
		setShown(data);
		setBrand(data);
		storeBrand(data, session.value.user?.tenant_id);
		announce(t.saved);
	});
	return (
		<div class="lk-branding">
			<Card title={t.settings}>
				<Form submitLabel={t.save} action={save}>
					<TextInput
						name="product_name"
						label={t.productName}
						hint={t.inherited}
						limit={PRODUCT_NAME_MAX}
						value={brand.product_name}
						onValue={set("product_name")}
					/>
					<ColorField value={brand.accent_color} onValue={set("accent_color")} />
					<TextInput
						name="support_email"
						type="email"
						label={t.supportEmail}
						value={brand.support_email}
						onValue={set("support_email")}
						optional
					/>
					<TextInput
						name="sender_name"
						label={t.senderName}
						hint={t.inherited}
						limit={SENDER_NAME_MAX}
						value={brand.sender_name}
						onValue={set("sender_name")}
					/>
					<TextInput
						name="sender_address"
						type="email"
						label={t.senderAddress}
						hint={t.senderHint}
						value={brand.sender_address}
						onValue={set("sender_address")}
					/>
					<TextInput
						name="logo_url"
						type="url"
						label={t.logoUrl}
						hint={t.logoHint}
						value={brand.logo_url}
						onValue={set("logo_url")}
						optional
					/>
				</Form>
			</Card>
			<Preview brand={brand} fallback={shown.accent_color} />
		</div>
	);
}

/** Colors in lowercase, as the API requires. */
function textOf(brand: Brand, name: Field): string {
	return name === "accent_color" ? brand[name].toLowerCase() : brand[name].trim();
}
