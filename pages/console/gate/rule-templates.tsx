// Rules to begin with. They fill the draft and save nothing.

import { application, key, people } from "../../ui/icons.ts";
import { OptionList } from "../../ui/option-list.tsx";
import { useWords } from "../../words/words.ts";
import type { GateProps } from "./gate-props.ts";

type Rules = GateProps["gate"]["rules"];

interface RuleTemplatesProps {
	/** Those that the roles of the application list. */
	readonly permissions: readonly string[];
	readonly onChoose: (rules: Rules) => void;
}

export function RuleTemplates({ permissions, onChoose }: RuleTemplatesProps) {
	const t = useWords("console-gate");
	const area = areaOf(permissions);
	const read = { methods: ["GET"], path: "/*" };
	const all = { path: "/*" };
	const templates: readonly { readonly key: keyof typeof t.templates; readonly rules: Rules }[] = [
		{
			key: "publicRead",
			rules: [
				{ ...read, needs: "public" },
				{ ...all, needs: "signed-in" },
			],
		},
		{ key: "signedIn", rules: [{ ...all, needs: "signed-in" }] },
		{
			key: "partnersRead",
			rules: [
				{ ...read, needs: `${area}:read` },
				{ ...all, needs: `${area}:write` },
			],
		},
	];
	const icons = { publicRead: application, signedIn: people, partnersRead: key };
	return (
		<OptionList
			options={templates.map(({ key, rules }) => ({
				key,
				icon: icons[key],
				title: t.templates[key].title,
				text: t.templates[key].text(area),
				onSelect: () => onChoose(rules),
			}))}
		/>
	);
}

/** `orders` if the roles have `orders:read` or `orders:write`, best both. */
function areaOf(permissions: readonly string[]): string {
	const areas = permissions.flatMap((one) => /^(.+):(?:read|write)$/.exec(one)?.[1] ?? []);
	return areas.find((one, index) => areas.indexOf(one) < index) ?? areas[0] ?? "api";
}
