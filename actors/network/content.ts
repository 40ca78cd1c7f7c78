export type Content =
  | { readonly type: 'text'; readonly body: string }
  | { readonly type: 'location'; readonly lat: number; readonly lng: number }
  | { readonly type: 'contact'; readonly name: string; readonly phone: string }
  | { readonly type: 'poll'; readonly name: string; readonly choices: readonly string[] }
  | FileContent;

interface FileLook {
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
  /** 64 amplitudes from 0 to 100, one byte each, encoded in base64. */
  readonly waveform?: string;
  readonly thumbnail?: string;
  readonly animated?: true;
  readonly pack?: string;
  readonly gif?: true;
  readonly round?: true;
  readonly viewOnce?: true;
  readonly hd?: true;
}

export interface FileContent extends FileLook {
  readonly type: 'image' | 'video' | 'audio' | 'document' | 'sticker';
  readonly file: FileFacts;
  readonly caption: string | null;
  readonly voiceNote: boolean;
}

interface FileFacts {
  readonly contentType: string;
  readonly filename: string | null;
  readonly size: number;
  readonly sha256: string;
}

/** A message's secret. `authors` is empty if the number's owner wrote the message. */
export interface KnownSecret {
  readonly secret: string;
  readonly authors: readonly string[];
}

export interface GroupInvitation {
  readonly groupId: string;
  readonly subject: string;
  readonly code: string;
  readonly expiresAt: number;
}

export interface StatusFacts {
  /** The recipients' full addresses. If there are none, the send fails with `no_audience`. */
  readonly audience: readonly string[];
  readonly background?: string;
}

export interface OfficialContent {
  readonly template?: Readonly<Record<string, unknown>>;
  readonly interactive?: Readonly<Record<string, unknown>>;
}
