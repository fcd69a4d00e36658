// The hosts of a program that names itself by a URL, whole and in ASCII. Its name proves nothing.

import { DescriptionList } from "../ui/description-list.tsx";
import { Notice } from "../ui/notice.tsx";
import { useWords } from "../words/words.ts";

interface ProgramHostsProps {
	readonly program: {
		readonly host: string;
		/** Receives the code. */
		readonly redirect_host: string;
		readonly is_on_device: boolean;
	};
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
