// Stylesheets are imported for their effect: the build joins those of a document.
declare module "*.css";

/** True in a build by `npm run pages`. */
declare const DEVELOPMENT: boolean;
