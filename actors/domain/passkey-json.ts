/**
 * Passes passkey JSON between the network and an authenticator. Removes two WebAuthn extensions
 * that reveal secrets, because with them, a gateway could read the keys of the account's backups.
 */

const SECRET_EXTENSIONS = new Set(['prf', 'largeBlob']);

type Json = Readonly<Record<string, unknown>>;

export const publicKeyText = (options: Json): string => JSON.stringify(withoutSecrets(options, 'extensions'));

export const withoutSecretResults = <T extends Json>(credential: T): T => withoutSecrets(credential, 'clientExtensionResults');

function withoutSecrets<T extends Json>(json: T, where: string): T {
  const extensions = json[where];
  if (typeof extensions !== 'object' || extensions === null || Array.isArray(extensions)) return json;
  const others = Object.entries(extensions).filter(([name]) => !SECRET_EXTENSIONS.has(name));
  return { ...json, [where]: Object.fromEntries(others) };
}
