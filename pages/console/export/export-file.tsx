// Saves all rows of a list that match its filters as a file. While it loads, the button cancels it.

import { useEffect, useRef } from "preact/hooks";
import { callFile } from "../../api/client.ts";
import type { ListState } from "../../api/list-state.ts";
import { useAction } from "../../api/query.ts";
import type { CallOptions, Route } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { close, download } from "../../ui/icons.ts";
import { LoadError } from "../../ui/load-error.tsx";
import { Menu } from "../../ui/menu.tsx";
import { save } from "../../ui/secret-box.tsx";
import { announce } from "../../ui/status-line.tsx";
import { useWords } from "../../words/words.ts";
import { isoDay } from "../statistics/period.ts";
import "./export-file.css";

interface ExportFileProps {
	/** Names the file, together with the day. */
	readonly list: string;
	/** Responds with the file. */
	readonly route: Route;
	readonly path?: Readonly<Record<string, string>>;
	/** Of the list: its filters are sent, and the format. */
	readonly state?: ListState;
	/** Labels by format, for a menu. Default: CSV only. */
	readonly formats?: Readonly<Record<string, string>>;
	/** Announced at the end. */
	readonly saved?: string;
}

export function ExportFile({ list, route, path, state, formats, saved }: ExportFileProps) {
	const t = useWords("console").export;
	const { page: _, ...filters } = state?.settled ?? {};
	const current = useRef({ format: "csv", abort: new AbortController() });
	const { run, isPending, error } = useAction(async (format: string) => {
		const abort = new AbortController();
		current.current = { format, abort };
		const query = state && { ...filters, format };
		const options = { path, query, signal: abort.signal } as unknown as CallOptions<Route>;
		try {
			const content = await callFile(route, options);
			save({ name: `${list}-${isoDay(Date.now())}.${format}`, content });
			announce(saved ?? t.saved);
		} catch (failure) {
			if (!abort.signal.aborted) throw failure;
			announce(t.canceled, "info");
		}
	});
	const cancel = () => current.current.abort.abort();
	useEffect(() => cancel, []);
	const items = Object.entries(formats ?? {}).map(([format, label]) => ({
		label,
		onSelect: () => run(format),
	}));
	return (
		<div class="lk-export">
			<div class="lk-row">
				{items.length > 0 && (
					<Menu label={t.export} buttonClass="lk-button lk-button--secondary" items={items}>
						<Icon shape={download} />
						<span class="lk-button__label">{t.export}</span>
					</Menu>
				)}
				{(isPending || items.length === 0) && (
					<Button icon={isPending ? close : download} onClick={isPending ? cancel : () => run("csv")}>
						{isPending ? t.cancel : t.csv}
					</Button>
				)}
			</div>
			{error !== undefined && (
				<LoadError error={error} onRetry={() => run(current.current.format)} pending={isPending} />
			)}
		</div>
	);
}
