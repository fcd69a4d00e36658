// The frame of the console: brand, navigation and account at the side; on a phone a bar, and the navigation as a drawer.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { AccountMenu, type AccountMenuProps } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import { Breadcrumbs, type Crumb } from "./breadcrumbs.tsx";
import "./inter.css";
import "./console-shell.css";
import { Icon } from "./icon.tsx";
import { close, menu, search as searchShape } from "./icons.ts";
import { Navigation, type NavigationSection } from "./navigation.tsx";
import { CONTENT_ID, SkipLink } from "./skip-link.tsx";
import { StatusLine } from "./status-line.tsx";
import { uiWords } from "./words.ts";

interface ConsoleShellProps {
	readonly sections: readonly NavigationSection[];
	/** The path shown. */
	readonly current: string;
	readonly homeHref: string;
	/** Below the brand. */
	readonly tenant?: TenantProps | undefined;
	readonly account: AccountMenuProps;
	/** From the section to the page shown, which has no `href`. */
	readonly breadcrumbs?: readonly Crumb[] | undefined;
	/** Opens the search of everything. */
	readonly search: { readonly label: string; readonly keys: string; readonly onOpen: () => void };
	readonly children: ComponentChildren;
}

export function ConsoleShell({
	sections,
	current,
	homeHref,
	tenant,
	account,
	breadcrumbs,
	search,
	children,
}: ConsoleShellProps) {
	const [isDrawerOpen, setDrawerOpen] = useState(false);
	return (
		<div class="lk-console">
			<SkipLink />
			<header class="lk-console__side">
				<div class="lk-console__brand">
					<Brand href={homeHref} />
					{tenant && <Tenant {...tenant} />}
				</div>
				<button type="button" class="lk-console__search" onClick={search.onOpen}>
					<Icon shape={searchShape} />
					<span class="lk-console__search-label">{search.label}</span>
					<span class="lk-console__search-keys">{search.keys}</span>
				</button>
				<div class="lk-console__nav">
					<Navigation sections={sections} current={current} />
				</div>
				<AccountMenu {...account} />
				<button
					type="button"
					class="lk-icon-button lk-console__open"
					aria-label={uiWords().openNavigation}
					aria-expanded={isDrawerOpen ? "true" : "false"}
					onClick={() => setDrawerOpen(true)}
				>
					<Icon shape={menu} />
				</button>
			</header>
			<main class="lk-console__main" id={CONTENT_ID} tabIndex={-1}>
				{breadcrumbs !== undefined && <Breadcrumbs crumbs={breadcrumbs} />}
				{children}
			</main>
			{isDrawerOpen && (
				<Drawer tenant={tenant} onClose={() => setDrawerOpen(false)}>
					<Navigation sections={sections} current={current} onFollow={() => setDrawerOpen(false)} />
				</Drawer>
			)}
			<StatusLine />
		</div>
	);
}

interface TenantProps {
	readonly name: string;
	/** The list of tenants, for users who may see it. */
	readonly href?: string | undefined;
}

function Tenant({ name, href, onFollow }: TenantProps & { readonly onFollow?: () => void }) {
	const content = (
		<>
			<span class="lk-hidden">{uiWords().tenant} </span>
			<bdi>{name}</bdi>
		</>
	);
	return (
		<p class="lk-console__tenant lk-one-line" title={name}>
			{href === undefined ? (
				content
			) : (
				<a href={href} onClick={onFollow}>
					{content}
				</a>
			)}
		</p>
	);
}

interface DrawerProps {
	readonly tenant: TenantProps | undefined;
	readonly onClose: () => void;
	readonly children: ComponentChildren;
}

function Drawer({ tenant, onClose, children }: DrawerProps) {
	const dialog = useRef<HTMLDialogElement>(null);
	useLayoutEffect(() => {
		const element = dialog.current;
		element?.showModal();
		return () => element?.close();
	}, []);
	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: Escape and the close button close it as well
		<dialog
			ref={dialog}
			class="lk-drawer"
			aria-label={uiWords().navigation}
			onCancel={onClose}
			onClick={(event) => {
				if (event.target === dialog.current) onClose();
			}}
		>
			<div class="lk-drawer__content">
				<div class="lk-drawer__head">
					<div class="lk-console__owner">
						<Brand />
						{tenant && <Tenant {...tenant} onFollow={onClose} />}
					</div>
					<button
						type="button"
						class="lk-icon-button lk-console__open"
						aria-label={uiWords().close}
						onClick={onClose}
					>
						<Icon shape={close} />
					</button>
				</div>
				{children}
			</div>
		</dialog>
	);
}
