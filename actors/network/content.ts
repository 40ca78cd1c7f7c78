/** What a message holds, either way. */
export type Content =
  | { readonly type: 'text'; readonly body: string }
  | { readonly type: 'location'; readonly lat: number; readonly lng: number }
  | { readonly type: 'contact'; readonly name: string; readonly phone: string }
  | { readonly type: 'poll'; readonly name: string; readonly choices: readonly string[] }
  | FileContent;

/** How people's apps show a file: what the message says beside it. */
interface FileLook {
  readonly seconds?: number;
  /** Of a picture or a video as it is shown. */
  readonly width?: number;
  readonly height?: number;
  /** Of a document. */
  readonly pages?: number;
  /** Of a voice note: 64 bytes of 0 to 100, base64. */
  readonly waveform?: string;
  /** A small JPEG, base64. */
  readonly thumbnail?: string;
  /** Of a sticker. */
  readonly animated?: true;
  readonly pack?: string;
  /** A video that plays in a loop, and one that is shown round. */
  readonly gif?: true;
  readonly round?: true;
  readonly viewOnce?: true;
  readonly hd?: true;
}

export interface FileContent extends FileLook {
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

/** With the secret of a message its edits are sealed, and what others do to it. `authors`: addresses of whoever wrote it; none: the number's owner. */
export interface KnownSecret {
  /** In base64. */
  readonly secret: string;
  readonly authors: readonly string[];
}
