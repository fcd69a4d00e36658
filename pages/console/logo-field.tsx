// Uploads a PNG logo and shows it.

import { useRef, useState } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { uploadedImage } from "../ui/branding.ts";
import { Button } from "../ui/button.tsx";
import { ErrorText } from "../ui/error-text.tsx";
import { announce } from "../ui/status-line.tsx";
import { useUniqueId } from "../ui/unique-id.ts";
import { useWords } from "../words/words.ts";
import "./logo-field.css";

interface LogoFieldProps {
	readonly label: string;
	/** The current URL; of a logo on another host, only the URL is shown. */
	readonly url: string;
	/** The surface behind the logo. */
	readonly theme?: "light" | "dark";
	/** The id of the hint, if several fields share one; otherwise, the field shows its own. */
	readonly hintId?: string;
	readonly onUpload: (image: Blob) => Promise<void>;
	readonly onRemove: () => Promise<void>;
}

export const IMAGE_TYPE = "image/png";
/** The API accepts no larger body, and may close the connection before the browser reads its response. */
const BYTES_MAX = 65_536;

export function LogoField({ label, url, theme, hintId, onUpload, onRemove }: LogoFieldProps) {
	const t = useWords("console").logo;
	const id = useUniqueId();
	const input = useRef<HTMLInputElement>(null);
	const [isTooLarge, setTooLarge] = useState(false);
	const upload = useAction(async (file: File) => {
		remove.reset();
		setTooLarge(file.size > BYTES_MAX);
		if (file.size > BYTES_MAX) return;
		await onUpload(new Blob([file], { type: IMAGE_TYPE }));
		announce(t.uploaded);
	});
	const remove = useAction(async () => {
		upload.reset();
		setTooLarge(false);
		await onRemove();
		announce(t.removed);
		// The button disappears.
		input.current?.focus();
	});
	const image = uploadedImage(url);
	const error = upload.error ?? remove.error;
	return (
		<div class="lk-logo-field">
			<label class="lk-field__label" for={id}>
				{label}
			</label>
			<div class="lk-logo-field__row">
				{image !== undefined && (
					<span class="lk-logo-field__image" style={theme && { colorScheme: theme }}>
						<img src={image} alt={t.current} />
					</span>
				)}
				{image === undefined && url !== "" && <bdi class="lk-logo-field__url">{url}</bdi>}
				<input
					ref={input}
					id={id}
					type="file"
					accept={IMAGE_TYPE}
					aria-describedby={hintId ?? `${id}-hint`}
					aria-invalid={isTooLarge || error !== undefined}
					aria-disabled={upload.isPending}
					onClick={(event) => {
						if (upload.isPending) event.preventDefault();
					}}
					onChange={({ currentTarget }) => {
						const [file] = currentTarget.files ?? [];
						// The same file can be chosen again after an error.
						if (file === undefined) return;
						const clear = () => (currentTarget.value = "");
						upload.run(file).then(clear, reportError);
					}}
				/>
				{url !== "" && (
					<Button size="small" pending={remove.isPending} onClick={() => remove.run()}>
						{t.remove}
					</Button>
				)}
			</div>
			<div role="status" class="lk-field__hint">
				{upload.isPending && t.uploading}
			</div>
			<div role="alert">
				{isTooLarge && <span class="lk-field__error">{t.tooLarge}</span>}
				{error !== undefined && <ErrorText error={error} />}
			</div>
			{hintId === undefined && <LogoHint id={`${id}-hint`} />}
		</div>
	);
}

/** What an image must be. */
export function LogoHint({ id }: { readonly id: string }) {
	return (
		<div class="lk-field__hint" id={id}>
			{useWords("console").logo.hint}
		</div>
	);
}
