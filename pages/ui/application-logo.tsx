// The logo of an application, if the content policy allows it: only from the service's origin.

import { useState } from "preact/hooks";
import "./application-logo.css";

export function ApplicationLogo({ url }: { readonly url: string }) {
	const [failed, setFailed] = useState<string>();
	if (url === "" || failed === url || !isOwn(url)) return null;
	// Decorative: the name is next to it.
	return <img class="lk-application-logo" src={url} alt="" onError={() => setFailed(url)} />;
}

function isOwn(url: string): boolean {
	return URL.canParse(url) && new URL(url).origin === location.origin;
}
