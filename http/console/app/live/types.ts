export interface LiveEvent {
  readonly id: string;
  readonly type: string;
  readonly session_id: string | null;
  readonly occurred_at: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export type Word =
  | { readonly say: 'event'; readonly event: LiveEvent }
  /** The stream is open; repeated while it stays open. */
  | { readonly say: 'open' }
  | { readonly say: 'closed' }
  /** Requests the leader's state: sent by a tab that has just opened, woken up, or not received a report for long. */
  | { readonly say: 'hello' };

export interface StreamListener {
  onOpen(): void;
  /** Data arrived, even if only a comment: the connection is alive. */
  onSign(): void;
  onEvent(event: LiveEvent): void;
}

export interface HubDeps {
  /**
   * Runs `lead` when no other tab leads, or at once with `isSeizing`, until its promise settles.
   * `lost` aborts when another tab seizes the lead; `signal` withdraws a waiting request.
   */
  lead(lead: (lost: AbortSignal) => Promise<void>, signal: AbortSignal, isSeizing: boolean): void;
  tell(word: Word): void;
  /** Receives messages from all other tabs. Returns a function that unsubscribes. */
  onWord(receive: (word: Word) => void): () => void;
  /** Opens one stream and reads it until it ends or `over` aborts. May reject. */
  read(listener: StreamListener, over: AbortSignal): Promise<void>;
  /** Runs `run` after `ms`. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Epoch ms; keeps counting while the machine sleeps. */
  now(): number;
  /** Random number from 0 to 1. */
  random(): number;
}
