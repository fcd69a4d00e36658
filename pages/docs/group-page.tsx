// A group: what it is for, and its endpoints.

import { Link } from "../ui/link.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { useWords } from "../words/words.ts";
import type { Group } from "./api.ts";
import "./group-page.css";
import { Method } from "./method.tsx";
import { Path } from "./prose.tsx";

export function GroupPage({ group }: { readonly group: Group }) {
	const t = useWords("docs");
	const { name, description, guide, operations } = group;
	return (
		<div class="docs-group">
			<PageHeader
				title={name}
				description={description}
				actions={
					guide === undefined ? undefined : (
						<Link href={guide} variant="secondary">
							{t.guide}
						</Link>
					)
				}
			/>
			<ul class="docs-list">
				{operations.map(({ id, method, path, summary }) => (
					<li key={id} class="docs-list-row">
						<Method method={method} />
						<div>
							<a href={`#${id}`}>{summary}</a>
							<div class="docs-list-path">
								<Path path={path} />
							</div>
						</div>
					</li>
				))}
			</ul>
		</div>
	);
}
