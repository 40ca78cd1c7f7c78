export type Content =
  | { readonly type: 'text'; readonly body: string }
  | { readonly type: 'location'; readonly lat: number; readonly lng: number }
  | { readonly type: 'contact'; readonly name: string; readonly phone: string }
  | { readonly type: 'poll'; readonly name: string; readonly choices: readonly string[] }
  | FileContent;

/** Fields of a file message that tell the recipient's app how to show the file. */
interface FileLook {
  readonly seconds?: number;
  /** Width of a picture or video in pixels, after rotation. */
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
  /** Waveform of a voice note: 64 bytes, each 0 to 100, in base64. */
  readonly waveform?: string;
  /** A small JPEG, base64. */
  readonly thumbnail?: string;
  /** Whether the sticker is animated, and the name of its pack. */
  readonly animated?: true;
  readonly pack?: string;
  /** `gif`: the video plays in a loop. `round`: the video is shown in a circle. */
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
  /** Hex. */
  readonly sha256: string;
}

/**
 * The secret that encrypts edits of, reactions to and comments on a message. `authors`: the
 * author's addresses; empty if the number's owner wrote the message.
 */
export interface KnownSecret {
  /** In base64. */
  readonly secret: string;
  readonly authors: readonly string[];
}

export interface GroupInvitation {
  readonly groupId: string;
  readonly subject: string;
  /** Invitation code, valid for this person only. */
  readonly code: string;
  readonly expiresAt: number;
}

export interface StatusFacts {
  /** Full addresses. An empty audience fails with `no_audience`. */
  readonly audience: readonly string[];
  /** Background color of a text status: `#RRGGBB`. */
  readonly background?: string;
}

/** The vendor's own objects in a template or interactive message. */
export interface OfficialContent {
  readonly template?: Readonly<Record<string, unknown>>;
  readonly interactive?: Readonly<Record<string, unknown>>;
}
