/** Set by the compiler of the bundle: `CONSOLE_DEV` is on. */
declare const IS_DEVELOPMENT: boolean;
