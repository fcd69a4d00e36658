// The logo of an application, where the content policy lets a page show it: only from the origin of the service.

import { useState } from "preact/hooks";
import "./application-logo.css";

export function ApplicationLogo({ url }: { readonly url: string }) {
	const [failed, setFailed] = useState<string>();
	if (url === "" || failed === url || !isOwn(url)) return null;
	// The name of the application is beside it.
	return <img class="lk-application-logo" src={url} alt="" onError={() => setFailed(url)} />;
}

function isOwn(url: string): boolean {
	return URL.parse(url)?.origin === location.origin;
}
