// The code and the configuration that ask a gate, with the application's values filled in. The key stays a variable.

import caddyfile from "../../../deploy/gate/Caddyfile";
import envoy from "../../../deploy/gate/envoy.yaml";
import haproxy from "../../../deploy/gate/haproxy.cfg";
import kong from "../../../deploy/gate/kong.yaml";
import lua from "../../../deploy/gate/latchkey-gate.lua";
import nginx from "../../../deploy/gate/nginx.conf";
import traefik from "../../../deploy/gate/traefik.yaml";
import guide from "../../../docs/packages.md";
import { runCommand } from "../../run-command.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyField } from "../../ui/copy-field.tsx";
import { Link } from "../../ui/link.tsx";
import { useWords } from "../../words/words.ts";
import { fillInGate } from "./fill-in.ts";
import type { GateProps } from "./gate-props.ts";
import type { Middleware } from "./middleware.ts";
import type { GateProxy } from "./proxies.ts";

const GUIDE = "/docs/packages";
const VARIABLES_FILE = "gate.env";

interface MiddlewareCodeProps extends GateProps {
	readonly middleware: Middleware;
}

export function MiddlewareCode({ application, middleware }: MiddlewareCodeProps) {
	const t = useWords("console-gate");
	const { label, install, run, files, anchor } = middleware;
	const fill = (text: string) => fillInGate(text, { url: location.origin, applicationId: application.id });
	return (
		<div class="lk-stack">
			<Snippet label={t.installPackage} code={fill(guide.packages[middleware.package]?.install ?? "")} />
			{install !== undefined && <CopyField label={t.installFramework} value={install} />}
			{files.map((file) => (
				<Snippet key={file} label={file} code={fill(guide.files[file] ?? "")} />
			))}
			<Snippet label={t.variables(VARIABLES_FILE)} code={fill(guide.variables)} />
			<CopyField label={t.runIt(VARIABLES_FILE)} value={runCommand(VARIABLES_FILE, run)} />
			<p class="lk-muted">
				{t.guideText} <Link href={`${GUIDE}#${anchor}`}>{t.guide(label)}</Link>
			</p>
		</div>
	);
}

const FILES: Readonly<Record<GateProxy, readonly (readonly [name: string, text: string])[]>> = {
	nginx: [["nginx.conf", nginx]],
	Caddy: [["Caddyfile", caddyfile]],
	HAProxy: [
		["haproxy.cfg", haproxy],
		["latchkey-gate.lua", lua],
	],
	Traefik: [["traefik.yaml", traefik]],
	Envoy: [["envoy.yaml", envoy]],
	Kong: [["kong.yaml", kong]],
};

interface ProxyCodeProps extends GateProps {
	readonly proxy: GateProxy;
}

export function ProxyCode({ application, gate, proxy }: ProxyCodeProps) {
	const t = useWords("console-gate");
	const fill = (text: string) => {
		// The instructions name the value that is filled in here.
		const open = text.trimEnd().replace(/, (?:and )?APPLICATION_ID/, "");
		const own = open.replaceAll("APPLICATION_ID", application.id);
		const { browser_origin: origin } = gate;
		return origin === null ? own : own.replaceAll("orders.example.com", new URL(origin).host);
	};
	return (
		<div class="lk-stack">
			<p class="lk-muted">{t.proxyText}</p>
			{FILES[proxy].map(([name, text]) => (
				<Snippet key={name} label={name} code={fill(text)} />
			))}
		</div>
	);
}

function Snippet({ label, code }: { readonly label: string; readonly code: string }) {
	return <CodeBlock label={label} snippets={[{ key: label, label, code }]} />;
}
