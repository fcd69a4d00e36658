// Every component in every state, for people who design or change them. Not a document of the service.

import "../base.ts";
import { render } from "preact";
import { useState } from "preact/hooks";
import en from "../../words/ui/en.ts";
import zhCn from "../../words/ui/zh-cn.ts";
import { applyBranding } from "../branding.ts";
import { setTheme } from "../theme.ts";
import { setUiWords } from "../words.ts";
import { CenteredExample } from "./centered-example.tsx";
import { ConsoleExample } from "./console-example.tsx";
import { DataExample } from "./data-example.tsx";
import { FormExample } from "./form-example.tsx";
import { OverlayExample } from "./overlay-example.tsx";
import { OwnExample } from "./own-example.tsx";

const EXAMPLES = {
	console: ConsoleExample,
	forms: FormExample,
	data: DataExample,
	overlays: OverlayExample,
	centered: CenteredExample,
	own: OwnExample,
} as const;

/** The example is the hash; the query may hold `theme`, `dir`, `lang` and `accent` (rrggbb). */
function Gallery() {
	const [name, setName] = useState(location.hash.slice(1));
	addEventListener("hashchange", () => setName(location.hash.slice(1)), { once: true });
	const Example = EXAMPLES[name as keyof typeof EXAMPLES] ?? ConsoleExample;
	return <Example />;
}

const query = new URLSearchParams(location.search);
const root = document.documentElement;
root.lang = query.get("lang") ?? "en";
root.dir = query.get("dir") ?? "ltr";
const theme = query.get("theme");
if (theme === "light" || theme === "dark") setTheme(theme);
const accent = query.get("accent");
if (accent !== null) applyBranding({ product_name: "Looms & Sons", accent_color: `#${accent}` });
setUiWords(() => (root.lang === "zh-CN" ? zhCn : en));
const app = document.querySelector("#app");
if (app === null) throw new Error("the document has no #app");
render(<Gallery />, app);
