/** What one language of a pack says. Keys name the same thing in both languages, for good: what was applied is known by them. */
export interface PackText {
  readonly title: string;
  readonly tags: readonly string[];
  /** Name, then body with tokens. */
  readonly templates: Readonly<Record<string, readonly [name: string, body: string]>>;
  /** Name, then the word in a message that it answers, then the answer with tokens. */
  readonly replies: Readonly<Record<string, readonly [name: string, word: string, reply: string]>>;
}

/** What somebody of a trade starts with. */
export interface Pack {
  readonly en: PackText;
  readonly id: PackText;
}
