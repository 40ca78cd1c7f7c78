declare const IS_DEVELOPMENT: boolean;
