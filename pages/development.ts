// `npm run pages`: reloads the document after a build that changed it. Not part of a normal build.

const INTERVAL_MS = 1_000;

export function reloadOnChange(): void {
	let etag: string | null = null;
	setInterval(async () => {
		try {
			const response = await fetch(location.pathname, { method: "HEAD", headers: { accept: "text/html" } });
			const next = response.headers.get("etag");
			if (etag !== null && next !== null && next !== etag) location.reload();
			etag = next ?? etag;
		} catch (error) {
			// The service is being restarted.
			reportError(error);
		}
	}, INTERVAL_MS);
}
