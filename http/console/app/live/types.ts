export interface LiveEvent {
  readonly id: string;
  readonly type: string;
  readonly session_id: string | null;
  readonly occurred_at: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export type Word =
  | { readonly say: 'event'; readonly event: LiveEvent }
  /** Reports that the stream is open. Repeated while it stays open. */
  | { readonly say: 'open' }
  | { readonly say: 'closed' }
  | { readonly say: 'hello' };

export interface StreamListener {
  onOpen(): void;
  /** Also called for keep-alive comments, which show that the connection still works. */
  onSign(): void;
  onEvent(event: LiveEvent): void;
}

export interface HubDeps {
  /** With `isSeizing`, takes the lead from another tab, and the other tab's `lost` signal aborts. */
  lead(lead: (lost: AbortSignal) => Promise<void>, signal: AbortSignal, isSeizing: boolean): void;
  tell(word: Word): void;
  onWord(receive: (word: Word) => void): () => void;
  read(listener: StreamListener, over: AbortSignal): Promise<void>;
  after(ms: number, run: () => void): () => void;
  /** Epoch ms, which keeps counting while the machine sleeps. */
  now(): number;
  random(): number;
}
