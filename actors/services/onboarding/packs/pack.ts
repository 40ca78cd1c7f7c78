/**
 * One language of a pack. Keys identify the same record in both languages and never change, because
 * applied records are recognised by them.
 */
export interface PackText {
  readonly title: string;
  readonly tags: readonly string[];
  /** Name and body with tokens. */
  readonly templates: Readonly<Record<string, readonly [name: string, body: string]>>;
  /** Name, trigger word in a message, and reply with tokens. */
  readonly replies: Readonly<Record<string, readonly [name: string, label: string, reply: string]>>;
}

/** The initial texts, replies and tags of an industry. */
export interface Pack {
  readonly en: PackText;
  readonly id: PackText;
}
