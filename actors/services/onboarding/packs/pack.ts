/** One language of a pack. Keys name the same record in both languages and never change: applied records are recognised by them. */
export interface PackText {
  readonly title: string;
  readonly tags: readonly string[];
  /** Name, then body with tokens. */
  readonly templates: Readonly<Record<string, readonly [name: string, body: string]>>;
  /** Name, then the word in a message that it answers, then the answer with tokens. */
  readonly replies: Readonly<Record<string, readonly [name: string, label: string, reply: string]>>;
}

/** The initial texts, replies and tags of an industry. */
export interface Pack {
  readonly en: PackText;
  readonly id: PackText;
}
