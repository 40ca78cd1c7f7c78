/** An event of the live stream. */
export interface LiveEvent {
  readonly id: string;
  readonly type: string;
  readonly session_id: string | null;
  readonly occurred_at: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What tabs of one browser say to each other. */
export type Word =
  | { readonly say: 'event'; readonly event: LiveEvent }
  /** The stream is open; said from time to time while it is. */
  | { readonly say: 'open' }
  | { readonly say: 'closed' }
  /** A tab that has just come, or has heard nothing for long, asks how it is. */
  | { readonly say: 'hello' };

export interface StreamListener {
  onOpen(): void;
  /** Something came, if only a comment: the line is not dead. */
  onSign(): void;
  onEvent(event: LiveEvent): void;
}

export interface HubDeps {
  /**
   * Runs `lead` once no other tab of this browser leads, or at once with `isSeizing`, and until what it gives settles. `lost`: another tab seized
   * it. `signal` takes back what was not begun.
   */
  lead(lead: (lost: AbortSignal) => Promise<void>, signal: AbortSignal, isSeizing: boolean): void;
  /** To all other tabs. */
  tell(word: Word): void;
  /** From all other tabs; gives how to stop. */
  onWord(receive: (word: Word) => void): () => void;
  /** Opens one stream and reads it until it ends or `over` aborts; each try has a ticket of its own. May reject. */
  read(listener: StreamListener, over: AbortSignal): Promise<void>;
  /** After so many ms; gives how to take it back. */
  after(ms: number, run: () => void): () => void;
  /** Epoch ms: it goes on while the machine sleeps. */
  now(): number;
  /** 0 to 1. */
  random(): number;
}
