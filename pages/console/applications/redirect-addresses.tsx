// The redirect URIs of an application, one per line.

import { useState } from "preact/hooks";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/query.ts";
import type { Schemas } from "../../api/routes.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Form } from "../../ui/form.tsx";
import { announce } from "../../ui/status-line.tsx";
import { linesOf } from "../../ui/text-area.tsx";
import { useUniqueId } from "../../ui/unique-id.ts";
import { useWords } from "../../words/words.ts";
import { addressProblem } from "./line-problems.ts";
import { LinesField } from "./lines-field.tsx";

interface RedirectAddressesProps {
	readonly application: Schemas["Application"];
	readonly onChanged: () => void;
}

export function RedirectAddresses({ application, onChanged }: RedirectAddressesProps) {
	const t = useWords("console-access").applications;
	const id = useUniqueId();
	const [text, setText] = useState(application.redirect_uris.join("\n"));
	const save = useAction(async () => {
		const body = { redirect_uris: linesOf(text) };
		await call("PATCH /applications/{id}", { path: { id: application.id }, body });
		announce(t.addressesSaved);
		onChanged();
	});
	return (
		<Card
			title={t.addresses}
			description={t.addressesText}
			footer={
				<Button type="submit" form={id} variant="primary" pending={save.isPending}>
					{t.saveAddresses}
				</Button>
			}
		>
			<Form id={id} action={save}>
				<LinesField
					name="redirect_uris"
					label={t.oneALine}
					hint={t.addressesHint}
					value={text}
					onValue={setText}
					problemOf={(line) => addressProblem(line, t.lineProblems)}
					allRight={t.addressesRight}
				/>
			</Form>
		</Card>
	);
}
