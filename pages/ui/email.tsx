// An email address that breaks before `@`, and before dots only if the domain is longer than a line.

import "./email.css";

export function Email({ address }: { readonly address: string }) {
	const at = address.lastIndexOf("@");
	return (
		<bdi translate={false}>
			{address.slice(0, at)}
			<span class="lk-email-domain">
				{address
					.slice(at)
					.split(/(?=\.)/)
					.map((part, index) => (
						<>
							{index > 0 && <wbr />}
							{part}
						</>
					))}
			</span>
		</bdi>
	);
}
