// The configuration of the proxy in front of an application, with the values of its gate, ready to copy.

import caddyfile from "../../../deploy/gate/Caddyfile";
import envoy from "../../../deploy/gate/envoy.yaml";
import haproxy from "../../../deploy/gate/haproxy.cfg";
import kong from "../../../deploy/gate/kong.yaml";
import lua from "../../../deploy/gate/latchkey-gate.lua";
import nginx from "../../../deploy/gate/nginx.conf";
import traefik from "../../../deploy/gate/traefik.yaml";
import { Card } from "../../ui/card.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { useWords } from "../../words/words.ts";
import type { GateProps } from "./gate-props.ts";

export function ProxyFiles({ application, gate }: GateProps) {
	const t = useWords("console-gate");
	const fill = (text: string) => {
		// The instructions name the value that is filled in here.
		const open = text.trimEnd().replace(/, (?:and )?APPLICATION_ID/, "");
		const own = open.replaceAll("APPLICATION_ID", application.id);
		const { browser_origin: origin } = gate;
		return origin === null ? own : own.replaceAll("orders.example.com", new URL(origin).host);
	};
	return (
		<Card title={t.proxy} description={t.proxyText}>
			<CodeBlock
				label={t.proxyFile}
				snippets={[
					{ key: "nginx", label: "nginx", code: fill(nginx) },
					{ key: "caddy", label: "Caddy", code: fill(caddyfile) },
					{ key: "haproxy", label: "HAProxy", code: fill(haproxy) },
					{ key: "lua", label: "HAProxy: latchkey-gate.lua", code: fill(lua) },
					{ key: "traefik", label: t.untested("Traefik"), code: fill(traefik) },
					{ key: "envoy", label: t.untested("Envoy"), code: fill(envoy) },
					{ key: "kong", label: t.untested("Kong"), code: fill(kong) },
				]}
			/>
		</Card>
	);
}
