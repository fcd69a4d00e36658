// An email address that breaks before `@` and dots instead of inside a word.

export function Email({ address }: { readonly address: string }) {
	return (
		<bdi>
			{address.split(/(?=[@.])/).map((part, index) => (
				<>
					{index > 0 && <wbr />}
					{part}
				</>
			))}
		</bdi>
	);
}
