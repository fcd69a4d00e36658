// Signs in with a provider account: redirects to the provider, which redirects back to this URL.

import { useAction } from "../api/query.ts";
import { send } from "../api/request.ts";
import type { ResponseOf } from "../api/routes.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { useWords } from "../words/words.ts";
import type { Methods } from "./open-visit.ts";
import { useShownError } from "./shown-error.ts";

type Started = ResponseOf<"POST /auth/third-party/{provider}/start">;

export function ProviderButtons({ providers }: { providers: Methods["providers"] }) {
	const t = useWords("sign-in");
	const leave = useAction(async (provider: string) => {
		const redirect_uri = `${location.origin}${location.pathname}${location.search}`;
		const path = `/api/v1/auth/third-party/${encodeURIComponent(provider)}/start`;
		const { data } = (await send("POST", path, { body: { redirect_uri } })) as Started;
		location.assign(data.authorization_url);
	});
	const error = useShownError(leave.error);
	return (
		<>
			{error !== undefined && <Notice tone="danger">{error.message}</Notice>}
			{providers.map(({ provider, display_name }) => (
				<Button key={provider} wide onClick={() => leave.run(provider)}>
					<bdi>{t.withProvider(display_name)}</bdi>
				</Button>
			))}
		</>
	);
}
