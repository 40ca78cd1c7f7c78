/** A pack's texts in one language. A key names the same record in both languages and never changes. */
export interface PackText {
  readonly title: string;
  readonly tags: readonly string[];
  readonly templates: Readonly<Record<string, readonly [name: string, body: string]>>;
  readonly replies: Readonly<Record<string, readonly [name: string, label: string, reply: string]>>;
}

export interface Pack {
  readonly en: PackText;
  readonly id: PackText;
}
