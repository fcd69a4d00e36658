// The shapes of icons: SVG paths on a grid of 20, drawn with a stroke of 1.5. Unused shapes are tree-shaken.

export type IconShape = string;

export const laptop = "M4.5 4.5h11v8.5h-11zM2 16h16";
export const phone = "M6 2.5h8v15H6zM9 15h2";
export const pencil = "M4 16l.8-3.5L13.5 3.8l2.7 2.7-8.7 8.7L4 16Z";
export const search = "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12Zm4.2-1.8L17 17";
export const close = "m5 5 10 10M15 5 5 15";
export const check = "m4 10.5 4 4 8-9";
export const plus = "M10 4v12M4 10h12";
export const more = "M4.5 10h.01M10 10h.01M15.5 10h.01";
export const chevronDown = "m5 7.5 5 5 5-5";
export const chevronForward = "m7.5 5 5 5-5 5";
export const arrowUp = "M10 16V4M5 9l5-5 5 5";
export const arrowDown = "M10 4v12m-5-5 5 5 5-5";
export const copy = "M7 7h9v9H7zM4 13V4h9";
export const download = "M10 3v9m-4-4 4 4 4-4M4 16.5h12";
export const external = "M8 4H4v12h12v-4m-5-8h5v5m0-5-8 8";
export const menu = "M3 6h14M3 10h14M3 14h14";
export const eye =
	"M2 10s3-5.5 8-5.5 8 5.5 8 5.5-3 5.5-8 5.5S2 10 2 10Zm8 2.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z";
export const eyeOff =
	"M8 4.7C12.5 3.7 16 7 18 10c-.7 1.1-1.5 2.2-2.6 3.1M12.5 15c-4.5 1.6-8.3-1.5-10.5-5 .8-1.3 1.9-2.7 3.4-3.8M3 3l14 14";
export const info = "M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15ZM10 9v4.5M10 6.5h.01";
export const success = "M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15Zm-3.2-7.3 2.3 2.3 4.2-4.7";
export const circle = "M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15Z";
export const warning = "M10 3 2 16.5h16L10 3Zm0 5v4M10 14.2h.01";
export const danger = "M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15ZM10 6v4.5M10 13.5h.01";
export const home = "M3 9.5 10 3.5l7 6V16.5h-4.5V12h-5v4.5H3z";
export const person =
	"M10 9.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4ZM3.5 17c.6-3.2 3.3-5 6.5-5s5.9 1.8 6.5 5";
export const people =
	"M7.5 9.5a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM2 16.5c.4-2.9 2.6-4.5 5.5-4.5s5.1 1.6 5.5 4.5M13 4.2a2.7 2.7 0 0 1 0 5.1M15 12.4c1.7.6 2.8 2 3 4.1";
export const inbox = "M3 11 5.5 4h9L17 11v5.5H3V11Zm0 0h4l1 2h4l1-2h4";
export const key = "M7 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM10.5 10H17v3.5M14 10v2.5";
export const keyboard = "M2.5 5.5h15v9h-15zM5.5 8.5h.01M8.5 8.5h.01M11.5 8.5h.01M14.5 8.5h.01M6.5 11.5h7";
export const application = "M3 3.5h14v13H3zM3 7.5h14M5.5 5.5h.01";
export const list = "M7 5h10M7 10h10M7 15h10M3.5 5h.01M3.5 10h.01M3.5 15h.01";
export const shield = "M10 2.5 4 5v4.5c0 3.8 2.5 6.6 6 8 3.5-1.4 6-4.2 6-8V5l-6-2.5Z";
export const globe =
	"M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15ZM2.5 10h15M10 2.5c-5 5-5 10 0 15 5-5 5-10 0-15";
export const mail = "M2.5 4.5h15v11h-15zM2.5 5.5 10 11l7.5-5.5";
export const brush =
	"M8.5 11.5 16 3.5l.8.8-7.8 7.5M8.5 11.5c-3 0-3 3.5-5.5 4 2 1.5 6 1.5 6.5-1.5 0-1.3-.3-2-1-2.5Z";
export const building = "M4 17V3h8v14M12 8h4v9M2.5 17h15M7 6.5h2M7 10h2M7 13.5h2";
export const server = "M3 3.5h14v5.5H3zM3 11h14v5.5H3zM6 6.2h.01M6 13.8h.01";
export const webhook = "M8 6 4 10l4 4m4-8 4 4-4 4";
export const link =
	"M8.5 11.5a3 3 0 0 0 4.2 0l3-3a3 3 0 0 0-4.2-4.2l-1 1M11.5 8.5a3 3 0 0 0-4.2 0l-3 3a3 3 0 0 0 4.2 4.2l1-1";
export const lock = "M4.5 9h11v8h-11zM7 9V6.5a3 3 0 0 1 6 0V9";
export const clock = "M10 17.5a7.5 7.5 0 1 0 0-15 7.5 7.5 0 0 0 0 15ZM10 6v4l2.7 2";
export const book =
	"M10 5.5C8 4 5.5 3.7 3 4v11.5c2.5-.3 5 0 7 1.5 2-1.5 4.5-1.8 7-1.5V4c-2.5-.3-5 0-7 1.5Zm0 0V17";
export const signOut = "M8 3.5H3.5v13H8M8 10h9m-3.5-3.5L17 10l-3.5 3.5";
export const trash = "M3.5 5.5h13M8 5.5v-2h4v2M5 5.5l.8 11h8.4l.8-11M8.5 9v4.5M11.5 9v4.5";
export const refresh = "M16.5 8A7 7 0 0 0 4 6.5L3 8m0-4.5V8h4.5M3.5 12A7 7 0 0 0 16 13.5L17 12m0 4.5V12h-4.5";
export const group =
	"M6 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm8 0a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm-4 5.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM2.5 13.5c.2-2 1.4-3 3.1-3M17.5 13.5c-.2-2-1.4-3-3.1-3M6 17.5c.3-1.6 1.8-2.3 4-2.3s3.7.7 4 2.3";
export const robot =
	"M4 8h12v8.5H4zM10 8V4.5M10 4.5h.01M7.5 11.5h.01M12.5 11.5h.01M8 14h4M2 11v2.5M18 11v2.5";
