// The text of an error, and the API's original text if translated.

import "./error-text.css";
import { uiWords } from "./words.ts";

export interface ShownError {
	readonly message: string;
	readonly apiText?: string | undefined;
}

export function ErrorText({ error: { message, apiText } }: { readonly error: ShownError }) {
	return (
		<>
			{message}
			{apiText !== undefined && (
				<details class="lk-error-text">
					<summary>{uiWords().apiText}</summary>
					<bdi lang="en">{apiText}</bdi>
				</details>
			)}
		</>
	);
}
