// Connects an API to its gate: the framework or the proxy first, then only its code.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useQuery } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { application, server } from "../../ui/icons.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { OptionList } from "../../ui/option-list.tsx";
import { useWords } from "../../words/words.ts";
import { markOf } from "../openid/framework-marks.ts";
import type { GateProps } from "./gate-props.ts";
import { MIDDLEWARE } from "./middleware.ts";
import { type GateProxy, PROXIES, UNTESTED } from "./proxies.ts";

export function ConnectGate(props: GateProps) {
	const t = useWords("console-gate");
	const [way, setWay] = useState<string>();
	const card = useRef<HTMLDivElement>(null);
	const shown = useRef(way);
	useLayoutEffect(() => {
		if (shown.current === way) return;
		shown.current = way;
		// The pressed button is gone.
		card.current?.querySelector<HTMLElement>("button")?.focus();
	}, [way]);
	const ways = [
		...MIDDLEWARE.map(({ key, label, text }) => ({
			key,
			icon: application,
			mark: markOf(key),
			title: label,
			text: t.middleware(text),
		})),
		...PROXIES.map((proxy) => ({
			key: proxy,
			icon: server,
			title: proxy,
			text: UNTESTED.includes(proxy) ? t.untestedProxy : t.aProxy,
		})),
	];
	const chosen = ways.find(({ key }) => key === way);
	return (
		<div ref={card}>
			<Card
				title={chosen === undefined ? t.connect : t.connectWith(chosen.title)}
				description={chosen === undefined ? t.connectText : undefined}
				actions={
					chosen && (
						<Button size="small" onClick={() => setWay(undefined)}>
							{t.otherWay}
						</Button>
					)
				}
			>
				{chosen === undefined ? (
					<OptionList asTiles options={ways.map((one) => ({ ...one, onSelect: () => setWay(one.key) }))} />
				) : (
					<Code {...props} way={chosen.key} />
				)}
			</Card>
		</div>
	);
}

/** Loaded on demand because it is rarely needed. */
function Code({ way, ...props }: GateProps & { readonly way: string }) {
	const query = useQuery("gate-code.tsx", () => import("./gate-code.tsx"));
	const middleware = MIDDLEWARE.find(({ key }) => key === way);
	return (
		<Loaded query={query}>
			{({ MiddlewareCode, ProxyCode }) =>
				middleware === undefined ? (
					<ProxyCode {...props} proxy={way as GateProxy} />
				) : (
					<MiddlewareCode {...props} middleware={middleware} />
				)
			}
		</Loaded>
	);
}
