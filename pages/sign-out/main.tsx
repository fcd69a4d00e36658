// Entry of `/sign-out` and `/signed-out`.

import { showRequestedLanguage } from "../sign-in/interaction.ts";
import { start } from "../start.tsx";
import { SignOutPage } from "./sign-out-page.tsx";
import { SignedOut } from "./signed-out.tsx";

if (location.pathname === "/sign-out") await start(SignOutPage, { session: "tried" });
else {
	await showRequestedLanguage((new URLSearchParams(location.search).get("ui_locales") ?? "").split(" "));
	await start(SignedOut);
}
