/** What a message holds, either way. */
export type Content =
  | { readonly type: 'text'; readonly body: string }
  | { readonly type: 'location'; readonly lat: number; readonly lng: number }
  | { readonly type: 'contact'; readonly name: string; readonly phone: string }
  | { readonly type: 'poll'; readonly name: string; readonly choices: readonly string[] }
  | FileContent;

export interface FileContent {
  readonly type: 'image' | 'video' | 'audio' | 'document' | 'sticker';
  readonly file: FileFacts;
  readonly caption: string | null;
  /** Audio that is shown as spoken. */
  readonly voiceNote: boolean;
}

interface FileFacts {
  readonly contentType: string;
  readonly filename: string | null;
  /** Bytes. */
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}
