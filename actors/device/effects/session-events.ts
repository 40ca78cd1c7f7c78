import type { Devices, SessionEvent } from '../../../store/devices/devices.ts';
import type { Owner } from '../../../store/messaging/messages.ts';

export interface SessionEventDeps {
  readonly devices: Pick<Devices, 'unpublished' | 'published'>;
  tell(owner: Owner, session_events: readonly SessionEvent[]): Promise<void>;
}

/** Stores each event in the same write as its change. After a crash, the next owner publishes the event. */
export class SessionEventWriter {
  readonly #deps: SessionEventDeps;
  readonly #owner: Owner;
  #unsaved: readonly SessionEvent[] = [];
  #unpublished: boolean;

  constructor(deps: SessionEventDeps, owner: Owner, { unpublished }: { readonly unpublished: boolean }) {
    this.#deps = deps;
    this.#owner = owner;
    this.#unpublished = unpublished;
  }

  add(sessionEvent: SessionEvent | undefined): readonly SessionEvent[] {
    if (sessionEvent) this.#unsaved = [...this.#unsaved, sessionEvent];
    return this.#unsaved;
  }

  saved(session_events: readonly SessionEvent[]): void {
    this.#unpublished ||= session_events.length > 0;
    this.#unsaved = this.#unsaved.slice(session_events.length);
  }

  /** Must not run while a save is in progress. */
  async processOutbox(): Promise<void> {
    if (!this.#unpublished) return;
    const { devices, tell } = this.#deps;
    const { tenantId, sessionId, epoch } = this.#owner;
    await tell(this.#owner, await devices.unpublished(tenantId, sessionId));
    await devices.published(tenantId, sessionId, epoch);
    this.#unpublished = false;
  }
}
