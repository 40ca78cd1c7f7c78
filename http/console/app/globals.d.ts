/** Set when the bundle is built: whether `CONSOLE_DEV` is on. */
declare const IS_DEVELOPMENT: boolean;
