// The hosts of a program that names itself by a URL, whole and in ASCII. Its name proves nothing.

import type { Schemas } from "../api/routes.ts";
import { DescriptionList } from "../ui/description-list.tsx";
import { Notice } from "../ui/notice.tsx";
import { useWords } from "../words/words.ts";

interface ProgramHostsProps {
	/** Its `redirect_host` receives the code. */
	readonly program: Pick<Schemas["AskedProgram"], "host" | "redirect_host" | "is_on_device">;
}

export function ProgramHosts({ program }: ProgramHostsProps) {
	const t = useWords("consent").program;
	const { host, redirect_host: redirectHost, is_on_device: isOnDevice } = program;
	return (
		<>
			<DescriptionList
				items={[
					{ term: t.host, value: host },
					{ term: t.returnsTo, value: redirectHost },
				]}
			/>
			{isOnDevice ? (
				<Notice>{t.onDevice}</Notice>
			) : (
				redirectHost !== host && <Notice tone="warning">{t.otherHost(redirectHost)}</Notice>
			)}
		</>
	);
}
