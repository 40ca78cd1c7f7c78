declare const holds: unique symbol;

/** A kind of secret with the type of its values: `const HISTORY: SecretKind<KeptPart> = …`. */
export type SecretKind<T> = string & { readonly [holds]?: T };

export type SecretsById<T> = Readonly<Record<string, T>>;
