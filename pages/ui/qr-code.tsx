// A QR code: dark on light in every theme, because scanners require it.

import { encode } from "uqr";
import "./qr-code.css";

interface QrCodeProps {
	readonly text: string;
	/** What scanning it does. */
	readonly label: string;
}

export function QrCode({ text, label }: QrCodeProps) {
	const { data, size } = encode(text, { ecc: "M", border: 4 });
	const path = data
		.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
		.join("");
	return (
		<svg
			class="lk-qr"
			role="img"
			aria-label={label}
			viewBox={`0 0 ${size} ${size}`}
			shape-rendering="crispEdges"
		>
			<rect width={size} height={size} />
			<path d={path} />
		</svg>
	);
}
