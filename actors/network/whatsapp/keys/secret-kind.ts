declare const holds: unique symbol;

/** A kind of secret, typed with its values: `const HISTORY: SecretKind<KeptPart> = 'history'`. */
export type SecretKind<T> = string & { readonly [holds]?: T };

export type SecretsById<T> = Readonly<Record<string, T>>;
