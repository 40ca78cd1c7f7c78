/** Set when the bundle is built. */
declare const IS_DEVELOPMENT: boolean;
