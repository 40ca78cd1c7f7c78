declare const holds: unique symbol;

/**
 * The name of a kind of secrets, typed with the value stored under each of its ids: `const HISTORY:
 * SecretKind<KeptPart> = 'history'`.
 */
export type SecretKind<T> = string & { readonly [holds]?: T };

/** Values of one kind, by id. */
export type SecretsById<T> = Readonly<Record<string, T>>;
